// Not found: unknown, malformed, foreign, unreadable and hidden proposals are the same answer to every operation.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { markForErasure } from './erased.ts'
import { openWorld, refused, STORES, unsound } from './harness.ts'
import { agent, finance1, OTHER_TENANT, requester, session, stranger } from './sessions.ts'

const operations: Readonly<
  Record<string, (runtime: ProposalRuntime, by: Session, ref: string, commitment: string) => Promise<unknown>>
> = {
  approve: async (runtime, by, ref, commitment) => runtime.approve(by, ref, { commitment }),
  reject: async (runtime, by, ref, commitment) => runtime.reject(by, ref, { commitment }),
  'approve, at a revision': async (runtime, by, ref, commitment) =>
    runtime.approve(by, ref, { commitment, ifRevision: 0 }),
  revokeApproval: async (runtime, by, ref) => runtime.revokeApproval(by, ref, 'some-approval'),
  withdraw: async (runtime, by, ref) => runtime.withdraw(by, ref),
  check: async (runtime, by, ref) => runtime.check(by, ref),
  execute: async (runtime, by, ref) => runtime.execute(by, ref, { reconcile: true }),
  reconcile: async (runtime, by, ref) => runtime.reconcile(by, ref),
  read: async (runtime, by, ref) => runtime.read(by, ref),
  receipts: async (runtime, by, ref) => runtime.receipts(by, ref),
  'prepare, to amend': async (runtime, by, ref) =>
    runtime.prepare(by, {
      action: 'example.payments/refund@1',
      command: { orderReference: 'ORD-1001', intent: 'x y z', amount: { amount: '10.00', currency: 'EUR' } },
      replaces: ref,
    }),
}

/** A caller with every right but to read what is not theirs. */
const mighty = session('user:max', ['support', 'finance-manager', 'director', 'operator', 'executor', 'auditor'])

describe.each(STORES)('design D12 on %s', (store) => {
  it.each(Object.entries(operations))('%s answers one and the same error, whatever the reason', async (name, run) => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared(agent)
    const hidden = await world.prepared(agent)
    await markForErasure(world, hidden.proposal)
    const { runtime } = world
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => act === 'prepare' || can(act, caller, view)
    const elsewhere = { ...mighty, tenant: OTHER_TENANT }
    const unregistered = await world.open({ actions: [world.actionWith({ type: 'example.payments/payout@1' })] })

    const errors = await Promise.all([
      refused(run(runtime, mighty, 'unknown', commitment)),
      refused(run(runtime, mighty, '', commitment)),
      refused(run(runtime, mighty, ' padded ', commitment)),
      refused(run(runtime, mighty, 'x'.repeat(300), commitment)),
      refused(run(runtime, mighty, "'; drop table proposals; --", commitment)),
      refused(run(runtime, mighty, '\u0000', commitment)),
      refused(run(runtime, mighty, unsound(null), commitment)),
      refused(run(runtime, mighty, unsound(7), commitment)),
      refused(run(runtime, mighty, unsound({ toString: () => proposal }), commitment)),
      refused(run(runtime, mighty, unsound([proposal]), commitment)),
      refused(run(runtime, elsewhere, proposal, commitment)),
      refused(run(runtime, { ...stranger, tenant: OTHER_TENANT }, proposal, commitment)),
      refused(run(runtime, stranger, proposal, commitment)),
      refused(run(runtime, mighty, hidden.proposal, hidden.commitment)),
      // To amend there must be an action, so there it is only the proposal's that nobody knows.
      ...(name === 'prepare, to amend' ? [] : [refused(run(unregistered, mighty, proposal, commitment))]),
    ])

    const told = errors.map((error) => ({ name: error.name, message: error.message, own: JSON.stringify(error) }))
    const { code } = errors[0] ?? {}
    expect(code).toBe('not_found')
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1)
    expect((await world.stored(proposal)).proposal.revision).toBe(0)
  })

  it('an erasure that is under way hides a proposal from lists and from every relation, too', async () => {
    const world = await openWorld({ store })
    const shown = await world.prepared()
    const hidden = await world.prepared()
    await markForErasure(world, hidden.proposal)

    const { items } = await world.runtime.list(finance1)
    const view = await world.runtime.read(finance1, shown.proposal)

    expect(items.map(({ proposal }) => proposal)).toEqual([shown.proposal])
    expect(view).toMatchObject({ related: [] })
  })

  it('an erasure that was asked for and cannot be done yet hides nothing', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    await world.runtime.execute(requester, proposal)
    await markForErasure(world, proposal)

    expect((await world.stored(proposal)).proposal.erasure).toBe('requested')
    expect(await world.runtime.read(finance1, proposal)).toMatchObject({ erasure: 'requested', contentAvailable: true })
  })
})
