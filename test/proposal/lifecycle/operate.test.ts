// Operators and providers: who may settle what, what resuming does, and what an event of a provider does not do.
import { describe, expect, it } from 'vitest'
import type { Effect, Settlement } from '../../../src/effect/effect.ts'
import type { SettlementCommand } from '../../../src/proposal/lifecycle/operate.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { STATUSES, type Status } from '../../../src/proposal/status.ts'
import { attempt, ending, ref, settlement } from '../../effect/builders.ts'
import { principal } from '../policy-fixtures.ts'
import { absence, claimed, code, confirmation, now, P2, sample } from './sample.ts'
import { moved, tell } from './tell.ts'

const unresolved = sample('verification_unresolved')
const inDoubt = claimed([attempt({ ending: ending('failed_unknown') })])
const conflict = claimed([attempt({ ending: ending('failed_unknown') })], [absence(), confirmation()])

describe('rule R8: who settles', () => {
  it.each<[string, string, string]>([
    ['an operator', 'user:operator', '→ verified'],
    ['a service', 'service:desk', '→ verified'],
    ['an agent', 'agent:helper', '! not_permitted'],
    ['the proposing agent', 'agent:bot', '! not_permitted'],
    ['the requester', 'user:rita', '! not_permitted'],
    ['whom the agent acted for', 'user:olga', '! not_permitted'],
    ['a counted approver', 'user:anna', '! not_permitted'],
    ['a service of the requester’s id', 'service:rita', '→ verified'],
  ])('rule R8 %s', (_, by, expected) => {
    expect(tell(unresolved, settle(unresolved, 'occurred', { by: principal(by) }))).toBe(expected)
  })

  it.each<[string, string, string]>([
    ['another operator', 'user:second', '→ failed_known'],
    ['the same operator', 'user:operator', '! not_permitted'],
    ['the requester', 'user:rita', '! not_permitted'],
    ['a counted approver', 'user:anna', '! not_permitted'],
  ])('trace S8 the second operator is %s', (_, second, expected) => {
    expect(tell(unresolved, settle(unresolved, 'did_not_occur', { second }))).toBe(expected)
  })

  it('rule R8 without an agent nobody stands behind it', () => {
    const own = { ...unresolved, agent: null, agentOwner: null }

    expect(tell(own, settle(own, 'occurred', { by: principal('user:olga') }))).toBe('→ verified')
  })
})

describe('rule R8: only while a person is asked', () => {
  const asked = new Set<Status>(['verification_unresolved', 'rejected', 'withdrawn', 'expired', 'stale', 'superseded'])

  it.each(STATUSES)('rule R8 %s', (status) => {
    const proposal = sample(status)

    expect(settle(proposal, 'occurred', { before: conflict }).kind).toBe(asked.has(status) ? 'move' : 'stay')
    expect(settle(proposal, 'occurred', { before: inDoubt }).kind).toBe(asked.has(status) ? 'move' : 'stay')
  })

  it.each<[string, Effect]>([
    ['it is confirmed', claimed(inDoubt.attempts, [confirmation()])],
    ['it is proven absent', claimed(inDoubt.attempts, [absence()])],
    ['it was settled', claimed(inDoubt.attempts, [], settlement('closed_unknown'))],
    ['another proposal owns it', { ...inDoubt, owner: P2 }],
  ])('rule R8 what is closed is not asked about when %s', (_, before) => {
    expect(tell(sample('expired'), settle(sample('expired'), 'occurred', { before }))).toBe('= expired')
  })

  it('rule R8 whoever is unresolved is asked, also as a former owner', () => {
    expect(tell(unresolved, settle(unresolved, 'closed_unknown', { before: { ...inDoubt, owner: P2 } }))).toBe(
      '→ closed_unknown',
    )
  })
})

