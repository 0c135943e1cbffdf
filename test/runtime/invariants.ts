// Invariants I1 to I18: check functions over what a store holds and what the host was asked; each answers what is broken.
import { canonicalJson, parseCanonicalJson } from '../../src/effect/canonical-json.ts'
import { denialsOf } from '../../src/effect/denial.ts'
import type { Attempt, Effect, Observation } from '../../src/effect/effect.ts'
import { evidenceOf } from '../../src/effect/effect-evidence.ts'
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import { nextGeneration } from '../../src/effect/generation.ts'
import { isFinalAbsence, settlingBoundary } from '../../src/effect/settling-boundary.ts'
import type { Definition } from '../../src/proposal/definition/definition.ts'
import { driftPaths } from '../../src/proposal/content/drift.ts'
import { evaluatePolicy } from '../../src/proposal/policy/evaluate-policy.ts'
import { principalName } from '../../src/proposal/principal.ts'
import type { Receipt } from '../../src/proposal/receipts/receipt.ts'
import { closedBy } from '../../src/proposal/claim/resend.ts'
import { isInDoubt, isSettled, mayMove } from '../../src/proposal/status.ts'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import type { ExecutorCalled, ResolverCalled, VerifierCalled } from './call-log.ts'

/** What a world has come to. */
export interface Dump {
  readonly proposals: readonly LiveProposal[]
  readonly effects: readonly Effect[]
  /** The chain of each proposal, by its reference. */
  readonly receipts: ReadonlyMap<string, readonly Receipt[]>
  readonly executed: readonly ExecutorCalled[]
  readonly verified: readonly VerifierCalled[]
  readonly resolved: readonly ResolverCalled[]
  /** The committed snapshot of each proposal, as far as it can be opened. */
  readonly snapshots: ReadonlyMap<string, string>
  /** Every definition that took part, by its type and digest. */
  readonly definitions: readonly Definition[]
  /** How often the target booked each idempotency key. */
  readonly booked: ReadonlyMap<string, number>
}

/** An invariant: every sentence that it answers is a fault. */
export type Invariant = (dump: Dump) => readonly string[]

/** One owner, one proposal in doubt, one verified. */
const I1: Invariant = ({ effects, proposals }) =>
  effects.flatMap((effect) => {
    const mine = proposals.filter(({ proposal }) => isOf(proposal.effect, effect))
    const inDoubt = mine.filter(({ proposal }) => isInDoubt(proposal.status))
    const verified = mine.filter(({ proposal }) => proposal.status === 'verified')
    const owners = effect.attempts.map(({ proposal }) => proposal)
    return [
      ...when(inDoubt.length > 1, 'two proposals of one effect are in doubt'),
      ...when(verified.length > 1 && effect.settlement === null, 'two proposals of one effect are verified'),
      ...when(effect.owner !== owners.at(-1), 'the owner is not who made the last attempt'),
      ...when(
        inDoubt.some(({ proposal }) => proposal.ref !== effect.owner),
        'a proposal in doubt does not own its effect',
      ),
    ]
  })

/** At the call an attempt of just this proposal was durable, and its approvals met the policy. */
const I2: Invariant = ({ executed }) =>
  executed.flatMap((call) => {
    const { stored, at } = call
    if (stored === null) return ['an executor was called for no stored proposal']
    const { proposal, approvals } = stored
    const { met, needed } = evaluatePolicy(proposal.policy, approvals, { now: at, commitment: proposal.commitment })
    const excluded = new Set(proposal.policy.excluded.map(({ principal }) => principal))
    return [
      ...when(!met, 'an executor was called while the policy was not met'),
      ...when(
        needed.some(({ approver }) => excluded.has(principalName(approver)) || approver.kind === 'agent'),
        'somebody who is excluded was counted',
      ),
      ...when(
        approvals.some(({ decision }) => decision === 'reject'),
        'an executor was called for a rejected proposal',
      ),
      ...when(at >= proposal.expiresAt, 'an executor was called for an expired proposal'),
    ]
  })

/** Write-ahead: the open attempt that the call names was durable before it. */
const I3: Invariant = ({ executed }) =>
  executed.flatMap(({ input, effect, stored }) => {
    const attempt = effect?.attempts.at(-1)
    const isAdmitted =
      attempt !== undefined &&
      attempt.ending === null &&
      attempt.number === input.attempt &&
      attempt.proposal === input.context.proposal &&
      attempt.epoch === input.epoch &&
      attempt.idempotencyKey === input.idempotencyKey &&
      attempt.precondition === input.precondition
    return [
      ...when(!isAdmitted, 'an executor was called without its durable attempt'),
      ...when(stored?.proposal.status !== 'executing', 'an executor was called for a proposal that was not admitted'),
    ]
  })

