// Invariants I2 to I4 and I7 to I9: what must be true of a call before it is made, and what it is made with.
import type { Attempt, Effect } from '../../../src/effect/effect.ts'
import type { Approval } from '../../../src/proposal/approval.ts'
import { bestSeating } from '../../proposal/policy-oracle.ts'
import type { Called, Committed, Held } from '../book.ts'
import { denials, isOwnWord } from '../known.ts'
import { EXECUTE_TIMEOUT_MS, IMMATERIAL, LEASE_MS } from '../payment.ts'
import { sortedText } from '../sorted-text.ts'
import { admissionOf, callsIn, committedIn, namedCall, resolutionsIn } from './entries.ts'
import type { Invariant, Witness } from './invariant.ts'

export const callInvariants: readonly Invariant[] = [
  {
    id: 'I2',
    says: 'a call rests on a durable admission and on approvals that met the policy then and at the call',
    *violations({ world, fresh }) {
      for (const called of callsIn(fresh)) {
        const admission = admissionOf(world, called)
        if (admission === null) yield `${namedCall(called)} was called without an admission`
        else yield* authority(world, called, admission)
      }
    },
  },
  {
    id: 'I3',
    says: 'an admission is acknowledged as durable before its call',
    *violations({ world, fresh }) {
      for (const called of callsIn(fresh)) {
        const acknowledged = admissionOf(world, called)?.acknowledged ?? null
        if (acknowledged === null || acknowledged > called.order) yield `${namedCall(called)} was called too early`
      }
    },
  },
  {
    id: 'I4',
    says: 'an attempt is called at most once',
    *violations({ world, fresh }) {
      for (const called of callsIn(fresh)) {
        const same = callsIn(world.book.entries).filter((other) => namedCall(other) === namedCall(called))
        if (same.length > 1) yield `${namedCall(called)} was called ${same.length} times`
      }
    },
  },
  {
    id: 'I7',
    says: 'a call carries the precondition of its own resolution, which came after the approvals and found no drift',
    *violations({ world, fresh }) {
      for (const called of callsIn(fresh)) {
        const admission = admissionOf(world, called)
        if (admission !== null && !isResolved(world, called, admission)) {
          yield `${namedCall(called)} was called with ${called.input.precondition}`
        }
      }
    },
  },
  {
    id: 'I8',
    says: 'an executor gets what was committed to, and cannot change it',
    *violations({ world, fresh }) {
      for (const called of callsIn(fresh)) {
        const { snapshot, context } = called.input
        const prepared = world.preparedFor(context.proposal)
        if (sortedText(snapshot) !== sortedText(prepared)) yield `${namedCall(called)} got other content`
        if (!Object.isFrozen(snapshot) || !Object.isFrozen(snapshot.amount)) yield `${namedCall(called)} may change it`
      }
    },
  },
  {
    id: 'I9',
    says: 'no call begins without a whole call’s time left of its lease',
    *violations({ world, fresh }) {
      for (const called of callsIn(fresh)) {
        const elapsedMs = called.atMs - (admissionOf(world, called)?.beganMs ?? called.atMs)
        const isTooLate = elapsedMs > LEASE_MS - EXECUTE_TIMEOUT_MS
        if (isTooLate) yield `${namedCall(called)} began ${elapsedMs} ms after its admission`
      }
    },
  },
  {
    id: 'I9',
    says: 'no attempt is given up before its lease is over by the clock of the store',
    *violations({ fresh }) {
      for (const { at, change, before } of committedIn(fresh)) {
        const ended = change.effect?.ended ?? null
        if (ended?.ending.kind !== 'lease_lapsed') continue
        const leaseUntil = before.effect?.attempts[ended.number - 1]?.leaseUntil ?? 0
        if (at < leaseUntil) yield `attempt ${ended.number} was given up ${leaseUntil - at} ms too early`
      }
    },
  },
]

interface Moment {
  readonly what: string
  readonly now: number
  readonly approvals: readonly Approval[]
  readonly barred: ReadonlySet<string>
}

