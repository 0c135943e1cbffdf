// Reading: what a proposal shows to whoever may read it, opened now, computed now, and nothing that is private.
import { describe, expect, it } from 'vitest'
import type { ProposalView } from '../../src/runtime/read.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { erase } from './erased.ts'
import { HOUR_MS, LIFETIME_MS, openWorld, refused, START, STORES, unsound, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { agent, finance1, finance2, reader, requester, service, session, stranger } from './sessions.ts'

async function view(world: World, ref: string, by = reader): Promise<ProposalView> {
  const found = await world.runtime.read(by, ref)
  if (found.kind !== 'proposal') throw new Error('it is erased')
  return found
}

describe.each(STORES)('a view on %s', (store) => {
  it('shows everything of a fresh proposal but its snapshot', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared(agent)
    const { lastHash, ...stored } = await world.stored(proposal)
    const { subject, effect } = stored.proposal

    const shown = await view(world, proposal)

    const { policy, ...rest } = shown
    expect(rest).toEqual({
      kind: 'proposal',
      proposal,
      action: 'example.payments/refund@1',
      status: 'awaiting_approval',
      revision: 0,
      requester: { kind: 'agent', id: 'bot' },
      agent: { kind: 'agent', id: 'bot' },
      agentOwner: { kind: 'user', id: 'olga' },
      subject,
      effectReference: effect.reference,
      commitment,
      createdAt: START,
      expiresAt: START + LIFETIME_MS,
      preview: {
        title: 'Refund',
        orderReference: 'ORD-1001',
        amount: { amount: '10.00', currency: 'EUR' },
        alreadyRefunded: { amount: '20.00', currency: 'EUR' },
      },
      contentAvailable: true,
      approvals: [],
      evidence: null,
      attention: [],
      nextStep: 'await_approval',
      waitUntil: null,
      related: [],
      replaces: null,
      replacedBy: null,
      supersededBy: null,
      driftPaths: [],
      changedSinceReplaced: [],
      blockedBy: null,
      result: null,
      erasure: 'none',
      receipts: { count: 1, lastHash },
    })
    expect(policy).toMatchObject({ met: false, requirements: [{ name: 'finance', missing: 1 }] })
    expect(JSON.stringify(shown)).not.toContain('Carla')
  })

  it('follows a proposal from approval to its verified result', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const steps = [await view(world, proposal)]
    await world.runtime.execute(requester, proposal)
    steps.push(await view(world, proposal))
    await world.clock.advance(5_000)
    steps.push(await view(world, proposal))
    await world.runtime.reconcile(service, proposal)
    steps.push(await view(world, proposal))

    expect(steps.map(({ status, nextStep, waitUntil, result }) => [status, nextStep, waitUntil, result])).toEqual([
      ['approved', 'execute', null, null],
      ['verification_pending', 'wait', START + 5_000, null],
      ['verification_pending', 'reconcile', null, null],
      ['verified', 'none', null, { refundId: 'rf-1' }],
    ])
    expect(steps.at(-1)).toMatchObject({
      evidence: { status: 'CONFIRMED', attempts: 1, conflict: false, duplicatePossible: false, settled: null },
      approvals: [{ decision: 'approve', approver: { kind: 'user', id: 'fiona' }, revokedAt: null, comment: null }],
    })
  })

  it('tells what time has done, before anybody has written it down', async () => {
    const policy = { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }], approvalTtl: '1h' }
    const world = await openWorld({ store, contract: { lifetime: '48h', policy } })
    const { proposal } = await world.approvedProposal()

    expect(await view(world, proposal)).toMatchObject({ policy: { met: true, validUntil: START + HOUR_MS } })
    await world.clock.advance(HOUR_MS)
    expect(await view(world, proposal)).toMatchObject({ status: 'approved', policy: { met: false } })
    await world.clock.advance(48 * HOUR_MS)
    expect(await view(world, proposal)).toMatchObject({ status: 'approved', nextStep: 'prepare_again' })
  })

  it('tells why a proposal is stale, by which it was replaced, and what is new in that one', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const { resolve } = world.action.methods
    world.action.business.refunded = { amount: '30.00', currency: 'EUR' }
    world.action.business.customer = 'Caroline Customer'
    world.action.methods.resolve = async (input) => {
      const found = await resolve(input)
      return found.current === null ? found : { ...found, replacement: found.current }
    }

    const { replacedBy } = await world.runtime.execute(requester, proposal)

    const [old, fresh] = [await view(world, proposal), await view(world, replacedBy ?? '')]
    expect(old).toMatchObject({ status: 'stale', replacedBy, driftPaths: ['/customer', '/refunded/amount'] })
    expect(fresh).toMatchObject({ status: 'awaiting_approval', replaces: proposal, approvals: [], revision: 0 })
    expect(fresh.changedSinceReplaced).toEqual([{ path: '/alreadyRefunded/amount', before: '20.00', after: '30.00' }])
    expect(JSON.stringify([old, fresh])).not.toContain('Customer')
  })

  it('compares with a replaced proposal only for who may read that, and while it can be opened', async () => {
    const world = await openWorld({ store })
    const first = await world.prepared()
    const { command } = world.input({ amount: { amount: '12.00', currency: 'EUR' } })
    const second = await world.runtime.prepare(requester, {
      action: world.action.contract.type,
      command,
      replaces: first.proposal,
    })
    const { can } = world.action.methods

    expect((await view(world, second.proposal)).changedSinceReplaced).toEqual([
      { path: '/amount/amount', before: '10.00', after: '12.00' },
    ])
    world.action.methods.can = (act, caller, about) => about.proposal?.ref !== first.proposal && can(act, caller, about)
    expect(await view(world, second.proposal)).toMatchObject({ replaces: null, changedSinceReplaced: [] })
    world.action.methods.can = can
    world.keyring.resolve = async () => null
    expect(await view(world, second.proposal)).toMatchObject({ replaces: first.proposal, changedSinceReplaced: [] })
  })

  it.each(['missing', 'denied', 'unavailable', 'damaged'] as const)(
    'stays readable while the key is %s, without anything that is sealed',
    async (answer) => {
      const world = await openWorld({ store })
      const { proposal, commitment } = await world.prepared()
      await world.runtime.approve(finance1, proposal, { commitment, comment: 'looks fine' })
      await world.runtime.execute(requester, proposal)
      await world.clock.advance(5_000)
      await world.runtime.reconcile(service, proposal)

      world.keyring.resolve = async () => {
        throw new KeyUnavailable(answer)
      }

      expect(await view(world, proposal)).toMatchObject({
        status: 'verified',
        contentAvailable: false,
        preview: null,
        result: null,
        approvals: [{ approver: { id: 'fiona' }, comment: null }],
        evidence: { status: 'CONFIRMED' },
      })
    },
  )

  it('of an erased proposal is its tombstone, for whoever may read it', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    const tombstone = await erase(world, proposal)

    expect(await world.runtime.read(reader, proposal)).toEqual({
      kind: 'erased',
      tombstone,
      evidence: null,
      attention: [],
    })
    expect(await refused(world.runtime.read(stranger, proposal))).toHaveProperty('code', 'not_found')
    expect(await refused(world.runtime.withdraw(requester, proposal))).toHaveProperty('code', 'not_found')
  })
})

