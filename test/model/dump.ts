// The logical dump of a world: everything that its store holds, without what chance alone decides.
import type { LiveProposal, Store } from '../../src/runtime/ports.ts'
import { sortedText } from './sorted-text.ts'
import type { World } from './world.ts'

const FAR = 1e15

/** As one text, so that two dumps can be compared and shown. */
export async function dumpOf(world: World): Promise<string> {
  const { book, tenant, tampered, corrupt } = world
  const store = world.ground.store()
  const proposals = []
  for (const { proposal } of book.proposals.values()) {
    const read = await store.proposal(tenant, proposal.ref)
    const receipts = (await store.receipts(tenant, proposal.ref)).map(({ sequence, body }) => ({ sequence, body }))
    const held = read?.kind === 'live' ? live(read) : read && { ...read.tombstone, lastHash: null }
    proposals.push({ held, receipts, wasDamaged: tampered.has(proposal.ref) })
  }
  const effects = []
  for (const [name, { key }] of book.effects) effects.push(corrupt.has(name) ? name : await store.effect(key))
  return sortedText({ proposals, effects, ...(await lists(world, store)) }, 1)
}

async function lists({ tenant, corrupt, clock }: World, store: Store): Promise<object> {
  const limit = 200
  const events = (await store.events(tenant, 0, 1_000)).map(({ position: _, ...event }) => event)
  const expired = (await store.due({ tenant, kind: 'expiry', until: clock.now(), after: null, limit })).map(
    ({ ref }) => ref,
  )
  const all = (await store.list({ tenant, limit })).map(({ ref }) => ref)
  const forPerson = (await store.list({ tenant, needsPerson: true, limit })).map(({ ref }) => ref)
  if (corrupt.size > 0) return { events, expired, all, forPerson }
  const due = (await store.list({ tenant, dueAt: FAR, limit })).map(({ ref }) => ref)
  return { events, expired, all, forPerson, due }
}

// The keys are random, so commitments, salts, hashes and sealed bytes differ from store to store.
function live({ proposal, approvals, comments, result, key }: LiveProposal): object {
  const { commitment, ...rest } = proposal
  return {
    ...rest,
    approvals: approvals
      .map((approval) => ({ ...approval, commitment: approval.commitment === commitment }))
      .sort((a, b) => (a.approvalId < b.approvalId ? -1 : 1)),
    comments: [...comments.keys()].sort(),
    hasResult: result !== null,
    kekVersion: key.kekVersion,
  }
}
