// Clauses about what a verifier says: what it finds, what it does not find, and what it cannot know.
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import type { IdempotencyKey } from '../../effect/effect-key.ts'
import { valueAt } from '../../effect/json-pointer.ts'
import { type Clause, ClauseFailure, demand } from '../clause.ts'
import type { Bench, Ready, VerifierEnd } from './bench.ts'
import { duringOutage, executed, lacksFault } from './executing-clauses.ts'
import { writesDuring } from './preparing-clauses.ts'

/** What `verify` answers, held against what stands at the target. */
export const verifyClauses: readonly Clause<Bench>[] = [
  {
    clause: 'verify.polarity',
    rule: 'Before anything was sent nothing is reported as done or as refused.',
    restsOn: ['resolve.still'],
    async run(bench) {
      const ready = await bench.fresh()
      const end = await bench.verify(ready)
      demand(!isFound(end), 'nothing_called_done', 'Nothing was sent, and the verifier reports it as done.')
      const status = statusOf(end)
      demand(status !== 'verified_terminal_failure', 'failure_invented', 'Nothing was sent, and a refusal is reported.')
    },
  },
  {
    clause: 'verify.absence',
    rule: 'A key that was never sent is no final absence, and an absence names every key that was asked for.',
    restsOn: ['verify.polarity'],
    async run(bench) {
      const ready = await bench.fresh()
      const keys = [ready.key, bench.unsentKey(ready)]
      const end = await bench.verify(ready, keys)
      if (end.kind === 'unavailable') return
      demandNoFinalAbsence(
        bench,
        end,
        'absence_called_final',
        'A key that was never sent is reported as finally absent.',
      )
      const { identity } = end.answer
      const isEchoed = typeof identity !== 'string' && keys.every((key) => identity.includes(key))
      demand(isEchoed, 'absence_not_echoed', 'An absence does not name every key that was asked for.')
    },
  },
  {
    clause: 'verify.fresh',
    rule: 'An effect that has just happened is found.',
    restsOn: ['execute.effect'],
    async run(bench) {
      const { ready } = await executed(bench)
      const found = foundIn(
        await bench.verify(ready),
        'fresh_effect_not_found',
        'The effect happened, and is not found.',
      )
      demand(
        'matches' in found && found.matches !== undefined,
        'matches_missing',
        'The verifier does not say how many it found.',
      )
    },
  },
  {
    clause: 'verify.identity',
    rule: 'A found effect is echoed by the key that it carries.',
    restsOn: ['verify.fresh'],
    async run(bench) {
      const { ready } = await executed(bench)
      const { identity } = foundIn(await bench.verify(ready), 'fresh_effect_not_found', 'The effect is not found.')
      demand(identity === ready.key, 'identity_not_echoed', 'The found effect is not echoed by its own key.')
    },
  },
  {
    clause: 'verify.facts',
    rule: 'Every declared fact is returned as it stands at the target, equal to what was approved.',
    restsOn: ['verify.fresh'],
    async run(bench) {
      const { ready } = await executed(bench)
      const { facts } = foundIn(await bench.verify(ready), 'fresh_effect_not_found', 'The effect is not found.')
      const missing = bench.definition.facts.filter((path) => Reflect.get(facts, path) === undefined)
      demand(missing.length === 0, 'fact_missing', `The verifier does not return ${missing.join(', ')}.`)
      const { action } = bench.definition
      const approved = approvedFacts(bench, ready)
      const agrees = action.compareFacts?.(approved, facts) ?? textOf(approved) === textOf(facts)
      const differing = bench.definition.facts.filter(
        (path) => textOf(approved[path]) !== textOf(Reflect.get(facts, path)),
      )
      demand(agrees, 'fact_differs', `What was approved and what is found differ: ${differing.join(', ')}.`)
    },
  },
  {
    clause: 'verify.facts_of_target',
    rule: 'Facts are read from the target: where the effect is another one, they say so, and so does compareFacts.',
    restsOn: ['verify.facts'],
    lacks: ({ world }) => (world.alter === undefined ? 'The world cannot alter an effect.' : null),
    async run(bench) {
      const { ready } = await executed(bench)
      const before = foundIn(await bench.verify(ready), 'fresh_effect_not_found', 'The effect is not found.')
      await bench.world.alter?.(ready.command, ready.key)
      const end = await bench.verify(ready)
      if (!isFound(end)) return
      const after = foundIn(end, 'fresh_effect_not_found', 'The effect is not found.')
      const differ = textOf(before.facts) !== textOf(after.facts)
      demand(differ, 'facts_not_of_target', 'The effect was altered at the target, and the same facts are reported.')
      const agrees = bench.definition.action.compareFacts?.(approvedFacts(bench, ready), after.facts) ?? false
      demand(!agrees, 'facts_not_compared', 'The effect was altered at the target, and compareFacts calls it equal.')
    },
  },
  {
    clause: 'verify.exact_identity',
    rule: 'An effect is found by its exact key, and by no other one.',
    restsOn: ['verify.fresh', 'verify.polarity'],
    async run(bench) {
      const { ready } = await executed(bench)
      // Its neighbour, its beginning, and one that begins with it: whoever compares less than the whole finds one of them.
      const likeIt = [ready.key.slice(0, -1) as IdempotencyKey, `${ready.key}0` as IdempotencyKey]
      for (const other of [bench.unsentKey(ready), ...likeIt]) {
        const end = await bench.verify(ready, [other])
        demand(!isFound(end), 'foreign_effect_claimed', 'The effect of one key is reported as that of another.')
      }
    },
  },
  {
    clause: 'verify.every_key',
    rule: 'An effect is found whichever of the keys carries it, and echoed by that one.',
    restsOn: ['verify.identity', 'verify.exact_identity'],
    async run(bench) {
      const { ready } = await executed(bench)
      const unsent = bench.unsentKey(ready)
      for (const keys of [
        [unsent, ready.key],
        [ready.key, unsent],
      ]) {
        const end = await bench.verify(ready, keys)
        const { identity } = foundIn(end, 'key_left_out', 'The effect carries one of two keys, and is not found.')
        demand(
          identity === ready.key,
          'other_key_echoed',
          'The found effect is echoed by a key that it does not carry.',
        )
      }
    },
  },
  {
    clause: 'verify.two_as_two',
    rule: 'Two effects under one key are reported as two.',
    restsOn: ['verify.fresh'],
    lacks: ({ world }) => (world.duplicate === undefined ? 'The world cannot double an effect.' : null),
    async run(bench) {
      const { ready } = await executed(bench)
      await bench.world.duplicate?.(ready.command, ready.key)
      const found = foundIn(await bench.verify(ready), 'double_hidden', 'The effect stands twice, and is not found.')
      demand(found.matches >= 2, 'double_reported_as_one', `The effect stands twice, and ${found.matches} is reported.`)
    },
  },
  {
    clause: 'verify.lag',
    rule: 'A look-up that lags behind the books is no final absence.',
    restsOn: ['verify.fresh', 'verify.absence'],
    lacks: ({ world }) => lacksFault(world.faults.lagging_reads, 'lagging_reads'),
    async run(bench) {
      const { ready } = await executed(bench)
      await bench.world.faults.lagging_reads?.()
      const end = await bench.verify(ready)
      demandNoFinalAbsence(bench, end, 'lag_called_final', 'A look-up that lags is reported as final absence.')
    },
  },
  {
    clause: 'verify.truncated',
    rule: 'An answer that is cut off is no absence.',
    restsOn: ['verify.fresh'],
    lacks: ({ world }) => lacksFault(world.faults.truncated, 'truncated'),
    async run(bench) {
      const { ready } = await executed(bench)
      await bench.world.faults.truncated?.()
      const end = await bench.verify(ready)
      demand(!isAbsence(end), 'truncated_called_absence', 'An answer that was cut off is reported as absence.')
    },
  },
  {
    clause: 'verify.outage',
    rule: 'A target that cannot be reached is unavailable, which is no absence.',
    restsOn: ['verify.fresh'],
    lacks: ({ world }) => lacksFault(world.faults.outage, 'outage'),
    async run(bench) {
      const { ready } = await executed(bench)
      const end = await duringOutage(bench, async () => bench.verify(ready))
      demand(!isAbsence(end), 'outage_called_absence', 'A target that cannot be reached is reported as absence.')
    },
  },
  {
    clause: 'verify.reads_only',
    rule: 'verify writes nothing at the target.',
    restsOn: ['verify.fresh'],
    async run(bench) {
      const { ready } = await executed(bench)
      const written = await writesDuring(bench, async () => {
        await bench.verify(ready)
        await bench.verify(ready, [bench.unsentKey(ready)])
      })
      demand(written === 0, 'verify_writes', `verify made ${written} requests to write at the target.`)
    },
  },
]

