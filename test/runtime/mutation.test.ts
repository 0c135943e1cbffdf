// Threat T3: what was sent, prepared and approved is what is stored and run, whatever is done to the objects meanwhile.
import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../src/proposal/action.ts'
import type { Session } from '../../src/proposal/session.ts'
import { canonicalJson } from '../../src/effect/canonical-json.ts'
import { answerOf, openWorld, reference, STORES, unsound } from './harness.ts'
import type { Refund } from './refund.ts'
import { finance1, finance2, reader, requester, session, TENANT } from './sessions.ts'

type Mutable = Record<string, unknown>

describe.each(STORES)('threat T3 on %s', (store) => {
  it('threat T3: a prepare input is read before anything is awaited', async () => {
    const world = await openWorld({ store })
    const other = await world.prepared()
    const { action, command } = world.input()
    const given = unsound<Mutable>(command)
    const input: Mutable = { action, command: given, requestKey: 'k-1', replaces: undefined }

    const answer = world.runtime.prepare(requester, unsound(input))
    given['amount'] = { amount: '99.00', currency: 'EUR' }
    Object.assign(unsound<Mutable>(given), { memo: 'added' })
    Object.assign(input, { action: 'nothing', command: null, requestKey: 'k-2', replaces: other.proposal })
    const { proposal } = await answer

    expect((await world.stored(proposal)).proposal.replaces).toBeNull()
    expect((await world.stored(other.proposal)).proposal.status).toBe('awaiting_approval')
    expect(await world.runtime.read(reader, proposal)).toMatchObject({
      preview: { amount: { amount: '10.00', currency: 'EUR' } },
    })
    const again = { action, command: { ...given, amount: { amount: '10.00', currency: 'EUR' } }, requestKey: 'k-1' }
    delete unsound<Mutable>(again.command)['memo']
    expect(await answerOf(world.runtime.prepare(requester, again))).toBe('replayed')
  })

  it('threat T3: a proposal that is amended is the one that was named', async () => {
    const world = await openWorld({ store })
    const [named, other] = [await world.prepared(), await world.prepared()]
    const input: Mutable = { ...world.input(), replaces: named.proposal }
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (given) => {
      input['replaces'] = other.proposal
      return prepare(given)
    }

    const { proposal } = await world.runtime.prepare(requester, unsound(input))

    expect((await world.stored(proposal)).proposal.replaces).toBe(named.proposal)
    expect((await world.stored(named.proposal)).proposal.status).toBe('withdrawn')
    expect((await world.stored(other.proposal)).proposal.status).toBe('awaiting_approval')
  })

  it('threat T3: a session is who it was at the call', async () => {
    const world = await openWorld({ store })
    const caller = unsound<Mutable>(structuredClone(requester))

    const answer = world.runtime.prepare(unsound<Session>(caller), world.input())
    Object.assign(unsound<Mutable>(caller['principal']), { kind: 'agent', id: 'somebody-else' })
    unsound<string[]>(caller['roles']).length = 0
    caller['tenant'] = 'globex'
    const { proposal } = await answer

    expect((await world.stored(proposal)).proposal).toMatchObject({
      tenant: TENANT,
      requester: { kind: 'user', id: 'rita' },
    })
  })

  it('threat T3: a decision is what it was at the call', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    const input: Mutable = { commitment: `c1_${'A'.repeat(43)}`, comment: 'first' }
    const right: Mutable = { commitment, comment: 'first', ifRevision: 0 }
    const approver = unsound<Mutable>(structuredClone(finance1))

    const wrong = answerOf(world.runtime.approve(finance2, proposal, unsound(input)))
    input['commitment'] = commitment
    const answer = answerOf(world.runtime.approve(unsound(approver), proposal, unsound(right)))
    Object.assign(right, { commitment: 'nothing', comment: 'second', ifRevision: 99 })
    unsound<string[]>(approver['roles']).push('director')
    unsound<Mutable>(approver['principal'])['id'] = 'felix'

    expect(await wrong).toBe('binding_mismatch')
    expect(await answer).toBe('approved')
    expect((await world.stored(proposal)).approvals).toMatchObject([
      { approver: { id: 'fiona' }, rolesAtDecision: ['finance-manager'], commitment },
    ])
    expect(await world.runtime.read(reader, proposal)).toMatchObject({ approvals: [{ comment: 'first' }] })
  })

  it('threat T3: a withdrawal and a list are what they were at the call', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    const statuses = ['awaiting_approval']
    const input: Mutable = { reason: 'first_reason', ifRevision: 0 }

    const listed = world.runtime.list(reader, unsound({ statuses }))
    statuses[0] = 'withdrawn'
    expect((await listed).items).toHaveLength(1)
    const answer = world.runtime.withdraw(requester, proposal, unsound(input))
    Object.assign(input, { reason: 'second_reason', ifRevision: 99 })

    expect((await answer).outcome).toBe('withdrawn')
    expect((await world.stored(proposal)).proposal).toMatchObject({ reason: 'first_reason' })
  })

  it('threat T3: the executor gets what was committed to, whatever became of the prepared objects and of their prototypes', async () => {
    const world = await openWorld({ store })
    const { prepare, execute } = world.action.methods
    let kept: Mutable = {}
    world.action.methods.prepare = async (input) => {
      const prepared = structuredClone(await prepare(input))
      kept = unsound<Mutable>(prepared.snapshot)
      return prepared
    }
    const given: Snapshot<Refund>[] = []
    world.action.methods.execute = async (input) => {
      given.push(input.snapshot)
      return execute(input)
    }
    const { proposal, commitment } = await world.prepared()
    const committed = canonicalJson(kept, { numbers: 'integers' })

    unsound<Mutable>(kept['amount'])['amount'] = '9999.00'
    kept['orderReference'] = 'ORD-9999'
    Object.defineProperty(kept, 'refunded', { get: () => ({ amount: '0.00', currency: 'EUR' }), enumerable: true })
    Object.setPrototypeOf(kept, { customer: 'somebody else' })
    await world.runtime.approve(finance1, proposal, { commitment })
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('verification_pending')

    expect(given.map((snapshot) => canonicalJson(snapshot, { numbers: 'integers' }))).toEqual([committed])
  })

  it('threat T3: nothing that the host is given can be changed by it', async () => {
    const world = await openWorld({ store })
    const frozen: Record<string, boolean> = {}
    const { prepare, preview, resolve, execute } = world.action.methods
    const isFrozen = (value: unknown): boolean => {
      if (typeof value !== 'object' || value === null) return true
      return Object.isFrozen(value) && Object.values(value).every(isFrozen)
    }
    world.action.methods.prepare = async (input) => {
      frozen['command'] = isFrozen(input.command)
      return prepare(input)
    }
    world.action.methods.preview = (snapshot) => {
      frozen['snapshot of preview'] = isFrozen(snapshot)
      return preview(snapshot)
    }
    world.action.methods.resolve = async (input) => {
      frozen['snapshot of resolve'] = isFrozen(input.snapshot)
      return resolve(input)
    }
    world.action.methods.execute = async (input) => {
      frozen['snapshot of execute'] = isFrozen(input.snapshot)
      frozen['current of execute'] = isFrozen(input.current)
      return execute(input)
    }
    const { proposal } = await world.approvedProposal()

    await world.runtime.execute(requester, proposal)

    expect(Object.entries(frozen).filter(([, is]) => !is)).toEqual([])
    expect(Object.keys(frozen)).toHaveLength(5)
  })

  it('threat T3: a preview that changes with each look is found out before the call', async () => {
    const world = await openWorld({ store })
    const { preview } = world.action.methods
    const { proposal } = await world.approvedProposal()

    world.action.methods.preview = (snapshot) => ({ ...preview(snapshot), title: 'Payment' })

    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('blocked preview_differs')
    expect(world.action.calls.execute).toBe(0)
  })

  it('threat T3: what an operation answers is nobody’s to change', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const view = unsound<Mutable>(await world.runtime.read(reader, proposal))
    const { receipts } = await world.runtime.receipts(reader, proposal)
    const before = await world.stored(proposal)

    for (const thing of [view, ...Object.values(view), receipts[0], receipts[0]?.body]) {
      try {
        Object.assign(unsound<object>(thing ?? {}), { status: 'verified', kind: 'service', proposal: 'x' })
      } catch {
        // Frozen, which is as good as a copy.
      }
    }

    expect(await world.stored(proposal)).toEqual(before)
    expect(await world.bareStore.receipts(reference(TENANT), reference(proposal))).toHaveLength(2)
    await world.assertWhole()
  })

  it('threat T24: names that mean something to JavaScript are refused in content, and pollute nothing', async () => {
    const world = await openWorld({ store })
    const commands = [
      '{"__proto__":{"polluted":1}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"memo":{"__proto__":{"polluted":1}}}',
    ]

    for (const text of commands) {
      const command = { orderReference: 'x', intent: 'y' }
      Object.defineProperties(command, Object.getOwnPropertyDescriptors(unsound<object>(JSON.parse(text))))
      expect(await answerOf(world.runtime.prepare(requester, { action: world.action.contract.type, command }))).toBe(
        'invalid_command',
      )
    }
    expect(unsound<Mutable>({})['polluted']).toBeUndefined()
    const odd = session('user:__proto__', ['support'])
    expect(await answerOf(world.prepared(odd))).toBe('prepared')
  })
})
