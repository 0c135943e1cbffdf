// Neighbours: proposals that stand behind the same effect as the one asked about, where one damaged row must not stop the rest.
import type { Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { Core } from '../core.ts'
import type { LiveProposal } from '../ports.ts'

/** Whether the proposal is erased; a row that cannot be read is not known to be. */
export async function isErased(core: Core, tenant: Reference, ref: Reference): Promise<boolean> {
  try {
    return (await core.store.proposal(tenant, ref))?.kind === 'erased'
  } catch (error) {
    if (!(error instanceof StoredDataCorrupt)) throw error
    return false
  }
}

/** The live proposal, or null where it is erased or its row cannot be read. Spec: store 2, guarantee 11. */
export async function neighbour(core: Core, tenant: Reference, ref: Reference): Promise<LiveProposal | null> {
  try {
    const stored = await core.store.proposal(tenant, ref)
    return stored?.kind === 'live' ? stored : null
  } catch (error) {
    if (!(error instanceof StoredDataCorrupt)) throw error
    core.logger.error({ proposal: ref }, 'a proposal beside the one asked about is damaged')
    return null
  }
}
