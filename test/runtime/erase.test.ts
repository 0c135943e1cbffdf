// Erasing: from every status, by whom, what defers it and what is done later, what is left, and what it leaves alone.
import { describe, expect, it } from 'vitest'
import { NotSent } from '../../src/proposal/action.ts'
import { isOpen, STATUSES, type Status } from '../../src/proposal/status.ts'
import { verifyReceipts } from '../../src/proposal/receipts/verify-receipts.ts'
import { StoreUnavailable } from '../../src/proposal/errors.ts'
import { markForErasure } from './erased.ts'
import { HOUR_MS, openWorld, reference, refused, STORES, unsound, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import {
  answering,
  approvedFor,
  contradicted,
  effectBehind,
  executing,
  found,
  goneForGood,
  inDoubt,
  openOperators,
  permissions,
  saying,
  SETTLED_MS,
  unresolved,
} from './operators.ts'
import {
  agent,
  elsewhere,
  foreigner,
  operator,
  privacy,
  reader,
  requester,
  session,
  stranger,
  TENANT,
} from './sessions.ts'
import { reach } from './states.ts'

const why = { reason: 'asked_by_subject' } as const
/** Asks an erased proposal what is left of it. */
const left = async (world: World, ref: string) => world.runtime.read(reader, ref)
const open = async (world: World) => world.bareStore.erasuresOpen(reference(TENANT), null, 50)
/** Statuses in which nobody knows yet what the call did. */
const UNSETTLED: ReadonlySet<Status> = new Set([
  'executing',
  'verification_pending',
  'failed_unknown',
  'verification_unresolved',
])

describe.each(STORES)('rule R19: erasing on %s', (store) => {
  it.each(STATUSES.filter((status) => !UNSETTLED.has(status)))(
    'rule R19 one that is %s leaves its tombstone',
    async (status) => {
      const world = await openOperators({ store })
      const ref = await reach[status](world)
      const before = await world.stored(ref)
      const effect = await world.bareStore.effect(before.proposal.effect)
      const attempts = effect?.attempts.filter(({ proposal }) => proposal === ref).length ?? 0

      expect(await world.runtime.erase(privacy, ref, why)).toEqual({
        outcome: 'erased',
        reason: null,
        proposal: ref,
        backups: 'not_covered',
      })

      const { revision, createdAt, expiresAt, action } = before.proposal
      expect(await left(world, ref)).toMatchObject({
        kind: 'erased',
        tombstone: {
          tenant: TENANT,
          ref,
          action,
          effect: before.proposal.effect,
          status: isOpen(status) ? 'withdrawn' : status,
          attemptCount: attempts,
          revision: revision + 2,
          createdAt,
          expiresAt,
          erasedAt: world.clock.now(),
          reason: 'asked_by_subject',
          receiptCount: revision + 3,
        },
      })
      // The claim, its attempts and its evidence stay, and bar a repeat.
      const after = await world.bareStore.effect(before.proposal.effect)
      expect(after?.attempts).toEqual(effect?.attempts)
      expect(after?.observations).toEqual(effect?.observations)
      expect(await open(world)).toEqual([])
    },
  )

  it.each(STATUSES.filter((status) => UNSETTLED.has(status)))(
    'rule R19 one that is %s is deferred, and readable as before',
    async (status) => {
      const world = await openOperators({ store })
      const ref = await reach[status](world)
      const { proposal } = await world.stored(ref)

      const deferred = await world.runtime.erase(privacy, ref, why)
      const again = await world.runtime.erase(privacy, ref, { reason: 'asked_once_more' })

      expect(deferred).toMatchObject({ outcome: 'erasure_deferred', reason: 'effect_unsettled' })
      expect(again).toEqual(deferred)
      const shown = await world.runtime.read(operator, ref)
      expect(shown).toMatchObject({ kind: 'proposal', status, erasure: 'requested', contentAvailable: true })
      expect((await world.stored(ref)).proposal.revision).toBe(proposal.revision + 1)
      expect(await world.runtime.eraseDue(privacy)).toMatchObject([{ proposal: ref, reason: 'effect_unsettled' }])
      expect(await open(world)).toEqual([ref])
    },
  )

  it.each([
    ['the target shows it', 'verified', 'CONFIRMED', found],
    ['the target proves its absence', 'failed_known', 'FAILED', goneForGood],
  ] as const)('rule R19 it is done once %s', async (_, status, evidence, answer) => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.runtime.erase(privacy, ref, why)
    await world.clock.advance(SETTLED_MS)
    answering(world, answer)

    await world.runtime.reconcile(requester, ref)

    // What is to be erased is not opened for another attempt.
    expect((await world.stored(ref)).proposal.status).toBe(status)
    expect(await world.runtime.eraseDue(privacy)).toMatchObject([{ outcome: 'erased', proposal: ref }])
    expect(await left(world, ref)).toMatchObject({ tombstone: { status, evidence, reason: 'asked_by_subject' } })
    expect(await world.runtime.eraseDue(privacy)).toEqual([])
  })

  it('trace S36 a conflict defers it until a person closes the effect, without an answer if there is none', async () => {
    const world = await openOperators({ store })
    const ref = await contradicted(world)
    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erasure_deferred' })

    await world.runtime.settle(operator, ref, saying('closed_unknown'))

    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erased' })
    expect(await left(world, ref)).toMatchObject({ tombstone: { status: 'closed_unknown', evidence: 'UNKNOWN' } })
  })

  it('trace S48 a released resend is closed first, and asked about by its effect', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, goneForGood)
    expect(await world.runtime.reconcile(requester, ref)).toMatchObject({ outcome: 'resend_allowed' })

    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erased' })

    expect(await left(world, ref)).toMatchObject({ tombstone: { status: 'withdrawn', evidence: 'FAILED' } })
    expect(await refused(world.runtime.execute(requester, ref))).toMatchObject({ code: 'not_found' })
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S48 one that waits is not opened again by proof that nothing was sent', async () => {
    const world = await openOperators({ store })
    let sent = (): void => {}
    executing(world, async () => {
      await new Promise<void>((resolve) => {
        sent = resolve
      })
      throw new NotSent('no_route')
    })
    const { proposal } = await approvedFor(world, 'broken vase')
    const execution = world.runtime.execute(requester, proposal)
    await world.clock.advance(0)
    await world.runtime.erase(privacy, proposal, why)

    sent()

    expect(await execution).toMatchObject({ status: 'failed_known', reason: 'no_route' })
    expect(await world.runtime.eraseDue(privacy)).toMatchObject([{ outcome: 'erased' }])
  })

  it('the chain of links is whole, and says nothing', async () => {
    const world = await openOperators({ store })
    const ref = await reach.verified(world)
    const before = await world.bareStore.receipts(reference(TENANT), reference(ref))

    await world.runtime.erase(privacy, ref, why)

    const { receipts, check } = await world.runtime.receipts(reader, ref)
    expect(check).toMatchObject({ intact: true, consistent: true })
    expect(receipts).toHaveLength(before.length + 2)
    expect(receipts.every(({ body }) => body === null)).toBe(true)
    expect(receipts.slice(0, before.length).map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash))
    expect(verifyReceipts(receipts.slice(1), null).intact).toBe(false)
  })

  it('one event tells of the end of an open one, and one that it is erased', async () => {
    const world = await openOperators({ store })
    const ref = await reach.approved(world)
    const after = (await world.bareStore.events(reference(TENANT), 0, 200)).at(-1)?.position ?? 0

    await world.runtime.erase(privacy, ref, why)

    const events = await world.bareStore.events(reference(TENANT), after, 200)
    expect(events.map(({ type, status }) => [type, status])).toEqual([
      ['proposal.closed', 'withdrawn'],
      ['proposal.erased', 'withdrawn'],
    ])
  })

  it('asked once more it says so again, and changes nothing', async () => {
    const world = await openOperators({ store })
    const ref = await reach.withdrawn(world)
    const first = await world.runtime.erase(privacy, ref, why)
    const tombstone = await left(world, ref)

    expect(await world.runtime.erase(privacy, ref, { reason: 'another' })).toEqual(first)

    expect(await left(world, ref)).toEqual(tombstone)
  })

  it('nothing of another proposal or tenant is touched', async () => {
    const world = await openOperators({ store })
    const [ref, sibling] = [await reach.verified(world), (await approvedFor(world, 'another')).proposal]
    const there = await world.runtime.prepare(foreigner, world.input({ intent: 'broken vase' }))
    const untouched = [await world.stored(sibling), await world.stored(there.proposal, foreigner.tenant)]

    expect(await refused(world.runtime.erase(elsewhere(privacy), ref, why))).toMatchObject({ code: 'not_found' })
    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erased' })

    expect([await world.stored(sibling), await world.stored(there.proposal, foreigner.tenant)]).toEqual(untouched)
    expect(await world.runtime.eraseDue(elsewhere(privacy))).toEqual([])
  })
})

