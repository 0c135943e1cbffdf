// Operators and providers: who may settle what, what resuming does, and what an event of a provider does not do.
import { describe, expect, it } from 'vitest'
import type { Effect, Settlement } from '../../../src/effect/effect.ts'
import { evidenceOf } from '../../../src/effect/effect-evidence.ts'
import { isPersonAsked, judgeSettlement, type SettlementCommand } from '../../../src/proposal/lifecycle/operate.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Verdict } from '../../../src/proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { STATUSES, type Status } from '../../../src/proposal/status.ts'
import { attempt, ending, ref, settlement } from '../../effect/builders.ts'
import { principal } from '../policy-fixtures.ts'
import { absence, claimed, code, confirmation, now, P2, sample } from './sample.ts'
import { moved, tell } from './tell.ts'

const unresolved = sample('verification_unresolved')
const failedUnknown = attempt({ ending: ending('failed_unknown') })
const inDoubt = claimed([failedUnknown])
const conflict = claimed([failedUnknown], [absence(), confirmation()])
const underWay = claimed([failedUnknown, attempt()])
/** The first proposal's attempt, denied and then found; the second proposal owns the effect since. */
const formerly = claimed(
  [attempt({ ending: ending('failed_known') }), attempt({ proposal: P2, ending: ending('failed_unknown') })],
  [absence(), confirmation()],
  null,
  { owner: P2 },
)
const owner2 = sample('verification_unresolved', { ref: P2 })

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
  ])('rule R8 %s', (_, operator, expected) => {
    expect(tell(unresolved, settle(unresolved, 'occurred', { operator }))).toBe(expected)
  })

  it('rule R8 without an agent nobody stands behind it', () => {
    const own = { ...unresolved, agent: null, agentOwner: null }

    expect(tell(own, settle(own, 'occurred', { operator: 'user:olga' }))).toBe('→ verified')
  })
})

describe('rule R8: only while a person is asked', () => {
  const asked = new Set<Status>(['verification_unresolved', 'rejected', 'withdrawn', 'expired', 'stale', 'superseded'])

  it.each(STATUSES)('rule R8 %s', (status) => {
    const proposal = sample(status)

    expect(settle(proposal, 'occurred', { effect: conflict }).kind).toBe(asked.has(status) ? 'move' : 'stay')
    expect(settle(proposal, 'occurred', { effect: inDoubt }).kind).toBe(asked.has(status) ? 'move' : 'stay')
  })

  it.each<[string, Effect]>([
    ['it is confirmed', claimed([failedUnknown], [confirmation()])],
    ['it is proven absent', claimed([failedUnknown], [absence()])],
    ['it was settled', claimed([failedUnknown], [], settlement('closed_unknown'))],
  ])('rule R8 what is closed is not asked about when %s', (_, effect) => {
    expect(isPersonAsked(sample('expired'), effect)).toBe(false)
    expect(tell(sample('expired'), settle(sample('expired'), 'occurred', { effect }))).toBe('= expired')
  })

  it('rule R8 what is closed is asked about when something else was found than was approved', () => {
    const mismatch = confirmation({ verdict: 'UNKNOWN', flags: ['effect_mismatch'] })
    const effect = claimed([failedUnknown], [absence(), mismatch])

    expect(isPersonAsked(sample('expired'), effect)).toBe(true)
    expect(moved(settle(sample('expired'), 'closed_unknown', { effect }))).toMatchObject({ attention: [] })
  })

  it('rule R8 nobody settles what may be on the wire', () => {
    expect(tell(unresolved, settle(unresolved, 'did_not_occur', { effect: underWay }))).toBe('= in_progress')
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
      receipt: {
        type: 'operation.settled',
        reason: 'statement_checked',
        externalReference: 'case-1',
        detail: [verdict],
      },
    })
  })

  it('trace S32 what was closed otherwise keeps its status, and is off the desk', () => {
    const marked = sample('expired', { attention: ['conflicting_evidence'] })

    expect(moved(settle(marked, 'occurred', { effect: conflict }))).toMatchObject({ status: 'expired', attention: [] })
    expect(moved(settle(marked, 'did_not_occur'))).toMatchObject({
      status: 'expired',
      attention: ['settlement_unconfirmed'],
    })
  })

  it('trace S36 a conflict ends with it, and later decisive evidence opens it again', () => {
    const settled = moved(settle(unresolved, 'closed_unknown', { effect: conflict }))
    const later = claimed(
      conflict.attempts,
      [...conflict.observations, confirmation()],
      settlement('closed_unknown', { upToSequence: 2 }),
    )

    expect(settled).toMatchObject({ status: 'closed_unknown', attention: [] })
    expect(tell(settled, follow(settled, later))).toBe('→ verification_unresolved')
  })

  it.each<[string, Proposal, string]>([
    ['who waits for a person, too', unresolved, '→ verified'],
    ['whose mark is taken off', sample('expired', { attention: ['conflicting_evidence'] }), '+ settled'],
    ['who has nothing to be told', sample('expired'), '= expired'],
  ])('rule R3 a former owner is marked as well: %s', (_, proposal, expected) => {
    expect(tell(proposal, settle(proposal, 'occurred', { effect: formerly, owner: owner2 }))).toBe(expected)
  })
})

