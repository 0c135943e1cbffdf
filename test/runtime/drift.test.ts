// Drift: what is refused because the business state is not the one that was approved, and what takes its place.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Resolved } from '../../src/proposal/action.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import { answering, type ExecutionWorld, openExecution, resendAfter, says } from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, LIFETIME_MS, MINUTE_MS, reference, STORES, unsound } from './harness.ts'
import { type Refund, refund } from './refund.ts'
import { agent, finance1, finance2, requester, TENANT } from './sessions.ts'

type State = Resolved<Refund>
type Snapshot = NonNullable<State['current']>

/** Moves the business, as a second writer would. */
function bookElsewhere(world: ExecutionWorld): void {
  world.action.business.orderVersion += 1
  world.action.business.refunded = { amount: '30.00', currency: 'EUR' }
}

/** Resolves as the business stands, and offers the state as it now is in case of drift. */
function offering(world: ExecutionWorld, change: (current: Snapshot) => unknown = (current) => current): void {
  const { resolve } = world.action.methods
  world.action.methods.resolve = async (input) => {
    const resolved = await resolve(input)
    return { ...resolved, replacement: unsound<Snapshot>(change(resolved.current as Snapshot)) }
  }
}

async function openDrift(store: StoreName, contract: Readonly<Record<string, unknown>> = {}) {
  const world = await openExecution({ store, contract })
  return { world, proposal: await world.approved(`the one that drifts on ${store}`) }
}