describe.each(STORES)('rule R14: who may erase on %s', (store) => {
  it('rule R14 the right to erase is all it takes, and reading is another right', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()

    expect(await refused(world.runtime.read(privacy, proposal))).toMatchObject({ code: 'not_found' })
    expect(await world.runtime.erase(privacy, proposal, why)).toMatchObject({ outcome: 'erased' })
  })

  it.each([
    ['a reader', reader, 'not_permitted'],
    ['the requester', requester, 'not_permitted'],
    ['an operator', operator, 'not_permitted'],
    ['somebody without any right', stranger, 'not_found'],
    ['the same role in another tenant', elsewhere(privacy), 'not_found'],
    [
      'an agent with the right to erase and to read',
      session('agent:bot', ['privacy-officer', 'auditor'], { owner: { kind: 'user', id: 'petra' } }),
      'not_permitted',
    ],
    [
      'an agent with the right to erase alone',
      session('agent:bot', ['privacy-officer'], { owner: { kind: 'user', id: 'petra' } }),
      'not_found',
    ],
  ] as const)('rule R14 %s may not', async (_, caller, code) => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    const before = await world.stored(proposal)

    expect(await refused(world.runtime.erase(caller, proposal, why))).toMatchObject({ code })

    expect(await world.stored(proposal)).toEqual(before)
  })

  it('rule R14 nobody is told of what does not exist', async () => {
    const world = await openWorld({ store })
    await world.prepared()

    for (const ref of ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '', ' ', '\u0000']) {
      expect(await refused(world.runtime.erase(privacy, ref, why))).toMatchObject({ code: 'not_found' })
    }
  })

  it.each(['', 'Asked by the subject', 'a'.repeat(65), 'ä'])('trace S46 the reason %o is no code', async (reason) => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()

    expect(await refused(world.runtime.erase(privacy, proposal, { reason }))).toMatchObject({
      code: 'malformed_reference',
      path: '/reason',
    })
  })

  it('rule R14 the sweep erases for whom it may, and no agent sweeps', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    await world.runtime.withdraw(requester, proposal)
    await markForErasure(world, proposal)

    expect(await refused(world.runtime.eraseDue(agent))).toMatchObject({ code: 'not_permitted' })
    expect(await world.runtime.eraseDue(reader)).toEqual([])
    expect(await world.runtime.eraseDue(privacy)).toMatchObject([{ outcome: 'erased' }])
  })
})