describe('trace S8: the second operator', () => {
  const failed = sample('failed_known')
  const once = { ...conflict, settlement: settlement('did_not_occur', { upToSequence: 2 }) }
  const twice = { ...once, settlement: { ...once.settlement, secondOperator: ref('user:second') } }

  it.each<[string, string, Settlement['verdict'], Effect, string]>([
    ['is another person', 'user:second', 'did_not_occur', once, '+ settled'],
    ['is not the first one again', 'user:operator', 'did_not_occur', once, '= replayed'],
    ['is not the requester', 'user:rita', 'did_not_occur', once, '! not_permitted'],
    ['is not a counted approver', 'user:anna', 'did_not_occur', once, '! not_permitted'],
    ['is not an agent', 'agent:helper', 'did_not_occur', once, '! not_permitted'],
    ['says the same', 'user:second', 'occurred', once, '= failed_known'],
    ['says it once', 'user:second', 'did_not_occur', twice, '= replayed'],
    ['is the last one that is needed', 'user:third', 'did_not_occur', twice, '= failed_known'],
    [
      'says it while nothing is under way',
      'user:second',
      'did_not_occur',
      { ...once, ...resent(once) },
      '= in_progress',
    ],
  ])('trace S8 the second operator %s', (_, operator, verdict, effect, expected) => {
    expect(tell(failed, settle(failed, verdict, { operator, effect }))).toBe(expected)
  })

  it('trace S8 is named beside the first, with a receipt of its own', () => {
    const command = commanding('did_not_occur', { operator: 'user:second', effect: once }, failed)

    expect(judgeSettlement(command, now)).toMatchObject({
      kind: 'confirms',
      effect: { version: once.version + 1, settlement: { ...once.settlement, secondOperator: 'user:second' } },
    })
    expect(lifecycle.settle(failed, command, now)).toMatchObject({
      proposal: { status: 'failed_known', revision: failed.revision + 1 },
      receipt: { type: 'operation.settled', detail: ['did_not_occur', 'second_operator'] },
      outcome: 'settled',
    })
  })

  it.each<Settlement['verdict']>(['occurred', 'closed_unknown'])(
    'trace S8 nobody confirms that it is %s',
    (verdict) => {
      const settled = claimed([failedUnknown], [], settlement(verdict))
      const status = verdict === 'occurred' ? 'verified' : 'closed_unknown'

      expect(tell(sample(status), settle(sample(status), verdict, { operator: 'user:second', effect: settled }))).toBe(
        `= ${status}`,
      )
    },
  )

  it('trace S8 what was found since makes it a verdict of its own, by the first of two', () => {
    const mismatch = confirmation({ verdict: 'UNKNOWN', flags: ['effect_mismatch'] })
    const effect = { ...claimed([failedUnknown], [absence(), confirmation(), mismatch]), settlement: once.settlement }
    const judged = judgeSettlement(commanding('did_not_occur', { operator: 'user:second', effect }, unresolved), now)

    expect(judged).toMatchObject({
      kind: 'settles',
      effect: { settlement: { by: 'user:second', secondOperator: null, upToSequence: 3, upToAttempt: 1 } },
    })
  })

  it('trace S8 after a contradiction nothing stands that could be confirmed', () => {
    const effect = {
      ...claimed([failedUnknown], [absence(), confirmation(), confirmation()]),
      settlement: once.settlement,
    }

    expect(evidenceOf(effect)).toMatchObject({ reopened: true, conflict: true })
    expect(tell(failed, settle(failed, 'did_not_occur', { operator: 'user:second', effect }))).toBe('= failed_known')
    expect(tell(failed, follow(failed, effect))).toBe('→ verification_unresolved')
  })

  function resent(effect: Effect): Pick<Effect, 'attempts'> {
    return { attempts: [...effect.attempts, attempt({ number: 2 })] }
  }
})