/** One call for each attempt, over all processes. */
const I4: Invariant = ({ executed }) => {
  const seen = executed.map(({ input }) => `${input.semanticEffectReference} ${input.context.tenant} ${input.attempt}`)
  return when(new Set(seen).size < seen.length, 'one attempt was called twice')
}

/** A further call only after the whole effect was proven to have had no effect, under the same identity. */
const I5: Invariant = (dump) =>
  dump.executed.flatMap((call) => {
    const { effect } = call
    if (effect === null || effect.attempts.length < 2) return []
    const attempt = effect.attempts.at(-1)
    const earlier = { ...effect, attempts: effect.attempts.slice(0, -1) }
    const { status, conflict } = evidenceOf(earlier)
    const generation = nextGeneration(earlier.attempts, earlier.observations)
    const looked = earlier.observations.findLast(({ source }) => source === 'verifier')
    return [
      ...when(status !== 'FAILED' || conflict, 'an executor was called again for an effect that was not FAILED'),
      ...when(attempt?.generation !== generation, 'the generation is not the one that follows'),
      ...when(
        attempt?.idempotencyKey !== idempotencyKey(effect.key, generation),
        'the identity of a further attempt differs',
      ),
      ...when(looked?.covers.to !== earlier.attempts.length, 'nobody looked again before a further attempt'),
      ...when(
        closedBy(earlier) === 'evidence' && !isProven(dump, call, earlier, looked),
        'a further attempt rests on no absence that allows a resend',
      ),
    ]
  })

/** The target's own count: no more effects than calls, and one call more than there are proven absences. */
const I6: Invariant = ({ effects, executed, booked }) =>
  effects.flatMap((effect) => {
    const keys = new Set(effect.attempts.map((attempt) => attempt.idempotencyKey))
    const calls = executed.filter(({ input }) => keys.has(input.idempotencyKey)).length
    const bookings = [...keys].reduce((sum, key) => sum + (booked.get(key) ?? 0), 0)
    const closed = effect.attempts.filter((attempt) => isDenied(effect, attempt)).length
    return [
      ...when(bookings > calls, 'more was booked than was called'),
      ...when(calls > 1 + closed, 'there were more calls than proven absences allow'),
    ]
  })

/** The precondition is that of a resolution after the last counted approval, and it found no material difference. */
const I7: Invariant = (dump) =>
  dump.executed.flatMap(({ input, stored }) => {
    if (stored === null) return []
    const { proposal, approvals } = stored
    const { needed } = evaluatePolicy(proposal.policy, approvals, {
      now: stored.proposal.updatedAt,
      commitment: proposal.commitment,
    })
    const decidedAt = Math.max(...needed.map((approval) => approval.decidedAt), proposal.createdAt)
    const definition = dump.definitions.find(({ digest }) => digest === proposal.definitionDigest)
    const snapshot = dump.snapshots.get(proposal.ref)
    const resolutions = dump.resolved.filter(
      ({ input: { context }, beganAt, answer }) =>
        context.proposal === proposal.ref && beganAt >= decidedAt && answer?.precondition === input.precondition,
    )
    const isSame = resolutions.some(({ answer }) => {
      if (answer?.current === null || answer?.current === undefined || answer.materiallyDrifted === true) return false
      if (definition === undefined || snapshot === undefined) return true
      return driftPaths(parseCanonicalJson(snapshot), answer.current, definition.materiality).length === 0
    })
    return when(!isSame, 'an executor was called on another state than the one resolved since the last approval')
  })

/** The executor gets what was committed to. */
const I8: Invariant = ({ executed, snapshots }) =>
  executed.flatMap(({ input }) => {
    const committed = snapshots.get(input.context.proposal)
    const given = canonicalJson(input.snapshot, { numbers: 'integers' })
    return when(
      committed !== undefined && committed !== given,
      'an executor was given something else than was approved',
    )
  })