describe.each(STORES)('lifecycle 6.6 on %s', (store) => {
  it('refuses material drift with the paths that moved, and calls nothing', async () => {
    const { world, proposal } = await openDrift(store)
    bookElsewhere(world)

    const answer = await world.execute(proposal)

    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    expect(answer).toMatchObject({ outcome: 'stale', reason: 'material_drift', status: 'stale', replacedBy: null })
    expect(answer.nextStep).toBe('prepare_again')
    expect(chain.at(-1)?.body).toMatchObject({
      type: 'execution.drift_refused',
      reason: 'material_drift',
      detail: ['/orderVersion', '/refunded/amount'],
    })
    expect((await world.stored(proposal)).proposal).toMatchObject({ driftPaths: ['/orderVersion', '/refunded/amount'] })
    expect(world.action.calls.execute).toBe(0)
    expect(await answerOf(world.execute(proposal))).toBe('stale')
  })

  it('goes on where only what is immaterial moved, and hands on the state as it is', async () => {
    const { world, proposal } = await openDrift(store, { immaterial: ['/customer'] })
    world.action.business.customer = 'Carla Customer-Married'

    await world.execute(proposal)

    const [call] = world.log.executed
    expect([call?.input.snapshot.customer, call?.input.current.customer]).toEqual([
      'Carla Customer',
      'Carla Customer-Married',
    ])
  })

  it.each([
    { tags: ['b', 'a'], ends: 'verification_pending' },
    { tags: ['a', 'b', 'b'], ends: 'stale material_drift' },
    { tags: ['a'], ends: 'stale material_drift' },
  ])('compares a set without its order: $tags ends $ends', async ({ tags, ends }) => {
    const world = await openExecution({
      store,
      contract: {
        schemas: { ...refund.schemas, snapshot: refund.schemas.snapshot.extend({ tags: z.array(z.string()) }) },
        immaterial: [{ path: '/tags', as: 'set' }],
      },
    })
    const { prepare, resolve } = world.action.methods
    world.action.methods.prepare = async (input) => {
      const prepared = await prepare(input)
      return { ...prepared, snapshot: unsound<Snapshot>({ ...prepared.snapshot, tags: ['a', 'b'] }) }
    }
    world.action.methods.resolve = async (input) => {
      const resolved = await resolve(input)
      return { ...resolved, current: unsound<Snapshot>({ ...resolved.current, tags }) }
    }
    const proposal = await world.approved('the one with a set')

    expect(await answerOf(world.execute(proposal))).toBe(ends)
  })

  it('takes the word of a host that reports drift which the fields do not show', async () => {
    const { world, proposal } = await openDrift(store)
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => ({ ...(await resolve(input)), materiallyDrifted: true })

    expect(await answerOf(world.execute(proposal))).toBe('stale host_reports_drift')
    expect(world.action.calls.execute).toBe(0)
  })

  it('rule R10: a host cannot say that what moved has not drifted', async () => {
    const { world, proposal } = await openDrift(store)
    bookElsewhere(world)
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => ({ ...(await resolve(input)), materiallyDrifted: false })

    expect(await answerOf(world.execute(proposal))).toBe('stale material_drift')
  })

  it('counts a thing that is gone as drift', async () => {
    const { world, proposal } = await openDrift(store)
    world.action.methods.resolve = async () => ({ current: null, precondition: 'gone' })

    expect(await answerOf(world.execute(proposal))).toBe('stale subject_gone')
    expect(world.action.calls.execute).toBe(0)
  })

  it.each([
    { title: 'throws', resolve: () => Promise.reject(new Error('down')) },
    { title: 'answers nothing', resolve: async () => null },
    { title: 'names no precondition', resolve: async () => ({ current: null }) },
    {
      title: 'names a precondition that is no reference',
      resolve: async () => ({ current: null, precondition: ' x' }),
    },
    { title: 'answers a state of another shape', resolve: async () => ({ current: { x: 1 }, precondition: 'v7' }) },
    { title: 'answers more than was asked', resolve: async () => ({ current: null, precondition: 'v7', sure: true }) },
    {
      title: 'answers a truth that is none',
      resolve: async () => ({ current: null, precondition: 'v', materiallyDrifted: 1 }),
    },
  ])('is blocked, and not stale, by a resolution that $title', async ({ resolve }) => {
    const { world, proposal } = await openDrift(store)
    world.action.methods.resolve = unsound(resolve)

    expect(await answerOf(world.execute(proposal))).toBe('blocked resolve_failed')
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
  })

  it('trace S53: is blocked by a resolution that never answers, at the limit of a host call', async () => {
    const { world, proposal } = await openDrift(store)
    let signal: AbortSignal | null = null
    world.action.methods.resolve = (input) => {
      signal = input.signal
      return new Promise(() => {})
    }

    const answer = answerOf(world.execute(proposal))
    await world.clock.advance(10_000)

    expect(await answer).toBe('blocked resolve_failed')
    expect(signal).toMatchObject({ aborted: true })
  })

  it('stores the replacement in the same change, with an authority of its own', async () => {
    const { world } = await openDrift(store)
    offering(world)
    const { proposal, commitment } = await world.prepared(agent)
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.clock.advance(MINUTE_MS)
    bookElsewhere(world)

    const answer = await world.execute(proposal)

    const { proposal: old } = await world.stored(proposal)
    const fresh = await world.stored(answer.replacedBy ?? '')
    const change = world.faults.changes.at(-1)
    expect(answer).toMatchObject({ outcome: 'stale', nextStep: 'none' })
    expect(change?.proposals.map(({ kind }) => kind).toSorted()).toEqual(['insert', 'update'])
    expect(fresh.approvals).toEqual([])
    expect(fresh.proposal).toMatchObject({
      status: 'awaiting_approval',
      replaces: proposal,
      requester: old.requester,
      agent: old.agent,
      agentOwner: old.agentOwner,
      commandFingerprint: old.commandFingerprint,
      expiresAt: world.clock.now() + LIFETIME_MS,
    })
    expect(fresh.proposal.commitment).not.toBe(commitment)
    expect(await answerOf(world.runtime.approve(finance2, fresh.proposal.ref, { commitment }))).toBe('binding_mismatch')
    expect(await answerOf(world.execute(fresh.proposal.ref))).toBe('approval_pending')
    expect(world.action.calls.execute).toBe(0)
  })

  it('trace S18: the replacement is for the very same effect', async () => {
    const { world, proposal } = await openDrift(store)
    offering(world)
    bookElsewhere(world)

    const { replacedBy } = await world.execute(proposal)

    const [old, fresh] = [await world.stored(proposal), await world.stored(replacedBy ?? '')]
    expect(fresh.proposal.effect).toEqual(old.proposal.effect)
    expect(fresh.proposal.subject).toBe(old.proposal.subject)
  })

  it('a directory that fails while the answer is put together hides the name of the replacement, and no more', async () => {
    const { world, proposal } = await openDrift(store)
    offering(world)
    bookElsewhere(world)
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      if (act === 'read' && view.proposal?.ref !== proposal) throw new Error('directory down')
      return can(act, caller, view)
    }

    expect(await world.execute(proposal)).toMatchObject({ outcome: 'stale', replacedBy: null })
    expect((await world.stored(proposal)).proposal).toHaveProperty('replacedBy', expect.any(String))
  })

  it('a replacement runs once it is approved, and the old approval is dead', async () => {
    const { world, proposal } = await openDrift(store)
    offering(world)
    bookElsewhere(world)
    const { replacedBy } = await world.execute(proposal)
    const { commitment } = (await world.stored(replacedBy ?? '')).proposal

    await world.runtime.approve(finance1, replacedBy ?? '', { commitment })

    expect((await world.execute(replacedBy ?? '')).status).toBe('verification_pending')
    expect(world.log.executed.map(({ input }) => input.precondition)).toEqual(['order-version:8'])
  })

  it('whoever requested what is replaced does not approve the replacement', async () => {
    const both = { decide: ['support', 'finance-manager'] }
    const world = await openExecution({
      store,
      contract: {
        permissions: { ...refund.permissions, ...both },
        policy: { require: [{ name: 'support', count: 1, from: { role: 'support' } }] },
      },
    })
    offering(world)
    const { proposal, commitment } = await world.prepared()
    const other = { ...requester, principal: { kind: 'user' as const, id: 'rolf' } }
    await world.runtime.approve(other, proposal, { commitment })
    bookElsewhere(world)
    const { replacedBy } = await world.execute(proposal)
    const fresh = (await world.stored(replacedBy ?? '')).proposal

    const by = (who: typeof requester): Promise<string> =>
      answerOf(world.runtime.approve(who, fresh.ref, { commitment: fresh.commitment }))

    expect([await by(requester), await by(other)]).toEqual(['separation_of_duties', 'approved'])
  })

  it.each([
    { title: 'of another shape', change: () => ({ orderReference: 'ORD-1001' }) },
    { title: 'with a number that is none', change: (current: Snapshot) => ({ ...current, orderVersion: 1.5 }) },
    { title: 'that is no plain data', change: () => new Date(0) },
    { title: 'that is too large', change: (current: Snapshot) => ({ ...current, memo: 'x'.repeat(70_000) }) },
    { title: 'that cannot be shown', change: (current: Snapshot) => ({ ...current, orderReference: 'UNSHOWN' }) },
    { title: 'that nobody could approve', change: (current: Snapshot) => ({ ...current, orderReference: 'BOARD' }) },
  ])('drops a replacement $title, says so, and is stale all the same', async ({ change }) => {
    const world = await openExecution({
      store,
      contract: {
        policy: ({ snapshot }: { readonly snapshot: Snapshot }) => ({
          require: [
            snapshot.orderReference === 'BOARD'
              ? { name: 'board', count: 1, from: { principals: ['user:rita'] } }
              : { name: 'finance', count: 1, from: { role: 'finance-manager' } },
          ],
        }),
      },
    })
    const { preview } = world.action.methods
    world.action.methods.preview = (snapshot) => {
      if (snapshot.orderReference === 'UNSHOWN') throw new Error('no template')
      return preview(snapshot)
    }
    const proposal = await world.approved('the one whose replacement is bad')
    offering(world, change)
    bookElsewhere(world)

    const answer = await world.execute(proposal)

    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    const listed = await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })
    expect(answer).toMatchObject({ outcome: 'stale', reason: 'material_drift', replacedBy: null })
    expect(chain.at(-1)?.body?.detail).toEqual(['/orderVersion', '/refunded/amount', 'replacement_dropped'])
    expect(listed.map(({ ref }) => ref)).toEqual([proposal])
  })

  it('a key service that is away drops nothing: it is told, and the next execution stores both', async () => {
    const sound = ephemeralKeyring()
    let isAway = false
    const current: typeof sound.current = () =>
      isAway ? Promise.reject(new KeyUnavailable('unavailable')) : sound.current()
    const world = await openExecution({ store, keyring: { ...sound, current } })
    const proposal = await world.approved('the one whose keys are away')
    offering(world)
    bookElsewhere(world)
    isAway = true
    expect(await answerOf(world.execute(proposal))).toBe('content_unavailable')
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
    isAway = false

    const answer = await world.execute(proposal)

    expect([answer.outcome, answer.replacedBy === null]).toEqual(['stale', false])
  })

  it('what expires while it is resolved is expired, and nothing replaces it', async () => {
    const { world, proposal } = await openDrift(store)
    const { expiresAt } = (await world.stored(proposal)).proposal
    offering(world)
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      bookElsewhere(world)
      world.clock.setWall(expiresAt)
      return resolve(input)
    }

    expect(await answerOf(world.execute(proposal))).toBe('expired')
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
  })

  it('what is withdrawn while it is resolved stays withdrawn, and nothing replaces it', async () => {
    const { world, proposal } = await openDrift(store)
    offering(world)
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      bookElsewhere(world)
      await world.runtime.withdraw(requester, proposal)
      return resolve(input)
    }

    expect(await answerOf(world.execute(proposal))).toBe('withdrawn')
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
  })
})

