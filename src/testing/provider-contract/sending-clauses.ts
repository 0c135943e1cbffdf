// Clauses about sending: one key is one effect, whatever is lost, repeated or raced, and no answer denies what has happened.
import { demand } from '../clause.ts'
import type { SendFault } from './provider-adapter.ts'
import { denies, lacksSendFault, type ProviderBench, type ProviderClause } from './provider-bench.ts'

const CALLS_AT_ONCE = 16
const AMBIGUOUS: readonly SendFault[] = [
  'status_409_after',
  'status_425_after',
  'status_429_after',
  'status_500_after',
  'status_503_after',
  'tls_close_after',
]

/** Of `send`, and of what is declared about keys. Spec: harness 4b. */
export const sendingClauses: readonly ProviderClause[] = [
  {
    clause: 'declares',
    rule: 'The life span of a key and the settle time are declared as whole milliseconds.',
    async run({ adapter }) {
      const { keyLifetimeMs, settleMs } = adapter.declares
      const isDeclared =
        [keyLifetimeMs, settleMs].every((ms) => Number.isSafeInteger(ms) && ms >= 0) && keyLifetimeMs > 0
      demand(isDeclared, 'not_declared', 'The life span of a key or the settle time is not declared as milliseconds.')
    },
  },
  {
    clause: 'send.effect',
    rule: 'A request that can be done is accepted and has one effect with the id that was answered.',
    restsOn: ['declares'],
    async run(bench) {
      const call = await bench.accepted()
      const ids = await bench.double.effects(call.key)
      demand(
        ids.length === 1,
        'accepted_without_effect',
        `An accepted request has ${ids.length} effects under its key.`,
      )
      demand(ids[0] === call.id, 'other_id_answered', 'The id that was answered is not that of the effect.')
    },
  },
  {
    clause: 'send.same_key',
    rule: 'The same key and body twice is one effect and the same id.',
    restsOn: ['send.effect'],
    async run(bench) {
      const call = await bench.accepted()
      const again = await bench.adapter.send(call)
      const effects = await bench.effects(call)
      demand(effects === 1, 'same_key_doubled', `The same key and body twice made ${effects} effects.`)
      const isSame = again.kind === 'accepted' && again.id === call.id
      demand(isSame, 'replay_differs', 'The same key and body is not answered with the same id.')
    },
  },
  {
    clause: 'send.other_body',
    rule: 'The same key with another body is not accepted.',
    restsOn: ['send.same_key'],
    async run(bench) {
      const call = await bench.accepted()
      const other = await bench.adapter.send({ ...call, body: bench.double.otherBody() })
      const effects = await bench.effects(call)
      demand(effects === 1, 'other_body_doubled', `The same key with another body made ${effects} effects.`)
      demand(
        other.kind !== 'accepted',
        'other_body_accepted',
        'The same key with another body is answered as accepted.',
      )
    },
  },
  {
    clause: 'send.at_once',
    rule: `${CALLS_AT_ONCE} calls at once under one key are one effect.`,
    restsOn: ['send.same_key'],
    async run(bench) {
      const call = bench.fresh()
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, async () => bench.adapter.send(call)))
      const effects = await bench.effects(call)
      demand(effects === 1, 'raced', `${CALLS_AT_ONCE} calls at once under one key made ${effects} effects.`)
    },
  },
  {
    clause: 'send.after_failure',
    rule: 'After a request that was lost before its effect, what the replay answers is true.',
    restsOn: ['send.same_key'],
    lacks: lacksSendFault('drop_before_commit'),
    async run(bench) {
      const call = bench.fresh()
      await bench.double.sendFaults.drop_before_commit?.()
      await bench.adapter.send(call)
      const replay = await bench.adapter.send(call)
      const effects = await bench.effects(call)
      demand(effects <= 1, 'failure_doubled', `A replay after a lost request made ${effects} effects.`)
      const isTrue = effects === 1 ? !denies(replay) : replay.kind !== 'accepted'
      demand(
        isTrue,
        'replay_untrue',
        `A replay after a lost request says ${replay.kind}, and there are ${effects} effects.`,
      )
    },
  },
  {
    clause: 'send.lost_answer',
    rule: 'An answer that was lost after the effect is not denied, and a replay makes no second one.',
    restsOn: ['send.same_key'],
    lacks: lacksSendFault('reset_after_send'),
    async run(bench) {
      const call = bench.fresh()
      await bench.double.sendFaults.reset_after_send?.()
      const first = await bench.adapter.send(call)
      demand(
        !denies(first),
        'lost_answer_denied',
        `The answer was lost after the effect, and the adapter says ${first.kind}.`,
      )
      await bench.adapter.send(call)
      const effects = await bench.effects(call)
      demand(effects === 1, 'lost_answer_doubled', `A replay after a lost answer makes it ${effects} effects.`)
    },
  },
  {
    clause: 'send.within_lifetime',
    rule: 'Until the end of the declared life span a replay makes no second effect.',
    restsOn: ['send.same_key'],
    async run(bench) {
      const call = await bench.accepted()
      await bench.double.advance(bench.adapter.declares.keyLifetimeMs - 1)
      await bench.adapter.send(call)
      const effects = await bench.effects(call)
      demand(
        effects === 1,
        'key_lifetime_overstated',
        `A replay inside the declared life span makes it ${effects} effects.`,
      )
    },
  },
  scope('account', 'perAccount', ({ double }) => double.accounts),
  scope('endpoint', 'perEndpoint', ({ double }) => double.endpoints),
  {
    clause: 'send.one_key_on_the_wire',
    rule: 'Everything that one call writes carries its key, also what the adapter repeats by itself.',
    restsOn: ['send.effect'],
    lacks: lacksSendFault('drop_before_commit'),
    async run(bench) {
      const call = bench.fresh()
      const before = (await bench.double.wire()).length
      await bench.double.sendFaults.drop_before_commit?.()
      await bench.adapter.send(call)
      const written = (await bench.double.wire()).slice(before).filter(({ writes }) => writes)
      const others = written.filter(({ key }) => key !== call.key).length
      demand(
        others === 0,
        'key_changed_on_retry',
        `${others} of ${written.length} requests of one call had another key.`,
      )
    },
  },
  {
    clause: 'send.accepted',
    rule: 'Whatever was lost, accepted is said of an effect that stands, and with its id.',
    restsOn: ['send.after_failure', 'send.lost_answer', 'send.one_key_on_the_wire'],
    async run(bench) {
      for (const fault of ['drop_before_commit', 'reset_after_send'] as const) {
        const call = bench.fresh()
        await bench.double.sendFaults[fault]?.()
        const sent = await bench.adapter.send(call)
        const ids = await bench.double.effects(call.key)
        if (sent.kind !== 'accepted') continue
        demand(ids.length > 0, 'lost_request_accepted', 'The request was lost, and the adapter says accepted.')
        demand(
          ids.includes(sent.id),
          'id_made_up',
          'The answer was lost, and the adapter has an id that no effect has.',
        )
      }
    },
  },
  {
    clause: 'errors.ambiguous',
    rule: 'Answers that may come after the effect are proof of nothing: 409, 425, 429, 5xx, a connection closed.',
    restsOn: ['send.lost_answer'],
    lacks: ({ double }) => {
      const missing = AMBIGUOUS.filter((fault) => double.sendFaults[fault] === undefined)
      return missing.length === 0 ? null : `The double cannot set the faults ${missing.join(', ')}.`
    },
    async run(bench) {
      for (const fault of AMBIGUOUS) {
        const call = bench.fresh()
        await bench.double.sendFaults[fault]?.()
        const sent = await bench.adapter.send(call)
        const effects = await bench.effects(call)
        demand(effects <= 1, 'retry_doubled', `After ${fault} one call of the adapter had made ${effects} effects.`)
        const isTrue = effects === 0 || !denies(sent)
        demand(
          isTrue,
          'ambiguous_called_definite',
          `After ${fault} the effect stands, and the adapter says ${sent.kind}.`,
        )
      }
    },
  },
  {
    clause: 'errors.refusal',
    rule: 'An explicit refusal is told as one.',
    restsOn: ['send.effect'],
    lacks: lacksSendFault('refused'),
    async run(bench) {
      const call = bench.fresh()
      await bench.double.sendFaults.refused?.()
      const sent = await bench.adapter.send(call)
      demand(sent.kind === 'refused', 'refusal_not_told', `An explicit refusal is told as ${sent.kind}.`)
    },
  },
  {
    clause: 'errors.never_sent',
    rule: 'A request that never left is told as that, or as refused.',
    restsOn: ['send.effect'],
    lacks: lacksSendFault('connect_refused'),
    async run(bench) {
      const call = bench.fresh()
      await bench.double.sendFaults.connect_refused?.()
      const sent = await bench.adapter.send(call)
      await bench.double.restore()
      demand(denies(sent), 'never_sent_not_told', `A request that never left is told as ${sent.kind}.`)
    },
  },
]

/** Whether a key is another one elsewhere is as declared. */
function scope(
  where: 'account' | 'endpoint',
  declared: 'perAccount' | 'perEndpoint',
  places: (bench: ProviderBench) => readonly string[],
): ProviderClause {
  return {
    clause: `send.scope_${where}`,
    rule: `Whether a key is another one in another ${where} is as declared.`,
    restsOn: ['send.same_key'],
    lacks: (bench) => (places(bench).length < 2 ? `The double has one ${where}.` : null),
    async run(bench) {
      const call = bench.fresh()
      for (const place of places(bench).slice(0, 2)) await bench.adapter.send({ ...call, [where]: place })
      const effects = await bench.effects(call)
      const expected = bench.adapter.declares.keyScope[declared] ? 2 : 1
      const told = `One key in two ${where}s makes ${effects} effects, and ${expected} are declared.`
      demand(effects === expected, `${where}_scope_misdeclared`, told)
    },
  }
}
