// The stock: everything that the store holds of both tenants, as one text to compare and as a list to draw from.
import { idempotencyKey } from '../../../src/effect/effect-key.ts'
import type { Effect } from '../../../src/effect/effect.ts'
import type { Reference } from '../../../src/effect/reference.ts'
import type { ErasedProposal, LiveProposal, Store } from '../../../src/runtime/ports.ts'
import { reference } from '../../runtime/harness.ts'
import { OTHER_TENANT, TENANT } from '../../runtime/sessions.ts'

/** One proposal, with what a request can name of it. */
export interface Stocked {
  readonly ref: string
  readonly tenant: string
  readonly isErased: boolean
  readonly status: string
  readonly revision: number
  readonly commitment: string
  readonly approvalIds: readonly string[]
  readonly effect: string
  readonly subject: string
  readonly idempotencyKey: string
  readonly lastHash: string
}

export interface Stock {
  /** The logical dump: another text is another state. */
  readonly text: string
  readonly proposals: readonly Stocked[]
}

const PAGE = 200
const EVENTS = 1_000

/** Takes stock. `before` names the proposals that are known, since a list passes over the erased ones. */
export async function stockOf(store: Store, before: Stock | null): Promise<Stock> {
  const proposals: Stocked[] = []
  const parts: unknown[] = []
  for (const tenant of [TENANT, OTHER_TENANT].map(reference)) {
    for (const ref of await refsOf(store, tenant, before)) {
      const read = await store.proposal(tenant, ref)
      if (read === null) continue
      const key = read.kind === 'live' ? read.proposal.effect : read.tombstone.effect
      const effect = await store.effect(key)
      proposals.push(stocked(read, effect))
      parts.push([plain(read), effect])
    }
    parts.push((await store.events(tenant, 0, EVENTS)).length)
  }
  return { text: JSON.stringify(parts, written), proposals }
}

async function refsOf(store: Store, tenant: Reference, before: Stock | null): Promise<readonly Reference[]> {
  const known = (before?.proposals ?? []).filter((one) => one.tenant === tenant).map(({ ref }) => reference(ref))
  const listed = (await store.list({ tenant, limit: PAGE })).map(({ ref }) => ref)
  return [...new Set([...known, ...listed])].sort()
}

function stocked(read: LiveProposal | ErasedProposal, effect: Effect | null): Stocked {
  if (read.kind === 'erased') {
    const { ref, tenant, status, revision, effect: key, lastHash } = read.tombstone
    const about = { ref, tenant, isErased: true, status, revision, lastHash, approvalIds: [], effect: key.reference }
    return { ...about, commitment: 'c1_erased', subject: 'none', idempotencyKey: idempotencyKey(key, 1) }
  }
  const { proposal, approvals, lastHash } = read
  const { ref, tenant, status, revision, commitment, subject } = proposal
  return {
    ref,
    tenant,
    isErased: false,
    status,
    revision,
    commitment,
    lastHash,
    approvalIds: approvals.map(({ approvalId }) => approvalId),
    effect: proposal.effect.reference,
    subject: subject ?? 'none',
    idempotencyKey: effect?.attempts.at(-1)?.idempotencyKey ?? idempotencyKey(proposal.effect, 1),
  }
}

// Content is sealed and never changes by itself; what tells one state from another is all the rest.
function plain(read: LiveProposal | ErasedProposal): unknown {
  if (read.kind === 'erased') return read.tombstone
  const { proposal, approvals, comments, result, key, lastHash } = read
  return {
    proposal,
    approvals,
    comments: [...comments.keys()],
    hasResult: result !== null,
    key: key.kekVersion,
    lastHash,
  }
}

function written(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value]
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
