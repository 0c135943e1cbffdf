// Export: the chain and the evidence of one proposal, for those who have the right to it.
import type { EvidenceBundle } from '../proposal/receipts/evidence-bundle.ts'
import { NotFound } from '../proposal/errors.ts'
import type { CallerSession } from '../proposal/session.ts'
import { demand } from './authority.ts'
import { readBundle } from './bundle.ts'
import type { Core } from './core.ts'
import { isReadable, loadAny } from './load.ts'

/**
 * The bundle of one proposal, erased or not. It needs the right to evidence beside the right to read.
 * Spec: lifecycle 8 and 10, rules R14.
 */
export async function exportEvidence(core: Core, session: CallerSession, ref: string): Promise<EvidenceBundle> {
  const { stored, registered } = await loadAny(core, session, ref)
  const about = stored.kind === 'live' ? { proposal: stored.proposal } : {}
  await demand(core, registered.definition, 'evidence', session, about)
  const { tenant, ref: proposal } = stored.kind === 'live' ? stored.proposal : stored.tombstone
  const bundle = await readBundle(core.store, tenant, proposal, {
    exportedAt: core.clock.now(),
    // Other proposals of the effect are named only to who may read them (lifecycle 6.5).
    mayName: (other) => isReadable(core, session, other),
  })
  if (bundle === null) throw new NotFound()
  return bundle
}
