// The bundle of one proposal, read from the store in one moment, whoever asks for it.
import { unclaimed } from '../effect/effect-changes.ts'
import type { Attempt, Effect } from '../effect/effect.ts'
import { toBase64Url } from '../effect/hash.ts'
import type { Reference } from '../effect/reference.ts'
import type { EvidenceBundle } from '../proposal/receipts/evidence-bundle.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { Tombstone } from '../proposal/tombstone.ts'
import type { ErasedProposal, LiveProposal, Store } from './ports.ts'
import { LOST_RACE, untilSettled } from './rounds.ts'

/** When it is exported, and which other proposals of the effect may be named in it. */
export interface BundleOptions {
  readonly exportedAt: number
  readonly mayName: (proposal: Reference) => Promise<boolean>
}

/**
 * The chain and the evidence of a proposal, erased or not; null where there is none. No right is asked for: that is the
 * caller's part, or that of whoever gave away the database file.
 * @throws StoreUnavailable, StoredDataCorrupt
 */
export async function readBundle(
  store: Store,
  tenant: Reference,
  ref: Reference,
  options: BundleOptions,
): Promise<EvidenceBundle | null> {
  return untilSettled(
    async () => {
      const before = await store.proposal(tenant, ref)
      if (before === null) return null
      const bundle = await bundleOf(store, before, options)
      const after = await store.proposal(tenant, ref)
      // Chain and evidence are of one moment, or they would seem to contradict each other.
      return after !== null && identityOf(after).revision === bundle.revision ? bundle : LOST_RACE
    },
    async () => {
      throw new StoreUnavailable('The proposal kept changing while it was read.')
    },
  )
}

type Stored = LiveProposal | ErasedProposal

async function bundleOf(store: Store, stored: Stored, options: BundleOptions): Promise<EvidenceBundle> {
  const { tenant, ref: proposal, action, status, revision, effect: key } = identityOf(stored)
  const effect = ownEffect((await store.effect(key)) ?? unclaimed(key), proposal)
  return {
    format: 'countersign/evidence/v1',
    tenant,
    proposal,
    action,
    effect: { domain: key.domain, reference: key.reference },
    status,
    revision,
    receiptSalt: stored.kind === 'live' ? toBase64Url(stored.receiptSalt) : null,
    receipts: await store.receipts(tenant, proposal),
    lastHash: stored.kind === 'live' ? stored.lastHash : stored.tombstone.lastHash,
    attempts: await attemptsShown(effect, proposal, options.mayName),
    observations: effect.observations,
    settlement: effect.settlement,
    exportedAt: options.exportedAt,
  }
}

function identityOf(stored: Stored): Pick<Tombstone, 'tenant' | 'ref' | 'action' | 'status' | 'revision' | 'effect'> {
  return stored.kind === 'live' ? stored.proposal : stored.tombstone
}

// What became of an effect is shown with the proposals that had an attempt on it, and with no other.
function ownEffect(effect: Effect, proposal: Reference): Effect {
  return effect.attempts.some((attempt) => attempt.proposal === proposal) ? effect : unclaimed(effect.key)
}

async function attemptsShown(
  { attempts }: Effect,
  own: Reference,
  mayName: BundleOptions['mayName'],
): Promise<EvidenceBundle['attempts']> {
  const others = new Set(attempts.map(({ proposal }) => proposal).filter((proposal) => proposal !== own))
  const named = new Set<Attempt['proposal']>([own])
  for (const other of others) {
    if (other !== null && (await mayName(other))) named.add(other)
  }
  return attempts.map(({ token: _token, ...attempt }) => {
    return named.has(attempt.proposal) ? attempt : { ...attempt, proposal: null }
  })
}
