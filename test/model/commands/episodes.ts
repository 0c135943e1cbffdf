// Episodes: what follows a call in practice, several commands in a row that single draws would seldom find.
import { fc } from '@fast-check/vitest'
import type { ProofKind } from '../../../src/effect/effect.ts'
import type { Person } from '../cast.ts'
import { type CallScript, type LookScript, SMOOTH, type Word } from '../scripts.ts'
import { TAMPERINGS } from '../tampering.ts'
import { approveOne, authorise, prepare, withdraw } from './authority.ts'
import { type DrawnCommand, episode, type Step } from './command.ts'
import { callScript, execute, lookScript, observe, reconcile, resume, settle, WORDS } from './effects.ts'
import { advance, advanceTo, expireDue, jump } from './time.ts'
import { repair, restart, tamper } from './trouble.ts'

const newest = 0

/** A request for the first intent and the smaller amount. */
const REQUEST = { by: 'rita', intent: 0, amount: 0, action: 0, requestKey: null, replaces: null } as const

const proof: fc.Arbitrary<ProofKind> = fc.constantFrom('terminal', 'settled', 'cancelled', 'fenced')

/** Somebody asks for the effect, and everybody approves. */
export const authorised: fc.Arbitrary<readonly Step[]> = fc
  .record({
    by: fc.constantFrom<Person>('rita', 'rita', 'ruth', 'bot'),
    intent: fc.constantFrom(0, 0, 0, 1),
    amount: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
    action: fc.nat({ max: 1 }),
  })
  .map((fields) => [prepare.step({ ...REQUEST, ...fields }), authorise.step({ which: newest })])

export function executedWith(call: CallScript, look: LookScript): Step {
  return execute.step({ which: newest, by: 'worker', call, resolve: 'honest', look, reconcile: false })
}

/** Once nothing can land any more, the target is asked whether anything has; settled absences twice. */
export function lookedFor(look: LookScript): readonly Step[] {
  const reconciled = reconcile.step({ which: newest, by: 'oscar', isNow: true, look, acknowledges: true })
  const past = advanceTo.step({ which: newest, instant: 'boundary', offsetMs: 0 })
  const later = advanceTo.step({ which: newest, instant: 'after_read', offsetMs: 0 })
  return look.kind === 'final' && look.proof === 'settled' ? [past, reconciled, later, reconciled] : [past, reconciled]
}

const lost: CallScript = { ...SMOOTH, says: 'threw', landsAfterMs: null }

const callAgain = episode(
  'call again',
  6,
  fc.tuple(authorised, callScript, lookScript).map(([steps, call, look]) => [...steps, executedWith(call, look)]),
)

const lookUntilKnown = episode('look until known', 8, lookScript.map(lookedFor))

const sendAgain = episode(
  'send again',
  5,
  fc.tuple(proof, callScript).map(([kind, call]) => {
    const look: LookScript = { kind: 'final', proof: kind }
    return [...lookedFor(look), executedWith(call, look)]
  }),
)

const loseAndSendAgain = episode(
  'lose and send again',
  4,
  fc.tuple(authorised, proof, callScript).map(([steps, kind, call]) => {
    const look: LookScript = { kind: 'final', proof: kind }
    return [...steps, executedWith(lost, look), ...lookedFor(look), executedWith(call, look)]
  }),
)

/** The target is asked until nobody asks any more. */
function askedInVain(look: LookScript): readonly Step[] {
  const reconciled = reconcile.step({ which: newest, by: 'worker', isNow: false, look, acknowledges: true })
  const due = advanceTo.step({ which: newest, instant: 'due', offsetMs: 0 })
  const past = advanceTo.step({ which: newest, instant: 'boundary', offsetMs: 0 })
  return [past, reconciled, due, reconciled, due, reconciled]
}

const fruitless = fc.constantFrom<LookScript>({ kind: 'unavailable' }, { kind: 'provisional' })

const askInVain = episode('ask in vain', 3, fruitless.map(askedInVain))

const finalLook = fc.oneof(
  fc.constant<LookScript>({ kind: 'final', proof: 'terminal' }),
  proof.map((kind): LookScript => ({ kind: 'final', proof: kind })),
  lookScript,
)

/** Somebody who also operates approves by himself. */
const approvedByOtto = fc.constant<readonly Step[]>([
  prepare.step(REQUEST),
  approveOne.step({ which: newest, by: 'otto', isOther: false }),
])