describe('what a settlement makes of a proposal', () => {
  it.each<[Settlement['verdict'], object]>([
    ['occurred', { status: 'verified', settledAt: now }],
    ['did_not_occur', { status: 'failed_known', reason: 'statement_checked', settledAt: now }],
    ['closed_unknown', { status: 'closed_unknown', reason: 'statement_checked', settledAt: now }],
  ])('%s', (verdict, expected) => {
    expect(settle(unresolved, verdict)).toMatchObject({
      proposal: expected,
      outcome: 'settled',
      receipt: { type: 'operation.settled', reason: 'statement_checked', detail: [verdict, 'user:operator'] },
    })
  })

  it('trace S32 what was closed otherwise keeps its status and shows what is left to show', () => {
    expect(moved(settle(sample('expired'), 'occurred', { before: conflict }))).toMatchObject({
      status: 'expired',
      attention: ['late_evidence'],
    })
    expect(moved(settle(sample('expired', { attention: ['conflicting_evidence'] }), 'did_not_occur'))).toMatchObject({
      status: 'expired',
      attention: [],
    })
  })

  it('trace S36 a conflict ends with it, and later decisive evidence opens it again', () => {
    const settled = moved(settle(unresolved, 'closed_unknown', { before: conflict }))
    const later = claimed(
      conflict.attempts,
      [...conflict.observations, confirmation()],
      settlement('closed_unknown', { upToSequence: 2 }),
    )

    expect(settled).toMatchObject({ status: 'closed_unknown', attention: [] })
    expect(tell(settled, follow(settled, later))).toBe('→ verification_unresolved')
  })
})

describe('resuming', () => {
  it('asks the target again about the last attempt', () => {
    const twice = claimed([attempt({ ending: ending('failed_known') }), attempt({ ending: ending('failed_unknown') })])

    expect(lifecycle.resume(unresolved, { reason: code('outage_over'), effect: twice }, now)).toMatchObject({
      proposal: { status: 'verification_pending', attempt: 2 },
      receipt: { type: 'operation.resumed', attempt: 2, reason: 'outage_over' },
      outcome: 'resumed',
    })
  })

  it.each<[string, Proposal, Effect]>([
    ['who is not asked for a person', sample('verification_pending'), inDoubt],
    ['a former owner', unresolved, { ...inDoubt, owner: P2 }],
    ['an effect without attempts', unresolved, claimed([])],
  ])('leaves %s', (_, proposal, effect) => {
    expect(lifecycle.resume(proposal, { reason: code('outage_over'), effect }, now).kind).toBe('stay')
  })

  it('trace S28 what asked for a person sticks: the next answer without facts asks again', () => {
    const mismatch = confirmation({ verdict: 'UNKNOWN', flags: ['effect_mismatch'] })
    const without = confirmation({ verdict: 'UNKNOWN', flags: ['fact_missing'] })
    const effect = claimed(inDoubt.attempts, [mismatch])
    const resumed = moved(lifecycle.resume(unresolved, { reason: code('outage_over'), effect }, now))

    expect(tell(resumed, follow(resumed, claimed(inDoubt.attempts, [mismatch, without])))).toBe(
      '→ verification_unresolved',
    )
    expect(tell(resumed, follow(resumed, claimed(inDoubt.attempts, [mismatch, confirmation()])))).toBe(
      '→ verification_unresolved',
    )
  })
})

it.each(STATUSES)('rule R7 an event of a provider changes nothing but the record: %s', (status) => {
  const before = sample(status)
  const { revision, updatedAt, ...after } = moved(lifecycle.observe(before, now))

  expect({ revision, updatedAt }).toEqual({ revision: before.revision + 1, updatedAt: now })
  expect(before).toMatchObject(after)
})

describe('rule R9: the verifier cannot be asked', () => {
  it.each(['definition_missing', 'content_unavailable'] as const)('rule R9 %s asks for a person at once', (why) => {
    expect(lifecycle.giveUp(sample('failed_unknown'), why, now)).toMatchObject({
      proposal: { status: 'verification_unresolved', reason: why },
      receipt: { type: 'verification.unresolved', reason: why },
      outcome: 'verification_unresolved',
      reason: why,
    })
  })
})

interface Settling {
  readonly by?: SettlementCommand['by']
  readonly second?: string
  readonly before?: Effect
}

function settle(proposal: Proposal, verdict: Settlement['verdict'], settling: Settling = {}) {
  const { by = principal('user:operator'), second = null, before = inDoubt } = settling
  const upToSequence = before.observations.length
  const record = settlement(verdict, { upToSequence, secondOperator: second === null ? null : ref(second) })
  const approvers = [principal('user:anna'), principal('user:bert')]
  return lifecycle.settle(
    proposal,
    { settlement: record, by, approvers, before, after: { ...before, settlement: record } },
    now,
  )
}

function follow(proposal: Proposal, effect: Effect) {
  return lifecycle.followEvidence(
    proposal,
    {
      effect,
      receipt: 'verification.verified_completion',
      answer: 'verified_completion',
      externalReference: null,
      givenUp: null,
      resendAllowed: false,
    },
    now,
  )
}