/** No call begins with less of its lease left than it may take. */
const I9: Invariant = ({ executed, definitions }) =>
  executed.flatMap(({ effect, stored, at }) => {
    const attempt = effect?.attempts.at(-1)
    const definition = definitions.find(({ digest }) => digest === stored?.proposal.definitionDigest)
    if (attempt === undefined || definition === undefined) return []
    return when(at + definition.executeTimeoutMs > attempt.leaseUntil, 'a call began with too little of its lease left')
  })

/** FAILED and CONFIRMED come from where they may come from, and from nowhere else. */
const I10: Invariant = ({ effects }) =>
  effects.flatMap(({ attempts, observations }) => [
    ...attempts.flatMap(({ ending }) => {
      if (ending === null || ending.evidence === 'UNKNOWN') return []
      const isWord = ending.kind === 'failed_known' || ending.kind === 'stale_no_effect' || ending.kind === 'not_sent'
      return when(ending.evidence !== 'FAILED' || !isWord, `an attempt that ended ${ending.kind} was decided by that`)
    }),
    ...observations.flatMap((observation) => {
      if (observation.verdict === 'UNKNOWN') return []
      const isPositive = observation.verdict === 'CONFIRMED'
      const answers = isPositive
        ? ['verified_completion', 'reversed_after_completion']
        : ['verified_terminal_failure', 'authoritative_final_absence']
      return [
        ...when(observation.source !== 'verifier', `a ${observation.source} decided`),
        ...when(!answers.includes(observation.answer), `${observation.answer} decided`),
        ...when(isPositive && observation.matches !== 1, 'more or less than one match was a confirmation'),
        ...when(!isPositive && observation.proof === null, 'a failure was seen without proof'),
      ]
    }),
  ])

/** A call that threw or was aborted leaves a row that says so, and decides nothing unless it was a typed word. */
const I11: Invariant = ({ executed, effects }) =>
  executed.flatMap(({ input, ended }) => {
    const attempt = effects
      .find(({ key }) => key.reference === input.semanticEffectReference && key.tenant === input.context.tenant)
      ?.attempts.find(({ number }) => number === input.attempt)
    if (attempt === undefined) return ['a call left no attempt']
    const kind = attempt.ending?.kind
    return [
      ...when(ended === 'threw' && kind === 'accepted', 'a call that threw was accepted'),
      ...when(ended === 'threw' && kind === 'stale_no_effect', 'a call that threw was stale_no_effect'),
    ]
  })

/** The time of a proposal never goes back, and what is closed by time or decision stays closed. */
const I12: Invariant = ({ receipts }) =>
  [...receipts.values()].flatMap((chain) => {
    const bodies = chain.flatMap(({ body }) => (body === null ? [] : [body]))
    const closed = bodies.findIndex(({ status }) => FINAL.has(status))
    return [
      ...when(
        bodies.some(({ at }, index) => at < (bodies[index - 1]?.at ?? 0)),
        'the time of receipts went back',
      ),
      ...when(
        closed >= 0 && bodies.slice(closed).some(({ status }) => status !== bodies[closed]?.status),
        'a closed proposal came alive again',
      ),
    ]
  })

const FINAL: ReadonlySet<string> = new Set(['rejected', 'withdrawn', 'expired', 'stale', 'superseded'])

/** Every revision has exactly one receipt, in order, and the last one names what is stored. */
const I13: Invariant = ({ proposals, receipts }) =>
  proposals.flatMap(({ proposal, lastHash }) => {
    const chain = receipts.get(proposal.ref) ?? []
    const last = chain.at(-1)
    return [
      ...when(chain.length !== proposal.revision + 1, 'a revision has no receipt, or a receipt no revision'),
      ...when(
        chain.some(({ sequence }, index) => sequence !== index + 1),
        'receipts have a gap',
      ),
      ...when(last?.hash !== lastHash || last.body?.status !== proposal.status, 'the last receipt is another one'),
    ]
  })

/** A contradiction asks for a person. */
const I14: Invariant = ({ effects, proposals }) =>
  effects.flatMap((effect) => {
    if (!evidenceOf(effect).conflict) return []
    const owner = proposals.find(({ proposal }) => proposal.ref === effect.owner)?.proposal
    const isAsked =
      owner === undefined ||
      owner.status === 'verification_unresolved' ||
      owner.attention.includes('conflicting_evidence')
    return when(!isAsked, 'evidence contradicts itself and nobody is asked')
  })