/** A person says what became of it, and perhaps a second one says the same; then somebody asks for it again. */
const askPeople = episode(
  'ask people',
  5,
  fc
    .record({
      look: fruitless,
      operators: fc.constantFrom<readonly Person[]>(
        ['oscar'],
        ['oscar', 'otto'],
        ['oscar', 'oscar'],
        ['otto', 'oscar'],
      ),
      verdict: fc.constantFrom('did_not_occur', 'did_not_occur', 'occurred', 'closed_unknown'),
      again: fc.tuple(fc.oneof(authorised, approvedByOtto), callScript, finalLook),
    })
    .map(({ look, operators, verdict, again: [steps, call, seen] }) => [
      ...askedInVain(look),
      ...operators.map((by) => settle.step({ which: newest, by, verdict })),
      ...steps,
      executedWith(call, seen),
    ]),
)

/** The process dies during the call; another one looks into it once its lease is over. */
const dieDuringCall = episode(
  'die during a call',
  5,
  fc
    .tuple(authorised, fc.constantFrom(null, 0, 45_000, 70_000), lookScript, fc.boolean(), callScript)
    .map(([steps, landsAfterMs, look, acknowledges, call]) => [
      ...steps,
      executedWith({ ...SMOOTH, landsAfterMs, saysAfterMs: null, heedsSignal: false }, look),
      restart.step('crash'),
      advanceTo.step({ which: newest, instant: 'lease', offsetMs: 0 }),
      reconcile.step({ which: newest, by: 'worker', isNow: false, look, acknowledges }),
      ...lookedFor(look),
      executedWith(call, look),
    ]),
)

/** What was settled one way is announced and read the other way, and a person is asked. */
const contradict = episode(
  'contradict',
  4,
  fc
    .record({
      look: fc.constantFrom<LookScript>(
        { kind: 'false_terminal' },
        { kind: 'false_completion' },
        { kind: 'provisional' },
        { kind: 'other_amount' },
        { kind: 'two_matches' },
      ),
      isResumed: fc.boolean(),
      verdict: fc.constantFrom('did_not_occur', 'occurred', 'closed_unknown'),
    })
    .map(({ look, isResumed, verdict }) => [
      observe.step({ which: newest, by: 'gate', event: 'event-3', isKnown: true }),
      reconcile.step({ which: newest, by: 'worker', isNow: false, look, acknowledges: true }),
      ...(isResumed ? [resume.step({ which: newest, by: 'oscar' })] : []),
      ...(isResumed ? lookedFor({ kind: 'provisional' }) : []),
      settle.step({ which: newest, by: 'oscar', verdict }),
    ]),
)

/** Everything said that there was nothing, and then it lands all the same. */
const landAfterAll = episode(
  'land after all',
  3,
  fc.tuple(authorised, proof, callScript).map(([steps, kind, call]) => {
    const look: LookScript = { kind: 'final', proof: kind }
    return [
      ...steps,
      executedWith({ ...lost, landsAfterMs: 200_000 }, look),
      ...lookedFor(look),
      advance.step(120_000),
      executedWith(call, look),
      ...lookedFor({ kind: 'provisional' }),
    ]
  }),
)

/** A process that was thought dead comes back: its lease was over on a clock that jumped. */
const thoughtDead = episode(
  'thought dead',
  4,
  fc
    .record({
      steps: authorised,
      landsAfterMs: fc.constantFrom(null, 0, 10_000, 45_000),
      says: fc.constantFrom(...WORDS),
      saysAfterMs: fc.constantFrom(10_000, 30_000),
      look: lookScript,
      replaces: fc.boolean(),
    })
    .map(({ steps, landsAfterMs, says, saysAfterMs, look, replaces }) => [
      ...steps,
      executedWith({ landsAfterMs, says, saysAfterMs, heedsSignal: false, isSentTwice: false }, look),
      jump.step(60_000),
      // Who was there when it jumped does not believe it; who comes after it cannot know.
      ...(replaces ? [restart.step('left_alive')] : []),
      reconcile.step({ which: newest, by: 'worker', isNow: false, look, acknowledges: true }),
      ...lookedFor(look),
      advance.step(31_000),
    ]),
)