/** Only for an action whose effect is that something is gone. */
export const removalClause: Clause<Bench> = {
  clause: 'verify.foreign_removal',
  rule: 'What somebody else removed is not reported as removed by us.',
  restsOn: ['verify.polarity'],
  lacks: ({ world }) => (world.removeElsewhere === undefined ? 'The world lets nobody else remove anything.' : null),
  async run(bench) {
    const ready = await bench.fresh()
    await bench.world.removeElsewhere?.(ready.command)
    const end = await bench.verify(ready)
    demand(
      !isFound(end),
      'foreign_removal_claimed',
      'Somebody else removed the thing, and it is reported as our effect.',
    )
  },
}

/** What was approved, by the paths of the declared facts. */
function approvedFacts({ definition }: Bench, { snapshot }: Ready): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(definition.facts.map((path) => [path, valueAt(snapshot, path) ?? null]))
}

function demandNoFinalAbsence(bench: Bench, end: VerifierEnd, code: string, sentence: string): void {
  if (end.kind === 'unavailable' || end.answer.status !== 'authoritative_final_absence') return
  // Proof `settled` says only that enough time has passed, which the runtime judges by itself (rules R6).
  const isForTheRuntime = end.answer.proof === 'settled' && bench.definition.acceptProof.failure.includes('settled')
  demand(isForTheRuntime, code, sentence)
}

type Answer = Extract<VerifierEnd, { kind: 'answered' }>['answer']
type FoundAnswer = Extract<Answer, { status: 'verified_completion' | 'reversed_after_completion' }>

function foundIn(end: VerifierEnd, code: string, sentence: string): FoundAnswer {
  if (end.kind === 'answered' && isFoundAnswer(end.answer)) return end.answer
  throw new ClauseFailure(code, `${sentence.slice(0, -1)}: ${statusOf(end)}.`)
}

function isFound(end: VerifierEnd): boolean {
  return end.kind === 'answered' && isFoundAnswer(end.answer)
}

function isFoundAnswer(answer: Answer): answer is FoundAnswer {
  return answer.status === 'verified_completion' || answer.status === 'reversed_after_completion'
}

function isAbsence(end: VerifierEnd): boolean {
  const status = statusOf(end)
  return status === 'provisional_absence' || status === 'authoritative_final_absence'
}

function statusOf(end: VerifierEnd): string {
  return end.kind === 'unavailable' ? 'target_unavailable' : end.answer.status
}

function textOf(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value, { numbers: 'integers' })
}
