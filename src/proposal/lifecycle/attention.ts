// Attention: what in an effect's evidence a person must look at, whatever the status of the proposal.
import type { Effect, Observation, ObservationFlag } from '../../effect/effect.ts'
import { evidenceOf, mayHaveOccurred } from '../../effect/effect-evidence.ts'
import { isUnconfirmed, standingSettlement } from '../../effect/settlement.ts'
import type { Attention, Proposal } from '../proposal.ts'
import { isClosed, isOpen } from '../status.ts'

/** Why the owner of an effect waits for a person: evidence that sticks until it is settled. Spec: lifecycle 7, rules R8. */
export type PersonReason = 'conflicting_evidence' | 'effect_mismatch' | 'duplicate_effect'

/** Whether a person must look before anything else happens, and why; null if the evidence speaks for itself. */
export function personReason(effect: Effect): PersonReason | null {
  if (evidenceOf(effect).conflict) return 'conflicting_evidence'
  const flags = unsettledFlags(effect)
  if (flags.has('effect_mismatch') || flags.has('predates_attempt')) return 'effect_mismatch'
  return flags.has('duplicate') ? 'duplicate_effect' : null
}

/** What is asked of a proposal, or of what is left of it. */
type Named = Pick<Proposal, 'ref' | 'status'>

/** The flags that a proposal of this effect carries; its owner and its former owners alike. */
export function attentionOf(proposal: Named, effect: Effect): readonly Attention[] {
  const evidence = evidenceOf(effect)
  const flags = unsettledFlags(effect)
  // A person who settled the effect has seen what there was to see.
  const isAnswered = evidence.settled !== null
  const raised: Attention[] = []
  if (evidence.conflict) raised.push('conflicting_evidence')
  if (flags.has('effect_mismatch') || flags.has('predates_attempt')) raised.push('effect_mismatch')
  const mayBeTwice = evidence.status === 'CONFIRMED' && evidence.duplicatePossible && !isAnswered
  if (flags.has('duplicate') || flags.has('reference_differs') || mayBeTwice) raised.push('duplicate_possible')
  if (flags.has('reversed')) raised.push('reversed')
  if (!isAnswered && saysNothingWasDone(proposal) && mayHaveDoneIt(proposal, effect)) {
    if (evidence.status === 'CONFIRMED') raised.push('late_evidence')
    if (evidence.status === 'UNKNOWN') raised.push('effect_in_doubt')
  }
  const standing = standingSettlement(effect)
  if (standing !== null && isUnconfirmed(standing) && hasAttempt(proposal, effect))
    raised.push('settlement_unconfirmed')
  return raised
}

// A settlement answers every flag that its person could have seen.
function unsettledFlags(effect: Effect): ReadonlySet<ObservationFlag> {
  const seen = effect.settlement?.upToSequence ?? 0
  const open = (observation: Observation): boolean => observation.sequence > seen
  return new Set(effect.observations.filter(open).flatMap(({ flags }) => flags))
}

// An attempt behind it that may have done it is the surprise.
function saysNothingWasDone({ status }: Named): boolean {
  return isOpen(status) || (isClosed(status) && status !== 'verified' && status !== 'closed_unknown')
}

function hasAttempt({ ref }: Named, { attempts }: Effect): boolean {
  return attempts.some(({ proposal }) => proposal === ref)
}

// What another proposal's attempts do is no surprise to this one.
function mayHaveDoneIt(proposal: Named, effect: Effect): boolean {
  return effect.attempts.some((attempt) => attempt.proposal === proposal.ref && mayHaveOccurred(effect, attempt))
}
