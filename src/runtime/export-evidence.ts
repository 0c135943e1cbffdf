// Export: the chain and the evidence of one proposal as a bundle that can be checked anywhere.
import { unclaimed } from '../effect/effect-changes.ts'
import type { Attempt, Effect } from '../effect/effect.ts'
import { toBase64Url } from '../effect/hash.ts'
import type { Reference } from '../effect/reference.ts'
import type { EvidenceBundle } from '../proposal/receipts/evidence-bundle.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Tombstone } from '../proposal/tombstone.ts'
import { demand } from './authority.ts'
import type { Core } from './core.ts'
import { isReadable, loadAny } from './load.ts'
import type { ErasedProposal, LiveProposal } from './ports.ts'
import { LOST_RACE, untilSettled } from './rounds.ts'

/**
 * The bundle of one proposal, erased or not. It needs the right to evidence beside the right to read.
 * Spec: lifecycle 8 and 10, rules R14.
 */
export async function exportEvidence(core: Core, session: CallerSession, ref: string): Promise<EvidenceBundle> {
  const { stored, registered } = await loadAny(core, session, ref)
  const about = stored.kind === 'live' ? { proposal: stored.proposal } : {}
  await demand(core, registered.definition, 'evidence', session, about)
  const { tenant, ref: proposal } = identityOf(stored)
  return untilSettled(
    async () => {
      const before = await core.store.proposal(tenant, proposal)
      const bundle = await bundleOf(core, session, before ?? stored)
      const after = await core.store.proposal(tenant, proposal)
      // Chain and evidence are of one moment, or they would seem to contradict each other.
      return after !== null && identityOf(after).revision === bundle.revision ? bundle : LOST_RACE
    },
    async () => {
      throw new StoreUnavailable('The proposal kept changing while it was read.')
    },
  )
}

async function bundleOf(core: Core, session: CallerSession, stored: Stored): Promise<EvidenceBundle> {
  const { tenant, ref: proposal, action, status, revision, effect: key } = identityOf(stored)
  const effect = ownEffect((await core.store.effect(key)) ?? unclaimed(key), proposal)
  return {
    format: 'countersign/evidence/v1',
    tenant,
    proposal,
    action,
    effect: { domain: key.domain, reference: key.reference },
    status,
    revision,
    receiptSalt: stored.kind === 'live' ? toBase64Url(stored.receiptSalt) : null,
    receipts: await core.store.receipts(tenant, proposal),
    lastHash: stored.kind === 'live' ? stored.lastHash : stored.tombstone.lastHash,
    attempts: await attemptsShown(core, session, effect, proposal),
    observations: effect.observations,
    settlement: effect.settlement,
    exportedAt: core.clock.now(),
  }
}

type Stored = LiveProposal | ErasedProposal

function identityOf(stored: Stored): Pick<Tombstone, 'tenant' | 'ref' | 'action' | 'status' | 'revision' | 'effect'> {
  return stored.kind === 'live' ? stored.proposal : stored.tombstone
}

// What became of an effect is shown with the proposals that had an attempt on it, and with no other.
function ownEffect(effect: Effect, proposal: Reference): Effect {
  return effect.attempts.some((attempt) => attempt.proposal === proposal) ? effect : unclaimed(effect.key)
}

// Other proposals of the effect are named only to who may read them (lifecycle 6.5).
async function attemptsShown(
  core: Core,
  session: CallerSession,
  { attempts }: Effect,
  own: Reference,
): Promise<EvidenceBundle['attempts']> {
  const others = new Set(attempts.map(({ proposal }) => proposal).filter((proposal) => proposal !== own))
  const readable = new Set<Attempt['proposal']>([own])
  for (const other of others) {
    if (other !== null && (await isReadable(core, session, other))) readable.add(other)
  }
  return attempts.map(({ token: _token, ...attempt }) => {
    return readable.has(attempt.proposal) ? attempt : { ...attempt, proposal: null }
  })
}
