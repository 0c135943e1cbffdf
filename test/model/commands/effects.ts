// Commands about effects: execute, reconcile, resume, settle, observe, and the business that others change.
import { fc } from '@fast-check/vitest'
import type { Person } from '../cast.ts'
import { nameOf } from '../effect-name.ts'
import type { CallScript, LookScript, ResolveScript, Word } from '../scripts.ts'
import { SMOOTH } from '../scripts.ts'
import { command, type DrawnCommand, oneOf, told, which } from './command.ts'

/** Everything that an executor may say. */
export const WORDS: readonly Word[] = [
  'accepted',
  'threw',
  'failed_known',
  'definitive',
  'failed_unknown',
  'not_sent',
  'not_sent_after_sending',
  'garbage',
]

/** How calls go. */
export const callScript: fc.Arbitrary<CallScript> = fc.oneof(
  { arbitrary: fc.constant(SMOOTH), weight: 4 },
  { arbitrary: fc.constant<CallScript>({ ...SMOOTH, says: 'threw' }), weight: 3 },
  { arbitrary: fc.constant<CallScript>({ ...SMOOTH, says: 'threw', landsAfterMs: null }), weight: 3 },
  {
    arbitrary: fc
      .constantFrom<Word>('failed_known', 'definitive', 'not_sent', 'not_sent_after_sending')
      .map((says) => ({ ...SMOOTH, says, landsAfterMs: null })),
    weight: 3,
  },
  {
    arbitrary: fc
      .constantFrom(10_000, 70_000, 200_000)
      .map((landsAfterMs) => ({ ...SMOOTH, says: 'threw' as const, landsAfterMs })),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      landsAfterMs: fc.constantFrom(0, 10_000, 45_000, 70_000, 200_000, null),
      says: fc.constantFrom(...WORDS),
      saysAfterMs: fc.constantFrom(0, 10_000, 20_000, 30_000, 60_000, 120_000, null),
      heedsSignal: fc.boolean(),
      isSentTwice: oneOf([false], [true]),
    }),
    weight: 4,
  },
)

/** How reads go. */
export const lookScript: fc.Arbitrary<LookScript> = fc.oneof(
  { arbitrary: fc.constant<LookScript>({ kind: 'provisional' }), weight: 4 },
  {
    arbitrary: fc
      .constantFrom('terminal', 'settled', 'fenced', 'cancelled', 'key_consumed')
      .map((proof): LookScript => ({ kind: 'final', proof })),
    weight: 8,
  },
  { arbitrary: fc.constant<LookScript>({ kind: 'terminal_failure' }), weight: 2 },
  {
    arbitrary: fc
      .constantFrom(
        'lagging',
        'unavailable',
        'threw',
        'hanging',
        'slow',
        'garbage',
        'foreign_identity',
        'fact_missing',
        'other_amount',
        'two_matches',
        'reversed',
        'predating',
        'false_completion',
        'false_terminal',
      )
      .map((kind): LookScript => ({ kind })),
    weight: 5,
  },
)

const resolveScript: fc.Arbitrary<ResolveScript> = oneOf<ResolveScript>(
  ['honest', 'honest', 'honest', 'overtaken'],
  ['threw', 'hanging', 'slow', 'reports_drift', 'offers_replacement', 'offers_nonsense'],
)

export const execute = command({
  name: 'execute',
  weight: 16,
  needsProposal: true,
  args: fc.record({
    which,
    by: oneOf<Person>(['rita', 'worker'], ['ruth', 'bot', 'fiona', 'sam']),
    call: callScript,
    resolve: resolveScript,
    look: lookScript,
    reconcile: oneOf([false], [true]),
  }),
  async perform(world, { which: index, by, call, resolve, look, reconcile }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    Object.assign(world.around.scripts, { call, resolve, look })
    return world.run('execute', async () =>
      told(await world.runtime.execute(world.session(by), held.proposal.ref, reconcile ? { reconcile } : {})),
    )
  },
  expect: (expected, args) => expected.execute(args),
  learn: (expected, args, outcome) => expected.executed(args, outcome),
})

export const reconcile = command({
  name: 'reconcile',
  weight: 14,
  needsProposal: true,
  args: fc.record({
    which,
    by: oneOf<Person>(['worker', 'oscar'], ['rita', 'fiona', 'sam']),
    isNow: fc.boolean(),
    look: lookScript,
    acknowledges: oneOf([true], [false]),
  }),
  async perform(world, { which: index, by, isNow, look, acknowledges }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    Object.assign(world.around.scripts, { look, acknowledges })
    return world.run('reconcile', async () =>
      told(await world.runtime.reconcile(world.session(by), held.proposal.ref, isNow ? { now: true } : {})),
    )
  },
  expect: (expected, args) => expected.reconcile(args),
})

export const resume = command({
  name: 'resume',
  weight: 4,
  needsProposal: true,
  args: fc.record({ which, by: oneOf<Person>(['oscar', 'otto'], ['rita', 'bot', 'sam']) }),
  async perform(world, { which: index, by }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    const input = { reason: 'asked_the_bank' }
    return world.run('resume', async () =>
      told(await world.runtime.resume(world.session(by), held.proposal.ref, input)),
    )
  },
})

export const settle = command({
  name: 'settle',
  weight: 5,
  needsProposal: true,
  args: fc.record({
    which,
    by: oneOf<Person>(['oscar', 'otto'], ['rita', 'fiona', 'bot', 'sam']),
    verdict: fc.constantFrom('occurred', 'did_not_occur', 'did_not_occur', 'closed_unknown'),
  }),
  async perform(world, { which: index, by, verdict }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    const input = { verdict, reason: 'statement_checked', evidenceReference: 'case-17' }
    return world.run('settle', async () =>
      told(await world.runtime.settle(world.session(by), held.proposal.ref, input)),
    )
  },
})

export const observe = command({
  name: 'observe',
  weight: 3,
  needsProposal: true,
  args: fc.record({
    which,
    by: oneOf<Person>(['gate'], ['worker', 'oscar', 'bot']),
    event: fc.constantFrom<string>('event-1', 'event-2'),
    isKnown: oneOf([true], [false]),
  }),
  async perform(world, { which: index, by, event, isKnown }) {
    const held = world.held(index)
    if (held === null) return 'nothing'
    const effect = world.book.effects.get(nameOf(held.proposal.effect))
    const idempotencyKey = (isKnown ? effect?.attempts.at(-1)?.idempotencyKey : undefined) ?? 'ik_of_nobody'
    return world.run('observe', async () => {
      return (await world.runtime.observe(world.session(by), { idempotencyKey, eventId: event })).outcome
    })
  },
})

const business = command({
  name: 'business',
  weight: 3,
  needsProposal: false,
  args: fc.constantFrom('version', 'version', 'note', 'gone', 'back'),
  async perform({ around: { business: order } }, change) {
    if (change === 'version') order.version += 1
    else if (change === 'note') order.note = `${order.note}, called`
    else order.isGone = change === 'gone'
    return 'done'
  },
})

export const effectCommands: readonly DrawnCommand[] = [execute, reconcile, resume, settle, observe, business]
