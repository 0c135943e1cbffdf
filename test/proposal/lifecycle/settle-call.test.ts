// The end of a call: what the executor's word does to its proposal, and what evidence says over its head.
import { describe, expect, it } from 'vitest'
import type { AttemptEnding, Effect } from '../../../src/effect/effect.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import { attempt, ending, observation, ref } from '../../effect/builders.ts'
import { absence, claimed, code, confirmation, expiresAt, now, P2, sample } from './sample.ts'
import { moved, tell } from './tell.ts'

const executing = sample('executing')

describe('lifecycle 6.12: the executor’s word alone', () => {
  it.each<[AttemptEnding['kind'], string]>([
    ['accepted', '→ verification_pending'],
    ['stale_no_effect', '→ stale'],
    ['failed_known', '→ failed_known'],
    ['failed_unknown', '→ failed_unknown'],
    ['not_sent', '→ approved'],
    ['lease_lapsed', '→ verification_pending'],
  ])('lifecycle 6.12 %s', (kind, expected) => {
    expect(said(ending(kind))).toBe(expected)
  })

  it('lifecycle 6.12 a word that was not believed is in doubt, whatever it was', () => {
    expect(said(ending('failed_unknown', { reason: code('late_word') }))).toBe('→ failed_unknown')
  })

  it('the receipt names the word, the attempt, the reason and the reference', () => {
    const word = ending('accepted', { externalReference: ref('re_1') })
    const refusal = ending('failed_known', { reason: code('declined') })

    expect(settle(word)).toMatchObject({
      receipt: { type: 'execution.accepted', attempt: 1, externalReference: 're_1' },
      outcome: 'verification_pending',
      reason: null,
    })
    expect(settle(word)).not.toHaveProperty('receipt.reason')
    expect(settle(refusal)).toMatchObject({
      receipt: { type: 'execution.failed_known', reason: 'declined' },
      proposal: { reason: 'declined', settledAt: now },
      reason: 'declined',
    })
    expect(settle(ending('lease_lapsed'))).toMatchObject({ receipt: { type: 'operation.lease_lapsed' } })
  })

  it('what has no reason of its own is told by its kind', () => {
    expect(moved(settle(ending('failed_unknown')))).toMatchObject({ reason: 'failed_unknown', attempt: 1 })
    expect(moved(settle(ending('failed_known')))).toMatchObject({ reason: 'failed_known' })
    expect(settle(ending('stale_no_effect'))).toMatchObject({
      reason: 'stale_no_effect',
      proposal: { replacedBy: null },
    })
  })

  it('a guarded call has no proposal', () => {
    expect(() => settle(ending('returned'))).toThrow('a guarded call has no proposal')
  })
})

describe('an attempt that was proven not sent leaves the proposal as it would be now', () => {
  it.each<[string, boolean, number, string]>([
    ['approved', true, expiresAt - 1, '→ approved'],
    ['with its approvals lapsed', false, expiresAt - 1, '→ awaiting_approval'],
    ['expired', true, expiresAt, '→ expired'],
    ['expired, with its approvals lapsed', false, expiresAt, '→ expired'],
  ])('trace S39 %s', (_, policyMet, at, expected) => {
    expect(said(ending('not_sent'), [], { policyMet, at })).toBe(expected)
  })

  it('and with whatever a person must see', () => {
    const flagged = [observation({ flags: ['reversed'] })]

    expect(moved(settle(ending('not_sent'), flagged)).attention).toEqual(['reversed'])
  })
})

describe('evidence that says more than the call does', () => {
  it.each<[string, AttemptEnding['kind'], Effect['observations'], string]>([
    ['trace S34 found during the call, then accepted', 'accepted', [confirmation()], '→ verified'],
    ['trace S34 found during the call, then in doubt', 'failed_unknown', [confirmation()], '→ verified'],
    [
      'trace S34 found during the call, then a word of failure',
      'failed_known',
      [confirmation()],
      '→ verification_unresolved',
    ],
    ['found during the call, then stale', 'stale_no_effect', [confirmation()], '→ verification_unresolved'],
    ['found during the call, then not sent', 'not_sent', [confirmation()], '→ verification_unresolved'],
    ['something else was found, then accepted', 'accepted', [odd('effect_mismatch')], '→ verification_unresolved'],
    ['found twice, then a word of failure', 'failed_known', [odd('duplicate')], '→ verification_unresolved'],
    ['proven absent, then accepted', 'accepted', [absence()], '→ failed_known'],
    ['proven absent, then lapsed', 'lease_lapsed', [absence()], '→ failed_known'],
  ])('%s', (_, kind, observations, expected) => {
    expect(said(ending(kind), observations)).toBe(expected)
  })

  it('says why: not the word that proved nothing, but the proof', () => {
    expect(moved(settle(ending('accepted'), [absence()]))).toMatchObject({ reason: 'proven_absent' })
    expect(moved(settle(ending('failed_known', { reason: code('declined') }), [absence()]))).toMatchObject({
      reason: 'declined',
    })
    expect(moved(settle(ending('accepted'), [odd('duplicate')]))).toMatchObject({ reason: 'duplicate_effect' })
  })

  it('trace S3 a word of failure frees nothing while an earlier attempt is in doubt', () => {
    const before = attempt({ ending: ending('failed_unknown') })
    const stale = claimed([before, attempt({ ending: ending('stale_no_effect') })])
    const end = { attempt: 2, ending: ending('stale_no_effect'), effect: stale, policyMet: true }

    expect(tell(executing, lifecycle.settleCall({ ...executing, attempt: 2 } as typeof executing, end, now))).toBe(
      '→ failed_unknown',
    )
  })
})

it('only the proposal that executes this attempt is moved', () => {
  const effect = claimed([attempt({ ending: ending('accepted') }), attempt({ proposal: P2 })])
  const end = { attempt: 2, ending: ending('accepted'), effect, policyMet: true }

  expect(tell(executing, lifecycle.settleCall(executing, end, now))).toBe('= in_progress')
  expect(tell(sample('verified'), lifecycle.settleCall(sample('verified'), { ...end, attempt: 1 }, now))).toBe(
    '= verified',
  )
})

function settle(word: AttemptEnding, seen: Effect['observations'] = [], { policyMet = true, at = now } = {}) {
  const effect = claimed([attempt({ ending: word })], seen)
  return lifecycle.settleCall(executing, { attempt: 1, ending: word, effect, policyMet }, at)
}

function said(...args: Parameters<typeof settle>): string {
  return tell(executing, settle(...args))
}

function odd(flag: 'effect_mismatch' | 'duplicate'): Effect['observations'][number] {
  return observation({ answer: 'verified_completion', flags: [flag] })
}