describe('resuming', () => {
  it('asks the target again about the last attempt', () => {
    const twice = claimed([attempt({ ending: ending('failed_known') }), failedUnknown])

    expect(resume(unresolved, twice)).toMatchObject({
      proposal: { status: 'verification_pending', attempt: 2 },
      receipt: { type: 'operation.resumed', attempt: 2, reason: 'outage_over' },
      outcome: 'resumed',
    })
  })

  it('trace S32 asks about what is behind a proposal that was closed otherwise', () => {
    expect(tell(sample('expired'), resume(sample('expired'), conflict))).toBe('+ resumed')
  })

  it.each<[string, Proposal, Effect, string]>([
    ['who is not asked for a person', sample('verification_pending'), inDoubt, '= verification_pending'],
    ['what is closed and known', sample('expired'), claimed([failedUnknown], [absence()]), '= expired'],
    ['a former owner', unresolved, formerly, '= verification_unresolved'],
    ['an effect without attempts', unresolved, claimed([]), '= verification_unresolved'],
    ['a call that is under way', unresolved, underWay, '= in_progress'],
  ])('leaves %s', (_, proposal, effect, expected) => {
    expect(tell(proposal, resume(proposal, effect))).toBe(expected)
  })

  it('trace S28 what asked for a person sticks: the next answer without facts asks again', () => {
    const mismatch = confirmation({ verdict: 'UNKNOWN', flags: ['effect_mismatch'] })
    const without = confirmation({ verdict: 'UNKNOWN', flags: ['fact_missing'] })
    const resumed = moved(resume(unresolved, claimed([failedUnknown], [mismatch])))

    expect(tell(resumed, follow(resumed, claimed([failedUnknown], [mismatch, without])))).toBe(
      '→ verification_unresolved',
    )
    expect(tell(resumed, follow(resumed, claimed([failedUnknown], [mismatch, confirmation()])))).toBe(
      '→ verification_unresolved',
    )
  })

  function resume(proposal: Proposal, effect: Effect): Verdict {
    return lifecycle.resume(proposal, { reason: code('outage_over'), effect }, now)
  }
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
  readonly operator?: string
  readonly effect?: Effect
  readonly owner?: Proposal
}

function commanding(
  verdict: Settlement['verdict'],
  { operator = 'user:operator', effect = inDoubt, owner }: Settling,
  proposal: Proposal,
): SettlementCommand {
  return {
    said: { verdict, reason: code('statement_checked'), evidenceReference: ref('case-1') },
    operator: principal(operator),
    approvers: [principal('user:anna'), principal('user:bert')],
    owner: owner ?? proposal,
    effect,
  }
}

function settle(proposal: Proposal, verdict: Settlement['verdict'], settling: Settling = {}): Verdict {
  return lifecycle.settle(proposal, commanding(verdict, settling, proposal), now)
}

function follow(proposal: Proposal, effect: Effect): Verdict {
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