/** The rows of what was approved are edited, and everybody goes on; or the approvals of one are planted beside another. */
const editRows = episode(
  'edit rows',
  4,
  fc
    .record({ steps: authorised, tampering: fc.constantFrom(...TAMPERINGS), isPlanted: fc.boolean() })
    .map(({ steps, tampering, isPlanted }) => [
      ...steps,
      ...(isPlanted ? [prepare.step({ ...REQUEST, intent: 1 })] : []),
      tamper.step({ which: newest, tampering: isPlanted ? 'approvals_planted' : tampering }),
      executedWith(SMOOTH, { kind: 'provisional' }),
      approveOne.step({ which: newest, by: 'otto', isOther: false }),
      repair.step(null),
    ]),
)

/** A closed request is amended by somebody else, and whoever made it approves. */
const amend = episode(
  'amend',
  2,
  fc
    .constantFrom<Person>('ruth', 'felix')
    .map((by) => [
      prepare.step({ ...REQUEST, by: 'ruth' }),
      withdraw.step({ which: newest, by: 'ruth' }),
      prepare.step({ ...REQUEST, replaces: newest }),
      approveOne.step({ which: newest, by, isOther: false }),
      executedWith(SMOOTH, { kind: 'provisional' }),
    ]),
)

/** People approve what they have a part in, and somebody tries to execute it. */
const approveOwn = episode(
  'approve own',
  2,
  fc
    .constantFrom<readonly [Person, Person]>(['ruth', 'ruth'], ['bot', 'olga'], ['bot', 'fiona'], ['rita', 'ruth'])
    .map(([asks, approves]) => [
      prepare.step({ ...REQUEST, by: asks }),
      approveOne.step({ which: newest, by: approves, isOther: false }),
      executedWith(SMOOTH, { kind: 'provisional' }),
    ]),
)

/** The last moment of a proposal, and the first one that is too late. */
const lastMoment = episode(
  'last moment',
  2,
  fc
    .tuple(authorised, fc.constantFrom(-1, 0), fc.boolean())
    .map(([steps, offsetMs, isSwept]) => [
      ...steps,
      advanceTo.step({ which: newest, instant: 'expiry', offsetMs }),
      ...(isSwept ? [expireDue.step({ by: 'worker' })] : []),
      executedWith(SMOOTH, { kind: 'provisional' }),
    ]),
)

/** The effect is asked for again and again, and refused every time. */
const refusedAgain = episode(
  'refused again and again',
  2,
  fc
    .constantFrom<Word>('failed_known', 'definitive')
    .map((says) =>
      [1, 2, 3, 4].flatMap(() => [
        prepare.step(REQUEST),
        authorise.step({ which: newest }),
        executedWith({ ...lost, says }, { kind: 'provisional' }),
      ]),
    ),
)

/** The target has long forgotten the key when the effect is asked for again. */
const longAfter = episode(
  'long after',
  3,
  fc.tuple(proof, callScript).map(([kind, call]) => {
    const look: LookScript = { kind: 'final', proof: kind }
    const again = [prepare.step(REQUEST), authorise.step({ which: newest })]
    return [
      ...again,
      executedWith(lost, look),
      ...lookedFor(look),
      advance.step(600_000),
      advance.step(600_000),
      ...again,
      executedWith(call, look),
    ]
  }),
)

/** Somebody else writes between the resolution and the call. */
const loseFinalRace = episode(
  'lose the final race',
  2,
  authorised.map((steps) => [
    ...steps,
    execute.step({
      which: newest,
      by: 'rita',
      call: SMOOTH,
      resolve: 'overtaken',
      look: { kind: 'provisional' },
      reconcile: false,
    }),
  ]),
)

/** Approvals run out, somebody notices, and the clock is set back. */
const setBack = episode(
  'clock set back',
  2,
  fc
    .tuple(authorised, callScript)
    .map(([steps, call]) => [
      ...steps,
      advanceTo.step({ which: newest, instant: 'approval_expiry', offsetMs: 0 }),
      executedWith(call, { kind: 'provisional' }),
      jump.step(-60_000),
      executedWith(call, { kind: 'provisional' }),
    ]),
)

export const episodes: readonly DrawnCommand[] = [
  callAgain,
  lookUntilKnown,
  sendAgain,
  loseAndSendAgain,
  askInVain,
  askPeople,
  dieDuringCall,
  thoughtDead,
  contradict,
  landAfterAll,
  loseFinalRace,
  editRows,
  approveOwn,
  lastMoment,
  refusedAgain,
  longAfter,
  amend,
  setBack,
]