describe.each(STORES)('trace S3 on %s', (store) => {
  /** The first attempt was lost and proven absent, so that the effect may be sent again; then it lands after all. */
  async function landsLate(book: boolean): Promise<{ world: ExecutionWorld; proposal: string }> {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved('the one that lands late')
    const { execute, verify } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(proposal)
    await world.clock.advance(5 * MINUTE_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
    world.action.methods.execute = execute
    world.action.methods.verify = verify
    const [attempt] = (await world.effect(proposal)).attempts
    if (book && attempt !== undefined) {
      world.action.business.booked.push({
        id: 'rf-1',
        key: attempt.idempotencyKey,
        amount: { amount: '10.00', currency: 'EUR' },
        at: world.clock.now(),
      })
    }
    bookElsewhere(world)
    return { world, proposal }
  }

  it('trace S3: drift with an earlier attempt may be our own landing: the target is asked before it frees anything', async () => {
    const { world, proposal } = await landsLate(true)
    offering(world)

    const answer = await world.execute(proposal)

    // Proven absent and then found: a person must look, and no second refund is offered.
    expect(answer).toMatchObject({ outcome: 'verification_unresolved', reason: 'conflicting_evidence' })
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
    expect(world.log.executed).toHaveLength(1)
  })

  it('trace S3: while the target cannot be asked, drift with an earlier attempt is blocked', async () => {
    const { world, proposal } = await landsLate(false)
    offering(world)
    world.action.methods.verify = answering(says.unavailable)

    expect(await answerOf(world.execute(proposal))).toBe('blocked earlier_attempt')
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
  })

  it('trace S3: only once the target says that nothing is there, drift is drift', async () => {
    const { world, proposal } = await landsLate(false)
    offering(world)
    world.action.methods.verify = answering(says.gone('terminal'))

    const answer = await world.execute(proposal)

    expect([answer.outcome, answer.reason, answer.replacedBy === null]).toEqual(['stale', 'material_drift', false])
  })

  it('trace S3: stale_no_effect lets the claim pass on only after another look', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved('the one that is retried inside')
    const rival = await world.approved('the one that is retried inside')
    // The host's own client retried: the first try landed, the second met its own version bump.
    world.action.methods.execute = async ({ idempotencyKey, snapshot }) => {
      world.action.business.booked.push({
        id: 'rf-1',
        key: idempotencyKey,
        amount: snapshot.amount,
        at: world.clock.now(),
      })
      return { status: 'stale_no_effect', reason: 'order_changed' }
    }
    expect(await answerOf(world.execute(proposal))).toBe('stale stale_no_effect')

    expect(await answerOf(world.execute(rival))).toBe('blocked earlier_attempt')
    expect((await world.stored(proposal)).proposal.attention).toContain('conflicting_evidence')
    expect(world.log.executed).toHaveLength(1)
  })
})
