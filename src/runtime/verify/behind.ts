// The proposals behind an effect: its owner and its former owners, as far as they are not erased and can be read.
import type { Effect } from '../../effect/effect.ts'
import type { Core } from '../core.ts'
import { neighbour } from './neighbour.ts'
import type { LiveProposal } from '../ports.ts'

/** Spec: rules R3. */
export async function proposalsBehind(core: Core, effect: Effect): Promise<readonly LiveProposal[]> {
  const refs = new Set([effect.owner, ...effect.attempts.map(({ proposal }) => proposal)])
  const found: LiveProposal[] = []
  for (const ref of refs) {
    const stored = ref === null ? null : await neighbour(core, effect.key.tenant, ref)
    if (stored !== null) found.push(stored)
  }
  return found
}