describe.each(STORES)('what is related on %s', (store) => {
  const rosa = session('user:rosa', ['support'])

  it('is open, in doubt or settled, for the same effect or subject, newest first', async () => {
    const world = await openWorld({ store })
    const same = world.input({ intent: 'the same effect' })
    const inDoubt = await world.approvedProposal()
    await world.runtime.execute(requester, inDoubt.proposal)
    const twin = await world.prepared(rosa, same)
    const asked = await world.prepared(requester, same)
    await world.prepared(requester, world.input({ orderReference: 'ORD-2002' }))
    for (const close of ['reject', 'withdraw'] as const) {
      const { proposal, commitment } = await world.prepared()
      if (close === 'reject') await world.runtime.reject(finance1, proposal, { commitment })
      else await world.runtime.withdraw(requester, proposal)
    }

    const { related } = await view(world, asked.proposal)

    const action = 'example.payments/refund@1'
    expect(related).toEqual([
      { proposal: twin.proposal, action, status: 'awaiting_approval', sameEffect: true },
      { proposal: inDoubt.proposal, action, status: 'verification_pending', sameEffect: false },
    ])
  })

  it('is only what the reader may read', async () => {
    const world = await openWorld({ store })
    const [first, second] = [await world.prepared(), await world.prepared()]
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, about) => about.proposal?.ref !== first.proposal && can(act, caller, about)

    expect((await view(world, second.proposal)).related).toEqual([])
  })

  it('still warns of one in doubt behind any number of others', async () => {
    const world = await openWorld({ store })
    const inDoubt = await world.approvedProposal()
    await world.runtime.execute(requester, inDoubt.proposal)
    for (let nth = 0; nth < 60; nth += 1) await world.prepared(agent)
    const { proposal } = await world.prepared()

    const { related } = await view(world, proposal)

    expect(related).toContainEqual(
      expect.objectContaining({ proposal: inDoubt.proposal, status: 'verification_pending' }),
    )
  })
})

describe('an approval as readers see it', () => {
  it('names who decided, when and until when, and none of their roles', async () => {
    const world = await openWorld({ store: 'memory' })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve({ ...finance2, roles: ['finance-manager', 'secret-role'] }, proposal, { commitment })

    const shown = await view(world, proposal)

    const [approval] = (await world.stored(proposal)).approvals
    expect(shown.approvals).toEqual([
      {
        approvalId: approval?.approvalId,
        decision: 'approve',
        approver: { kind: 'user', id: 'felix' },
        decidedAt: START,
        expiresAt: START + LIFETIME_MS,
        revokedAt: null,
        comment: null,
      },
    ])
    expect(JSON.stringify(shown)).not.toContain('secret-role')
  })

  it('is no obstacle when its comment cannot be opened', async () => {
    let isSpoiled = false
    const around: Around = async (name, call) => {
      const answer = await call()
      if (name === 'proposal' && isSpoiled) spoilComments(unsound<LiveProposal>(answer))
      return answer
    }
    const world = await openWorld({ store: 'memory', around })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment, comment: 'fine' })

    isSpoiled = true

    expect(await view(world, proposal)).toMatchObject({ contentAvailable: true, approvals: [{ comment: null }] })
  })
})

function spoilComments({ comments }: LiveProposal): void {
  for (const sealed of comments.values()) sealed.reverse()
}