describe.each(STORES)('what is held on %s', (store) => {
  it('is not erased while it is, and nothing is marked', async () => {
    const world = await openWorld({ store, methods: { isHeld: async () => true } })
    const { proposal } = await world.prepared()
    const before = await world.stored(proposal)

    expect(await refused(world.runtime.erase(privacy, proposal, why))).toMatchObject({ code: 'erasure_held' })
    expect(await world.stored(proposal)).toEqual(before)
    world.action.methods.isHeld = async () => false

    expect(await world.runtime.erase(privacy, proposal, why)).toMatchObject({ outcome: 'erased' })
    expect(world.action.calls.isHeld).toBe(2)
  })

  it.each<[string, () => Promise<boolean>, string]>([
    ['throws', () => Promise.reject(new Error('no register')), 'authorization_unavailable'],
    ['hangs', () => new Promise(() => {}), 'authorization_unavailable'],
    ['answers nothing', () => Promise.resolve(unsound<boolean>(null)), 'erasure_held'],
  ])('is what nobody clearly says is not: a host that %s', async (_, isHeld, code) => {
    const world = await openWorld({ store, methods: { isHeld } })
    const { proposal } = await world.prepared()
    const erasing = refused(world.runtime.erase(privacy, proposal, why))
    await world.clock.advance(HOUR_MS)

    expect(await erasing).toMatchObject({ code })
    expect((await world.stored(proposal)).proposal.erasure).toBe('none')
  })

  it('is asked about again when a deferred erasure would be carried out', async () => {
    const world = await openOperators({ store, methods: { isHeld: async () => false } })
    const ref = await inDoubt(world)
    await world.runtime.erase(privacy, ref, why)
    await world.clock.advance(SETTLED_MS)
    answering(world, found)
    await world.runtime.reconcile(requester, ref)
    world.action.methods.isHeld = async () => true

    expect(await world.runtime.eraseDue(privacy)).toMatchObject([{ outcome: 'erasure_deferred', reason: 'held' }])
    expect((await world.stored(ref)).proposal.erasure).toBe('requested')
    world.action.methods.isHeld = async () => false

    expect(await world.runtime.eraseDue(privacy)).toMatchObject([{ outcome: 'erased' }])
  })
})

