// Export: the chain and the evidence of one proposal as a bundle that can be checked anywhere.
import { unclaimed } from '../effect/effect-changes.ts'
import { toBase64Url } from '../effect/hash.ts'
import type { EvidenceBundle } from '../proposal/evidence-bundle.ts'
import type { CallerSession } from '../proposal/session.ts'
import { demand } from './authority.ts'
import type { Core } from './core.ts'
import { loadAny } from './load.ts'

/**
 * The bundle of one proposal, erased or not. It needs the right to evidence beside the right to read.
 * Spec: lifecycle 8 and 10.
 */
export async function exportEvidence(core: Core, session: CallerSession, ref: string): Promise<EvidenceBundle> {
  const { stored, registered } = await loadAny(core, session, ref)
  const live = stored.kind === 'live' ? stored : null
  await demand(core, registered.definition, 'evidence', session, live === null ? {} : { proposal: live.proposal })
  const identity = stored.kind === 'live' ? stored.proposal : stored.tombstone
  const { tenant, ref: proposal, action, status, revision } = identity
  const effect = (await core.store.effect(identity.effect)) ?? unclaimed(identity.effect)
  return {
    format: 'countersign/evidence/v1',
    tenant,
    proposal,
    action,
    effect: { domain: effect.key.domain, reference: effect.key.reference },
    status,
    revision,
    receiptSalt: live === null ? null : toBase64Url(live.receiptSalt),
    receipts: await core.store.receipts(tenant, proposal),
    attempts: effect.attempts.map(({ token: _token, ...attempt }) => attempt),
    observations: effect.observations,
    settlement: effect.settlement,
    exportedAt: core.clock.now(),
  }
}
