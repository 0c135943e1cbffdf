// Related proposals: others for the same effect, or acting on the same subject.
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import type { Status } from '../../proposal/status.ts'
import type { Core } from '../core.ts'

/** How many of each kind are looked at, newest first. */
const RELATED_MAX = 50
const IN_DOUBT: readonly Status[] = ['executing', 'verification_pending', 'failed_unknown', 'verification_unresolved']
const OPEN_OR_SETTLED: readonly Status[] = [
  'awaiting_approval',
  'approved',
  'verified',
  'failed_known',
  'closed_unknown',
]

/**
 * The newest proposals for the same effect or subject, apart from the one asked about: open, in doubt or settled. Those in
 * doubt are looked for by themselves, since they are a warning that no number of new proposals may crowd out.
 * Spec: lifecycle 4.
 */
export async function relatedProposals(
  core: Core,
  effect: EffectKey,
  subject: Reference | null,
  except: Reference,
): Promise<readonly Proposal[]> {
  const { tenant } = effect
  const found = new Map<Reference, Proposal>()
  for (const statuses of [IN_DOUBT, OPEN_OR_SETTLED]) {
    const byEffect = await core.store.list({ tenant, effect, statuses, limit: RELATED_MAX })
    const bySubject = subject === null ? [] : await core.store.list({ tenant, subject, statuses, limit: RELATED_MAX })
    for (const proposal of [...byEffect, ...bySubject]) found.set(proposal.ref, proposal)
  }
  found.delete(except)
  return [...found.values()].sort((a, b) => (a.ref < b.ref ? 1 : -1))
}

/** Whether its own policy holds a proposal back because a related one is in doubt. */
export async function isHeldByRelated(core: Core, proposal: Proposal): Promise<boolean> {
  return proposal.policy.whileRelatedInDoubt === 'block' && (await isRelatedInDoubt(core, proposal))
}

/** Whether a related proposal is in doubt, so that a policy can hold this one back. Spec: policy-and-protection 1. */
async function isRelatedInDoubt(core: Core, proposal: Proposal): Promise<boolean> {
  const { tenant, effect, subject, ref } = proposal
  const statuses = IN_DOUBT
  const limit = 2 // one more than this proposal itself
  const byEffect = await core.store.list({ tenant, effect, statuses, limit })
  const bySubject = subject === null ? [] : await core.store.list({ tenant, subject, statuses, limit })
  return [...byEffect, ...bySubject].some((other) => other.ref !== ref)
}
