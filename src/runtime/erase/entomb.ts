// Removing content: the mark that hides a proposal, then the tombstone in its place; each step goes on from the one before.
import type { Effect } from '../../effect/effect.ts'
import type { ReasonCode, Reference } from '../../effect/reference.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { chainReceipt } from '../../proposal/receipts/receipt-chain.ts'
import { keptOf, type Tombstone } from '../../proposal/tombstone.ts'
import type { Core } from '../core.ts'
import type { LiveProposal } from '../ports.ts'
import { type Actor, changeOf, commit, commitMove, receiptBody } from '../record.ts'
import { LOST_RACE, untilStored } from '../rounds.ts'

/** Why and by whom content is removed. */
export interface Removal {
  readonly reason: ReasonCode
  readonly actor: Actor
}

/**
 * Removes the content of a proposal, or marks that it is to go once its effect is settled. Interrupted anywhere, it is
 * called again and goes on. Spec: policy-and-protection 5.
 * @returns whether the content is gone.
 */
export async function removeContent(core: Core, tenant: Reference, ref: Reference, removal: Removal): Promise<boolean> {
  return untilStored(async () => {
    const stored = await core.store.proposal(tenant, ref)
    // Proposals are never deleted: what is not live any more was erased by somebody else.
    if (stored?.kind !== 'live') return true
    const effect = await core.store.effect(stored.proposal.effect)
    const verdict = lifecycle.erase(stored.proposal, { reason: removal.reason, effect }, core.clock.now())
    if (verdict.kind === 'refused') throw new Error(`erasure does not refuse with ${verdict.code}`)
    if (verdict.kind === 'move') {
      const answer = await commitMove(core, { stored, move: verdict, actor: removal.actor })
      if (answer.kind === 'conflict') return LOST_RACE
      // Marked: from here on it is hidden, and whoever comes next goes on from the mark.
      return verdict.outcome === 'erased' ? LOST_RACE : false
    }
    if (verdict.outcome === 'erasure_deferred') return false
    return (await entomb(core, stored, effect, removal)) ? true : LOST_RACE
  })
}

async function entomb(
  core: Core,
  stored: LiveProposal,
  effect: Effect | null,
  { reason, actor }: Removal,
): Promise<boolean> {
  const { proposal, approvals, receiptSalt, lastHash } = stored
  const { tenant, ref, status } = proposal
  const erasedAt = Math.max(core.clock.now(), proposal.updatedAt)
  const revision = proposal.revision + 1
  const body = receiptBody({ ...proposal, updatedAt: erasedAt }, { type: 'proposal.erased' }, actor, reason)
  const receipt = chainReceipt(receiptSalt, { sequence: revision, hash: lastHash }, { tenant, proposal: ref, body })
  const tombstone: Tombstone = {
    ...keptOf(proposal, approvals, effect),
    revision,
    erasedAt,
    reason,
    receiptCount: receipt.sequence,
    lastHash: receipt.hash,
  }
  const change = changeOf(core, tenant, [], {
    inserts: [{ kind: 'erase', tombstone }],
    receipts: [receipt],
    events: [{ type: 'proposal.erased', proposal: ref, status, revision, at: erasedAt }],
  })
  return (await commit(core, change)).kind === 'committed'
}