function* authority(world: Witness, called: Called, admission: Committed): Iterable<string> {
  const { ref } = called.held.proposal
  const before = admission.before.proposals.get(ref)
  if (before === undefined) {
    yield `${ref} was admitted before it was stored`
    return
  }
  const { effect } = admission.before
  const { policy, commitment, expiresAt } = before.proposal
  const demanded = Object.values(world.profile.approvals(called.input.snapshot.amount.amount))
  const asked = demanded.reduce((sum, count) => sum + count, 0)
  // Who has lost the right to decide is asked about before the admission, and not once more.
  const moments: readonly Moment[] = [
    { what: 'at its admission', now: admission.at, approvals: before.approvals, barred: admission.barred },
    { what: 'at its call', now: called.at, approvals: called.held.approvals, barred: new Set() },
  ]
  for (const { what, now, approvals, barred } of moments) {
    const counted = approvals.filter(({ approver, decidedAt }) => {
      const isOld = decidedAt < countsFrom(effect, ref)
      return !isOld && !barred.has(approver.id) && !isExcluded(world, before, approver) && !hasSettled(effect, approver)
    })
    const { places, filled } = bestSeating(policy, counted, { now, commitment })
    if (places !== asked || filled < places) yield `${ref} had ${filled} of ${asked} approvals ${what}`
    if (now >= expiresAt) yield `${ref} had expired ${what}`
    if (approvals.some(({ decision }) => decision === 'reject')) yield `${ref} had been rejected ${what}`
  }
}

// Whoever asked for it, or for anything that it amends, for themselves or through an agent.
function isExcluded({ book }: Witness, { proposal }: Held, { kind, id }: Approval['approver']): boolean {
  let one: Held['proposal'] | undefined = proposal
  while (one !== undefined) {
    const { requester, agent, agentOwner } = one
    if ([requester, agent, agentOwner].some((other) => other?.kind === kind && other.id === id)) return true
    one = one.replaces === null ? undefined : book.proposals.get(one.replaces)?.proposal
  }
  return kind === 'agent'
}

// Operators never approve what rests on their own word that nothing was done (trace S8).
function hasSettled(effect: Effect | null, { kind, id }: Approval['approver']): boolean {
  const settlement = effect?.settlement ?? null
  const operators = settlement?.verdict === 'did_not_occur' ? [settlement.by, settlement.secondOperator] : []
  return operators.includes(`${kind}:${id}`)
}

// Approvals from before somebody else's attempt was closed by evidence do not carry over (rules R1, trace S24).
function countsFrom(effect: Effect | null, claimant: string): number {
  if (effect === null || effect.owner === null || effect.owner === claimant) return 0
  const resting = effect.attempts.filter((attempt) => !isOwnWord(attempt))
  return Math.max(0, ...resting.map((attempt) => closedAt(effect, attempt)))
}

function closedAt(effect: Effect, attempt: Attempt): number {
  const { settlement } = effect
  const isSettled = settlement?.verdict === 'did_not_occur' && attempt.number <= settlement.upToAttempt
  const times = denials(effect, attempt).map(({ endedAt }) => endedAt)
  return Math.min(...times, ...(isSettled ? [settlement.at] : []))
}

function isResolved({ book }: Witness, called: Called, admission: Committed): boolean {
  const { ref } = called.held.proposal
  const approval = committedIn(book.entries).findLast(({ order, change }) => {
    return order < admission.order && change.approvals.some(({ proposal }) => proposal === ref)
  })
  return resolutionsIn(book.entries).some(({ proposal, order, ended }) => {
    if (proposal !== ref || ended === null) return false
    const { current, precondition, materiallyDrifted } = ended.answer
    const isSame = current !== null && material(current) === material(called.input.snapshot)
    const isInTime = order > (approval?.order ?? 0) && ended.order < admission.order
    return isInTime && isSame && materiallyDrifted !== true && precondition === called.input.precondition
  })
}

function material(snapshot: object): string {
  const isMaterial = ([name]: readonly [string, unknown]): boolean => !IMMATERIAL.some((path) => path === `/${name}`)
  return sortedText(Object.fromEntries(Object.entries(snapshot).filter(isMaterial)))
}
