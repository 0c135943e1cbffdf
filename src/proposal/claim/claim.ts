// The claim: what a proposal that wants to execute finds about its effect, before anything of the host is called.
import { evidenceOf, openAttempt } from '../../effect/effect-evidence.ts'
import type { Effect } from '../../effect/effect.ts'
import type { Reference } from '../../effect/reference.ts'
import { settlersOf } from '../../effect/settlement.ts'
import { personReason } from '../lifecycle/attention.ts'
import { principalName } from '../principal.ts'
import type { Proposal } from '../proposal.ts'

/**
 * - `free`: nobody owns it and no attempt was ever started.
 * - `own`: this proposal owns it, with its earlier attempts closed as failed.
 * - `transferable`: another proposal owned it and the whole effect is FAILED without conflict, or nothing was started.
 * - `held`: another proposal owns it, in doubt, CONFIRMED, or with something found that a person must look at.
 * - `barred`: closed without an answer, settled by one operator only, or asked for by one of the two who settled it; it
 *   never passes on by itself.
 * - `spent`: no attempts are left, over all proposals.
 */
export type Claim =
  | { readonly kind: 'free' | 'own' | 'barred' | 'spent' }
  | { readonly kind: 'transferable'; readonly from: Reference }
  | { readonly kind: 'held'; readonly by: Reference; readonly completed: boolean }

/** Judges the claim. Spec: design D3, lifecycle 6.5, rules R8. */
export function judgeClaim(proposal: Proposal, effect: Effect | null, attemptsMax: number): Claim {
  if (effect === null || effect.owner === null) return { kind: 'free' }
  const { status, settled } = evidenceOf(effect)
  if (effect.owner !== proposal.ref) {
    if (status === 'CONFIRMED') return { kind: 'held', by: effect.owner, completed: true }
    if (settled === 'closed_unknown') return { kind: 'barred' }
    if (settled === 'did_not_occur' && !isFreedFor(proposal, effect)) return { kind: 'barred' }
    if (openAttempt(effect) !== null || status === 'UNKNOWN' || personReason(effect) !== null) {
      return { kind: 'held', by: effect.owner, completed: false }
    }
  }
  if (effect.attempts.length >= attemptsMax) return { kind: 'spent' }
  return effect.owner === proposal.ref ? { kind: 'own' } : { kind: 'transferable', from: effect.owner }
}

// Two operators free an effect, and never for what one of them requested (trace S8).
function isFreedFor({ requester, agentOwner }: Proposal, effect: Effect): boolean {
  const settlers = settlersOf(effect)
  const asking = [requester, ...(agentOwner === null ? [] : [agentOwner])].map(principalName)
  return settlers.length === 2 && !asking.some((name) => settlers.includes(name))
}