/** A late word decides nothing and moves nothing by itself. */
const I15: Invariant = ({ effects, receipts }) => [
  ...effects.flatMap(({ observations }) =>
    observations.flatMap(({ source, verdict }) =>
      when(source === 'executor' && verdict !== 'UNKNOWN', 'a late word decided'),
    ),
  ),
  ...[...receipts.values()].flatMap((chain) =>
    chain.flatMap(({ body }, index) => {
      const before = chain[index - 1]?.body
      if (body?.type !== 'execution.late' || before === null || before === undefined) return []
      const isByEvidence = isSettled(body.status) || body.status === 'verification_unresolved'
      return when(body.status !== before.status && !isByEvidence, 'a late word moved a status by itself')
    }),
  ),
]

/** A negative verdict counts only if it began after the settling boundary of what it covers. */
const I16: Invariant = ({ effects, definitions }) =>
  effects.flatMap(({ attempts, observations }) =>
    observations.flatMap((observation) => {
      const { verdict, covers, target, sequence, beganAt } = observation
      if (verdict !== 'FAILED') return []
      const inFlightMs = Math.min(
        ...definitions.filter((one) => one.target.name === target).map((one) => one.inFlightMs),
      )
      const covered = attempts.filter((one) => covers.from <= one.number && one.number <= covers.to)
      const ofTarget = covered.filter((one) => one.target === target)
      const boundary = settlingBoundary(
        ofTarget,
        observations.filter((one) => one.sequence < sequence),
        inFlightMs,
      )
      return [
        ...when(beganAt < boundary, 'a negative verdict began before the settling boundary'),
        ...when(ofTarget.length === 0, 'a verdict covers no attempt of its target'),
      ]
    }),
  )

/** One verifier at a time for an effect. */
const I17: Invariant = ({ verified }) =>
  verified.flatMap((call) => {
    const overlaps = verified.some(
      (other) =>
        other !== call &&
        other.input.semanticEffectReference === call.input.semanticEffectReference &&
        other.input.context.tenant === call.input.context.tenant &&
        other.began > call.began &&
        (call.ended === null || other.began < call.ended),
    )
    return when(overlaps, 'two verifiers were asked about one effect at the same time')
  })

/** Only transitions of the table. */
const I18: Invariant = ({ receipts }) =>
  [...receipts.values()].flatMap((chain) =>
    chain.flatMap(({ body }, index) => {
      const before = chain[index - 1]?.body
      if (body === null || before === null || before === undefined) return []
      return when(!mayMove(before.status, body.status), `a status went from ${before.status} to ${body.status}`)
    }),
  )

/** The invariants by their names. Spec: reliability 3.2. */
export const INVARIANTS = {
  I1,
  I2,
  I3,
  I4,
  I5,
  I6,
  I7,
  I8,
  I9,
  I10,
  I11,
  I12,
  I13,
  I14,
  I15,
  I16,
  I17,
  I18,
} as const satisfies Record<string, Invariant>

export type InvariantName = keyof typeof INVARIANTS

/** Everything that is broken, each sentence with the name of its invariant. */
export function brokenIn(dump: Dump, except: readonly InvariantName[] = []): readonly string[] {
  const names = (Object.keys(INVARIANTS) as InvariantName[]).filter((name) => !except.includes(name))
  return names.flatMap((name) => INVARIANTS[name](dump).map((sentence) => `${name}: ${sentence}`))
}

function when(isBroken: boolean, sentence: string): readonly string[] {
  return isBroken ? [sentence] : []
}

function isOf(key: Effect['key'], effect: Effect): boolean {
  return key.tenant === effect.key.tenant && key.domain === effect.key.domain && key.reference === effect.key.reference
}

function isDenied(effect: Effect, attempt: Attempt): boolean {
  return attempt.ending?.evidence === 'FAILED' || denialsOf(effect, attempt).length > 0 || effect.settlement !== null
}

function isProven(
  { definitions }: Dump,
  { stored }: ExecutorCalled,
  earlier: Effect,
  looked: Observation | undefined,
): boolean {
  const definition = definitions.find(({ digest }) => digest === stored?.proposal.definitionDigest)
  if (definition === undefined || looked === undefined || looked.proof === null) return false
  const before = earlier.observations.filter(({ sequence }) => sequence < looked.sequence)
  return (
    looked.verdict === 'FAILED' &&
    definition.acceptProof.resend.includes(looked.proof) &&
    definition.target.keyLifetimeMs !== null &&
    isFinalAbsence(looked, before, earlier.attempts, definition.inFlightMs)
  )
}
