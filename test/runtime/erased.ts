// An erasure as a store takes it, step by step, for tests of what is answered about a proposal that is hidden or gone.
import { lifecycle } from '../../src/proposal/lifecycle/lifecycle.ts'
import { reason } from '../../src/proposal/lifecycle/verdict.ts'
import { chainReceipt } from '../../src/proposal/receipts/receipt-chain.ts'
import type { Tombstone } from '../../src/proposal/tombstone.ts'
import { changeOf, receiptBody } from '../../src/runtime/record.ts'
import { unsound, type World } from './harness.ts'

const actor = { participant: 'user:paula', trigger: 'user:paula' }

/** The first step: open proposals are withdrawn, and content is hidden, or marked to be while its effect is in doubt. */
export async function markForErasure(world: World, ref: string): Promise<void> {
  const stored = await world.stored(ref)
  const effect = await world.bareStore.effect(stored.proposal.effect)
  const move = lifecycle.erase(stored.proposal, { reason: reason('asked_for'), effect }, world.clock.now())
  if (move.kind !== 'move') throw new Error('an erasure is marked')
  const core = unsound<Parameters<typeof changeOf>[0]>({ ids: { token: (): string => `mark-${ref}` } })
  const answer = await world.bareStore.commit(changeOf(core, stored.proposal.tenant, [{ stored, move, actor }]))
  if (answer.kind !== 'committed') throw new Error(answer.on)
}

/** Both steps: only the tombstone is left. */
export async function erase(world: World, ref: string): Promise<Tombstone> {
  await markForErasure(world, ref)
  const { proposal, receiptSalt, lastHash } = await world.stored(ref)
  const { tenant, action, effect, status, createdAt, expiresAt } = proposal
  const now = world.clock.now()
  const after = { ...proposal, revision: proposal.revision + 1, updatedAt: now }
  const receipt = chainReceipt(
    receiptSalt,
    { sequence: proposal.revision + 1, hash: lastHash },
    {
      tenant,
      proposal: proposal.ref,
      body: receiptBody(after, { type: 'proposal.erased' }, actor, reason('asked_for')),
    },
  )
  const tombstone: Tombstone = {
    tenant,
    ref: proposal.ref,
    action,
    effect,
    status,
    evidence: null,
    attemptCount: 0,
    revision: after.revision,
    createdAt,
    expiresAt,
    settledAt: null,
    erasedAt: now,
    reason: reason('asked_for'),
    metRequirements: [],
    replacedBy: null,
    supersededBy: null,
    receiptCount: receipt.sequence,
    lastHash: receipt.hash,
  }
  const answer = await world.bareStore.commit({
    changeId: `erase-${ref}`,
    tenant,
    notAfter: null,
    notBefore: null,
    proposals: [{ kind: 'erase', tombstone }],
    effect: null,
    call: null,
    approvals: [],
    receipts: [receipt],
    events: [],
  })
  if (answer.kind !== 'committed') throw new Error(answer.on)
  return tombstone
}
