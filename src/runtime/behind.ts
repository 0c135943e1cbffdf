// The proposals behind an effect: its owner and its former owners, as far as they are not erased and can be read.
import type { Effect } from '../effect/effect.ts'
import type { Reference } from '../effect/reference.ts'
import { StoredDataCorrupt } from '../proposal/errors.ts'
import type { Core } from './core.ts'
import type { LiveProposal } from './ports.ts'

/** Spec: rules R3. */
export async function proposalsBehind(core: Core, effect: Effect): Promise<readonly LiveProposal[]> {
  const refs = new Set([effect.owner, ...effect.attempts.map(({ proposal }) => proposal)])
  const found: LiveProposal[] = []
  for (const ref of refs) {
    const stored = ref === null ? null : await readable(core, effect.key.tenant, ref)
    if (stored?.kind === 'live') found.push(stored)
  }
  return found
}

/** Whether a proposal is live or erased; null where it cannot be read, which must not keep evidence from being stored. */
export async function stateOf(core: Core, tenant: Reference, ref: Reference): Promise<'live' | 'erased' | null> {
  return (await readable(core, tenant, ref))?.kind ?? null
}

// A row that is damaged cannot follow the evidence, and must not keep it from being stored.
async function readable(core: Core, tenant: Reference, ref: Reference): ReturnType<Core['store']['proposal']> {
  try {
    return await core.store.proposal(tenant, ref)
  } catch (error) {
    if (!(error instanceof StoredDataCorrupt)) throw error
    core.logger.error({ proposal: ref }, 'a damaged proposal could not follow the evidence about its effect')
    return null
  }
}
