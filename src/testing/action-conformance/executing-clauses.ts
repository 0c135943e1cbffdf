// Clauses about what an executor does: one effect, none on stale state, one for one key, and no word that is not true.
import { DefinitiveFailure, NotSent } from '../../proposal/action.ts'
import { type Clause, ClauseFailure, demand } from '../clause.ts'
import type { Bench, ExecutorEnd, Ready } from './bench.ts'

const CALLS_AT_ONCE = 16

/** What `execute` does, counted at the target. */
export const executeClauses: readonly Clause<Bench>[] = [
  {
    clause: 'execute.effect',
    rule: 'An approved effect happens once, and the executor says accepted.',
    restsOn: ['resolve.still'],
    async run(bench) {
      const { end, effects } = await executed(bench)
      if (end.kind === 'threw')
        throw new ClauseFailure('execute_threw', 'execute threw although the target is in health.')
      demand(
        effects > 0 || end.answer.status !== 'accepted',
        'accepted_without_effect',
        'accepted, and there is no effect.',
      )
      demand(effects > 0, 'no_effect', `An effect that could happen did not: execute answered ${end.answer.status}.`)
      demand(effects === 1, 'effect_doubled', `One call of the executor made ${effects} effects.`)
      const { status } = end.answer
      demand(status === 'accepted', 'effect_denied', `The effect happened, and execute answered ${status}.`)
    },
  },
  {
    clause: 'execute.same_key',
    rule: 'The same idempotency key twice makes one effect, and the second call does not deny it.',
    restsOn: ['execute.effect'],
    async run(bench) {
      const ready = await bench.fresh()
      const before = await bench.effects(ready)
      const resolution = await bench.resolve(ready)
      await bench.execute(ready, resolution)
      const second = await bench.execute(ready, resolution, 2)
      const effects = (await bench.effects(ready)) - before
      demand(effects === 1, 'same_key_doubled', `The same key was executed twice and made ${effects} effects.`)
      // A target without idempotency may rightly refuse the second call, which has had no effect.
      if (bench.definition.action.contract.target.idempotent === false) return
      demand(!denies(second), 'effect_denied', 'The second call says that nothing happened, while its effect stands.')
    },
  },
  {
    clause: 'execute.same_key_at_once',
    rule: 'The same idempotency key many times at once makes one effect.',
    restsOn: ['execute.same_key'],
    async run(bench) {
      const ready = await bench.fresh()
      const before = await bench.effects(ready)
      const resolution = await bench.resolve(ready)
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, () => bench.execute(ready, resolution)))
      const effects = (await bench.effects(ready)) - before
      demand(effects === 1, 'same_key_raced', `${CALLS_AT_ONCE} calls at once with one key made ${effects} effects.`)
    },
  },
  {
    clause: 'execute.lost_answer',
    rule: 'After an answer that was lost the executor denies nothing and makes no second effect.',
    restsOn: ['execute.effect'],
    lacks: ({ world }) => lacksFault(world.faults.commit_then_drop, 'commit_then_drop'),
    async run(bench) {
      const { end, effects } = await executed(bench, bench.world.faults.commit_then_drop)
      demand(effects <= 1, 'retry_doubled', `One call whose answer was lost made ${effects} effects.`)
      const isTrue = effects === 0 || !denies(end)
      demand(
        isTrue,
        'lost_answer_denied',
        'The answer was lost after the effect, and the executor says that there is none.',
      )
    },
  },
  {
    clause: 'execute.lost_request',
    rule: 'After a request that was lost the executor does not say accepted.',
    restsOn: ['execute.effect'],
    lacks: ({ world }) => lacksFault(world.faults.drop_before_commit, 'drop_before_commit'),
    async run(bench) {
      const { end, effects } = await executed(bench, bench.world.faults.drop_before_commit)
      demand(
        effects > 0 || !accepts(end),
        'lost_request_accepted',
        'The request was lost, and the executor says accepted.',
      )
    },
  },
]

/** Only for a target that is idempotent: to another one nothing is ever sent again. */
export const resendClause: Clause<Bench> = {
  clause: 'execute.resend',
  rule: 'The same key again: no second effect after a lost answer, no accepted without an effect after a lost request.',
  restsOn: ['execute.same_key', 'execute.lost_answer', 'execute.lost_request'],
  async run(bench) {
    const { faults } = bench.world
    const lost = await (await executed(bench, faults.commit_then_drop)).again()
    const told = `Called again with the same key after a lost answer, the executor made ${lost.effects} effects.`
    demand(lost.effects <= 1, 'resend_doubled', told)
    // What a process remembers of its own sending is not what the target has.
    const { end, effects } = await (await executed(bench, faults.drop_before_commit)).again()
    demand(
      effects > 0 || !accepts(end),
      'resend_accepted',
      'Called again after a lost request, the executor says accepted, and there is no effect.',
    )
  },
}

/** Whether the executor's word is one that counts as proof of no effect. */
function denies(end: ExecutorEnd): boolean {
  if (end.kind === 'threw') return end.error instanceof DefinitiveFailure || end.error instanceof NotSent
  return end.answer.status === 'stale_no_effect' || end.answer.status === 'failed_known'
}

function accepts(end: ExecutorEnd): boolean {
  return end.kind === 'answered' && end.answer.status === 'accepted'
}

/** What is missing where the world cannot set a fault. */
export function lacksFault(fault: unknown, name: string): string | null {
  return fault === undefined ? `The world cannot set the fault ${name}.` : null
}

/** What is done while nothing can be reached. */
export async function duringOutage<T>({ world }: Bench, act: () => Promise<T>): Promise<T> {
  await world.faults.outage?.()
  try {
    return await act()
  } finally {
    await world.heal()
  }
}

/** How the executor ended, and how many effects its command has by then. */
interface Executed {
  readonly end: ExecutorEnd
  readonly effects: number
}

/** One whole execution of a fresh command, with a fault if one is given, and the way to call it again with the same key. */
export async function executed(
  bench: Bench,
  fault?: () => Promise<void>,
): Promise<Executed & { readonly ready: Ready; readonly again: () => Promise<Executed> }> {
  const ready = await bench.fresh()
  const before = await bench.effects(ready)
  const resolution = await bench.resolve(ready)
  await fault?.()
  const call = async (attempt: number): Promise<Executed> => {
    const end = await bench.execute(ready, resolution, attempt)
    return { end, effects: (await bench.effects(ready)) - before }
  }
  return { ready, ...(await call(1)), again: async () => call(2) }
}
