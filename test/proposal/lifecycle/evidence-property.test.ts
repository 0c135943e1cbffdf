// No evidence stays unheard, and none is made up: properties over every status and whatever may be on record.
import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import type { Effect } from '../../../src/effect/effect.ts'
import { evidenceOf, mayHaveOccurred } from '../../../src/effect/effect-evidence.ts'
import { personReason } from '../../../src/proposal/lifecycle/attention.ts'
import type { Evidenced } from '../../../src/proposal/lifecycle/follow-evidence.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { isInDoubt, STATUSES, type Status } from '../../../src/proposal/status.ts'
import { anyEffect } from './evidence-arbitraries.ts'
import { now, P1, sample } from './sample.ts'

const anySeen: fc.Arbitrary<Evidenced> = fc.record({
  effect: anyEffect,
  receipt: fc.constant('verification.target_unavailable'),
  answer: fc.constant('target_unavailable'),
  externalReference: fc.constant(null),
  givenUp: fc.constantFrom(null, 'absences_spent', 'unavailables_spent'),
  resendAllowed: fc.boolean(),
})

/** The owner may be in any status; who lost the claim lost it with nothing done (design D3). */
function isPossible(status: Status, effect: Effect): boolean {
  return effect.owner === P1 || (!isInDoubt(status) && status !== 'verified' && status !== 'closed_unknown')
}

describe.each(STATUSES)('lifecycle %s', (status) => {
  const situation = anySeen.filter(({ effect }) => {
    return isPossible(status, effect) && effect.attempts.some(({ proposal }) => proposal === P1)
  })

  test.prop([situation])('whatever is known, it says so, moves, or shows it to a person', (seen) => {
    const after = followed(status, seen)

    const isHeard = after.status !== status || after.attention.length > 0
    expect(isHeard || agrees(after, seen.effect)).toBe(true)
  })

  test.prop([situation])('it never says more than is known', (seen) => {
    const after = followed(status, seen)
    const known = evidenceOf(seen.effect)

    expect(after.status === status || allowed(after.status, seen, known.status)).toBe(true)
  })

  test.prop([situation])('a second look at the same evidence changes nothing more', (seen) => {
    const after = followed(status, seen)
    const verdict = lifecycle.followEvidence(after, seen, now)

    const settles = after.status === 'verification_unresolved' && status !== 'verification_unresolved'
    const again = verdict.kind === 'move' ? verdict.proposal : after
    expect(settles || again.status === after.status).toBe(true)
  })
})

function followed(status: Status, seen: Evidenced): Proposal {
  const verdict = lifecycle.followEvidence(sample(status), seen, now)
  if (verdict.kind !== 'move') throw new Error('evidence is always recorded')
  return verdict.proposal
}

/** Whether a status already is what the evidence says. */
function agrees({ status }: Proposal, effect: Effect): boolean {
  const known = evidenceOf(effect)
  switch (status) {
    case 'verified':
      return known.status === 'CONFIRMED'
    case 'closed_unknown':
      return known.settled === 'closed_unknown'
    case 'executing':
    case 'verification_pending':
    case 'failed_unknown':
      return known.status === 'UNKNOWN'
    case 'verification_unresolved':
      return true
    case 'failed_known':
    case 'awaiting_approval':
    case 'approved':
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
    case 'superseded':
      // A person who settled the effect has seen what there was to see.
      if (known.settled !== null) return true
      return !effect.attempts.some((attempt) => attempt.proposal === P1 && mayHaveOccurred(effect, attempt))
  }
}

/** What must be known for evidence to lead to a status. */
function allowed(status: Status, seen: Evidenced, known: Effect['observations'][number]['verdict'] | null): boolean {
  const person = personReason(seen.effect)
  if (status === 'verified') return known === 'CONFIRMED' && person === null
  if (status === 'failed_known') return known === 'FAILED' && person === null
  if (status === 'approved') return known === 'FAILED' && person === null && seen.resendAllowed
  if (status === 'verification_pending') return known === 'UNKNOWN'
  return status === 'verification_unresolved'
}