describe.each(STORES)('the sweep on %s', (store) => {
  it('walks past what still waits, page after page, and does so many', async () => {
    const world = await openOperators({ store, contract: { permissions } })
    const waiting = [await inDoubt(world, 'one'), await inDoubt(world, 'two')]
    for (const ref of waiting) await world.runtime.erase(privacy, ref, why)
    const marked: string[] = []
    for (let index = 0; index < 203; index += 1) {
      const { proposal } = await world.prepared()
      await markForErasure(world, proposal)
      marked.push(proposal)
    }

    const first = await world.runtime.eraseDue(privacy, { limit: 2 })
    expect(first.map(({ proposal, outcome }) => [proposal, outcome])).toEqual([
      ...waiting.map((ref) => [ref, 'erasure_deferred']),
      ...marked.slice(0, 2).map((ref) => [ref, 'erased']),
    ])
    const second = await world.runtime.eraseDue(privacy)
    expect(second.filter(({ outcome }) => outcome === 'erased')).toHaveLength(200)
    const third = await world.runtime.eraseDue(privacy)
    expect(third.filter(({ outcome }) => outcome === 'erased').map(({ proposal }) => proposal)).toEqual(
      marked.slice(-1),
    )
    expect(await open(world)).toEqual(waiting)
  })

  it('is not held up by one that nobody can be asked about', async () => {
    const errors: unknown[] = []
    const logger = { info() {}, warn() {}, error: (fields: unknown) => void errors.push(fields) }
    const world = await openWorld({ store, logger, methods: { isHeld: async () => false } })
    const refs: string[] = []
    for (let index = 0; index < 3; index += 1) {
      const { proposal } = await world.prepared()
      await markForErasure(world, proposal)
      refs.push(proposal)
    }
    world.action.methods.isHeld = async ({ context }) => {
      if (context.proposal === refs[1]) throw new Error('no register')
      return false
    }

    expect((await world.runtime.eraseDue(privacy)).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['erased', null],
      ['erasure_deferred', 'unavailable'],
      ['erased', null],
    ])
    expect(errors).toEqual([{ proposal: refs[1], code: 'authorization_unavailable' }])
  })

  it('stops at a store that is out of reach', async () => {
    let isDown = false
    const around: Around = async (_name, call) => {
      if (isDown) throw new StoreUnavailable()
      return call()
    }
    const world = await openWorld({ store, around })
    const { proposal } = await world.prepared()
    await markForErasure(world, proposal)
    isDown = true

    expect(await refused(world.runtime.eraseDue(privacy))).toMatchObject({ code: 'store_unavailable' })
  })

  it.each([0, -1, 1.5, Number.NaN, 201])('takes no limit of %s', async (limit) => {
    const world = await openWorld({ store })

    expect(await refused(world.runtime.eraseDue(privacy, { limit }))).toMatchObject({
      code: limit === 201 ? 'limit_exceeded' : 'malformed_reference',
    })
  })
})

describe.each(STORES)('erasing against what happens at the same time on %s', (store) => {
  it('either the call begins and the erasure waits, or nothing is called', async () => {
    for (const first of ['erase', 'execute'] as const) {
      const world = await openOperators({ store })
      const { proposal } = await approvedFor(world, 'broken vase')
      const acts = {
        erase: () => world.runtime.erase(privacy, proposal, why),
        execute: () => world.runtime.execute(requester, proposal).catch((error: unknown) => error),
      }
      const second = first === 'erase' ? 'execute' : 'erase'
      const running = [acts[first](), acts[second]()]
      await world.clock.advance(0)
      await Promise.all(running)

      const stored = await world.bareStore.proposal(reference(TENANT), reference(proposal))
      const isErased = stored?.kind === 'erased'
      expect([isErased, isErased ? null : stored?.proposal.erasure]).toEqual(
        world.action.calls.execute === 0 ? [true, null] : [false, 'requested'],
      )
    }
  })

  it('two erasures leave one tombstone', async () => {
    const world = await openOperators({ store })
    const ref = await reach.verified(world)
    const other = await world.open()

    const answers = await Promise.all([
      world.runtime.erase(privacy, ref, why),
      other.erase(privacy, ref, why),
      world.runtime.eraseDue(privacy),
    ])

    expect(answers.slice(0, 2)).toMatchObject([{ outcome: 'erased' }, { outcome: 'erased' }])
    expect(await left(world, ref)).toMatchObject({ kind: 'erased' })
    expect((await world.runtime.receipts(reader, ref)).check.intact).toBe(true)
  })

  it('an answer of the verifier that comes in between is kept, and the erasure waits for it no more', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await world.runtime.erase(privacy, ref, why)
    await world.runtime.settle(operator, ref, saying('occurred'))
    const { key } = await effectBehind(world, ref)

    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erased' })

    const effect = await world.bareStore.effect(key)
    expect(effect?.settlement).toMatchObject({ verdict: 'occurred', by: 'erased', secondOperator: null })
    expect(await left(world, ref)).toMatchObject({ evidence: { status: 'CONFIRMED', settled: 'occurred' } })
  })
})
