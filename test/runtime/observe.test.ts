// Observing: what a provider announces makes a look at it due, at once or when the call has ended, and nothing else.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import type { ObserveInput } from '../../src/runtime/operate/observe.ts'
import { limits } from '../../src/effect/limits.ts'
import { refused, STORES, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import {
  answering,
  approvedFor,
  effectBehind,
  executing,
  found,
  gone,
  goneForGood,
  inDoubt,
  keyOf,
  lastReceipt,
  openOperators,
  permissions,
  refusing,
  reversed,
  saying,
  SETTLED_MS,
  unresolved,
  webhooks,
} from './operators.ts'
import { elsewhere, finance1, operator, requester, service, session } from './sessions.ts'

describe.each(STORES)('rule R7: an announcement on %s', (store) => {
  it('rule R7 makes a look due now, and is no evidence itself', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const before = await effectBehind(world, ref)

    const observed = await world.runtime.observe(webhooks, await event(world, ref))

    expect(observed).toEqual({ outcome: 'observed' })
    const after = await effectBehind(world, ref)
    expect(after).toEqual({
      ...before,
      version: before.version + 1,
      verifyDueAt: world.clock.now(),
      verifyLease: null,
      observations: [
        ...before.observations,
        expect.objectContaining({
          source: 'event',
          answer: 'announced',
          verdict: 'UNKNOWN',
          externalReference: 'evt_1',
        }),
      ],
    })
    expect((await world.stored(ref)).proposal).toMatchObject({ status: 'verification_unresolved', attention: [] })
    expect(await lastReceipt(world, ref)).toMatchObject({
      type: 'operation.observed',
      participant: null,
      trigger: 'service:webhooks',
      detail: [],
    })
    expect((await world.runtime.list(service, { due: true })).items).toMatchObject([{ proposal: ref }])
    expect(world.action.calls).toMatchObject({ execute: 1, verify: 1 })

    answering(world, found)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verified' })
  })

  it('rule R7 is one, however often it is passed on', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const input = await event(world, ref)

    const answers = await Promise.all([1, 2, 3].map(async () => world.runtime.observe(webhooks, input)))
    const again = await world.runtime.observe(webhooks, input)

    expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual(['observed', 'replayed', 'replayed'])
    expect(again).toEqual({ outcome: 'replayed' })
    expect((await effectBehind(world, ref)).observations.filter(({ source }) => source === 'event')).toHaveLength(1)
    expect(await world.runtime.observe(webhooks, { ...input, eventId: 'evt_2' })).toEqual({ outcome: 'observed' })
  })

  it('rule R7 is acknowledged only once it is stored', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const input = await event(world, ref)
    world.faults.at(1, 'refused')
    expect(await refused(world.runtime.observe(webhooks, input))).toMatchObject({ code: 'store_unavailable' })
    world.faults.at(1, 'lost')
    expect(await refused(world.runtime.observe(webhooks, input))).toMatchObject({ code: 'persistence_outcome_unknown' })

    expect(await world.runtime.observe(webhooks, input)).toEqual({ outcome: 'replayed' })
  })

  it.each<[string, Session, string]>([
    ['an agent with the right', session('agent:helper', ['webhooks', 'operator']), 'not_permitted'],
    ['a user with the right', session('user:wanda', ['webhooks', 'operator']), 'not_permitted'],
    ['an operator', operator, 'not_permitted'],
    ['a service that may read', service, 'not_permitted'],
    ['a service that may do nothing', session('service:other', []), 'not_found'],
    ['the service of another tenant', elsewhere(webhooks), 'not_found'],
  ])('trace S45 %s announces nothing', async (_, by, code) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const commits = world.faults.changes.length

    expect(await refused(world.runtime.observe(by, await event(world, ref)))).toMatchObject({ code })
    expect(world.faults.changes).toHaveLength(commits)
  })

  it.each<[string, Partial<ObserveInput>, string]>([
    ['a key that nobody carried', { idempotencyKey: `ik_${'a'.repeat(52)}` }, 'not_found'],
    ['a key that is none', { idempotencyKey: ' ' }, 'not_found'],
    ['an event without a name', { eventId: '' }, 'malformed_reference'],
    ['an event with a name that is none', { eventId: 'evt_1\n' }, 'malformed_reference'],
  ])('trace S45 %s changes nothing', async (_, fields, code) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const commits = world.faults.changes.length

    expect(await refused(world.runtime.observe(webhooks, { ...(await event(world, ref)), ...fields }))).toMatchObject({
      code,
    })
    expect(world.faults.changes).toHaveLength(commits)
  })

  it('trace S45 case C094 a forged event confirms nothing: the target is asked, and it decides', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, gone)

    await world.runtime.observe(webhooks, await event(world, ref))
    expect((await world.stored(ref)).proposal.status).toBe('failed_unknown')

    expect(await world.runtime.reconcile(service, ref)).toMatchObject({
      status: 'verification_unresolved',
      evidence: { status: 'UNKNOWN', conflict: false },
    })
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S45 a forged event contradicts nothing that is known', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    answering(world, found)
    await world.runtime.reconcile(operator, ref, { now: true })

    await world.runtime.observe(webhooks, await event(world, ref))

    expect(await world.runtime.reconcile(service, ref)).toMatchObject({
      status: 'verified',
      attention: [],
      evidence: { status: 'CONFIRMED', conflict: false },
    })
    expect((await effectBehind(world, ref)).verifyDueAt).toBeNull()
  })

  it('trace S45 an event of the first attempt says nothing of the second', async () => {
    const world = await openOperators({ store })
    executing(world, refusing)
    const first = (await approvedFor(world, 'broken vase')).proposal
    await world.runtime.execute(requester, first)
    const input = await event(world, first)
    answering(world, gone)
    const second = await inDoubt(world)

    await world.runtime.observe(webhooks, input)

    const { attempts, observations } = await effectBehind(world, second)
    expect(attempts.map(({ generation }) => generation)).toEqual([1, 2])
    expect(observations.at(-1)).toMatchObject({ source: 'event', covers: { from: 1, to: 1 } })
    expect((await lastReceipt(world, second)).type).toBe('operation.observed')
  })

  it('trace S45 what was never sent has no key that could be announced', async () => {
    const world = await openOperators({ store })
    await approvedFor(world, 'broken vase')
    const other = await unresolved(world, 'broken lamp')

    expect(await world.runtime.observe(webhooks, await event(world, other))).toEqual({ outcome: 'observed' })
    expect((await world.runtime.list(operator, { statuses: ['approved'] })).items).toHaveLength(1)
  })

  it('rule R7 whose attempt carried the key says who may announce', async () => {
    const base = await openOperators({ store })
    const type = 'example.payments/transfer@1'
    const contract = { type, effectDomain: 'example.payments/refund', permissions: { ...permissions, observe: 'bank' } }
    const transfer = base.actionWith(contract, {
      execute: async () => ({ status: 'failed_unknown', reason: 'timeout' }),
    })
    const runtime = await base.open({ actions: [base.action, transfer] })
    const world = { ...base, runtime }
    executing(world, refusing)
    const first = (await approvedFor(world, 'broken vase')).proposal
    await runtime.execute(requester, first)
    const input = await event(world, first)
    answering(world, gone)
    const { proposal, commitment } = await runtime.prepare(requester, {
      ...base.input({ intent: 'broken vase' }),
      action: type,
    })
    await runtime.approve(finance1, proposal, { commitment })
    await runtime.execute(requester, proposal)
    const bank = session('service:bank', ['bank'])

    expect(await runtime.observe(webhooks, input)).toEqual({ outcome: 'observed' })
    expect(await refused(runtime.observe(bank, input))).toMatchObject({ code: 'not_found' })
    const second = { idempotencyKey: await keyOf(world, proposal), eventId: 'evt_2' }
    expect(await runtime.observe(bank, second)).toEqual({ outcome: 'observed' })
    expect(await refused(runtime.observe(webhooks, second))).toMatchObject({ code: 'not_found' })
  })

  it('case C087 an announcement sends nothing', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, goneForGood)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ outcome: 'resend_allowed' })

    await world.runtime.observe(webhooks, await event(world, ref))
    await world.runtime.reconcile(service, ref)

    expect(world.action.calls.execute).toBe(1)
  })

  it('rule R7 a flood of events only moves what is due, and leaves no trace', async () => {
    let isFull = false
    const around: Around = async (name, call) => {
      const answer = await call()
      return isFull && name === 'effect' ? crowded(answer) : answer
    }
    const world = await openOperators({ store, around })
    const ref = await unresolved(world)
    const before = await effectBehind(world, ref)
    const commits = world.faults.changes.length
    isFull = true

    for (const eventId of ['evt_1', 'evt_2', 'evt_1']) {
      expect(await world.runtime.observe(webhooks, { ...(await event(world, ref)), eventId })).toEqual({
        outcome: 'observed',
      })
    }

    expect(world.faults.changes).toHaveLength(commits + 1)
    expect(await effectBehind(world, ref)).toEqual({
      ...before,
      version: before.version + 1,
      verifyDueAt: world.clock.now(),
      verifyLease: null,
    })
    expect((await lastReceipt(world, ref)).type).toBe('verification.unresolved')
  })

  it('rule R19 what is erased is not looked into any more', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const input = await event(world, ref)
    await world.runtime.settle(operator, ref, saying('closed_unknown'))
    const privacy = session('user:petra', ['privacy-officer', 'auditor'])
    expect(await world.runtime.erase(privacy, ref, { reason: 'asked_by_subject' })).toMatchObject({ outcome: 'erased' })

    expect(await refused(world.runtime.observe(webhooks, input))).toMatchObject({ code: 'not_found' })
  })
})

describe.each(STORES)('trace S34: an announcement during the call on %s', (store) => {
  it.each([
    ['accepted', { status: 'accepted' }, 'verification_pending', 'verified'],
    ['of an unknown end', { status: 'failed_unknown', reason: 'timeout' }, 'failed_unknown', 'verified'],
    ['refused', { status: 'failed_known', reason: 'declined' }, 'failed_known', 'verification_unresolved'],
  ] as const)('trace S34 case C086 of a call that is then %s is not lost', async (_, word, ended, afterwards) => {
    const world = await openOperators({ store })
    const { proposal } = await approvedFor(world, 'broken vase')
    executing(world, async () => {
      await world.runtime.observe(webhooks, await event(world, proposal))
      expect((await world.stored(proposal)).proposal.status).toBe('executing')
      expect(await world.runtime.reconcile(service, proposal)).toMatchObject({ outcome: 'in_progress' })
      return word
    })
    answering(world, found)

    expect(await world.runtime.execute(requester, proposal)).toMatchObject({ status: ended })
    expect((await effectBehind(world, proposal)).verifyDueAt).toBe(world.clock.now())

    expect(await world.runtime.reconcile(service, proposal)).toMatchObject({ status: afterwards })
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S34 case C086 between the end of the call and its record, it is not overwritten', async () => {
    let observe: (() => Promise<void>) | null = null
    const around: Around = async (_name, call, change) => {
      const between = change?.effect?.ended === undefined || change.effect.ended === null ? null : observe
      if (between !== null) {
        observe = null
        await between()
      }
      return call()
    }
    const world = await openOperators({ store, around })
    const { proposal } = await approvedFor(world, 'broken vase')
    executing(world, async () => ({ status: 'accepted', externalReference: 'rf-1' }))
    observe = async () => {
      await world.runtime.observe(webhooks, await event(world, proposal))
    }

    expect(await world.runtime.execute(requester, proposal)).toMatchObject({ status: 'verification_pending' })

    const effect = await effectBehind(world, proposal)
    expect(effect.attempts[0]?.ending).toMatchObject({ kind: 'accepted' })
    expect(effect.observations).toMatchObject([{ source: 'event' }])
    expect(effect.verifyDueAt).toBe(world.clock.now())
  })

  it('trace S34 without an announcement what was accepted is given a moment, and what was refused is not looked at', async () => {
    const world = await openOperators({ store })
    executing(world, async () => ({ status: 'accepted' }))
    const accepted = (await approvedFor(world, 'vase one')).proposal
    await world.runtime.execute(requester, accepted)
    executing(world, refusing)
    const declined = (await approvedFor(world, 'vase two')).proposal
    await world.runtime.execute(requester, declined)

    expect((await effectBehind(world, accepted)).verifyDueAt).toBe(world.clock.now() + 5_000)
    expect((await effectBehind(world, declined)).verifyDueAt).toBeNull()
  })
})

describe.each(STORES)('an announcement during a look on %s', (store) => {
  it('rule R7 makes another look due, since the first may have begun too early', async () => {
    const world = await openOperators({ store, contract: { verification: { absences: 4 } } })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    world.action.methods.verify = async (asked) => {
      await world.runtime.observe(webhooks, await event(world, ref))
      return gone(asked)
    }

    expect(await world.runtime.reconcile(service, ref)).toMatchObject({
      status: 'verification_pending',
      nextStep: 'reconcile',
    })
    expect((await effectBehind(world, ref)).verifyDueAt).toBe(world.clock.now())

    answering(world, gone)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ nextStep: 'wait' })
  })

  it('rule R7 makes another look due, also where the first one settled it', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    world.action.methods.verify = async (asked) => {
      await world.runtime.observe(webhooks, await event(world, ref))
      return found(asked)
    }
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verified' })

    answering(world, reversed)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verified', attention: ['reversed'] })
  })
})

async function event(world: World, ref: string): Promise<ObserveInput> {
  return { idempotencyKey: await keyOf(world, ref), eventId: 'evt_1' }
}

/** The effect as it would be read with as many observations as are kept. */
function crowded<T>(answer: T): T {
  if (typeof answer !== 'object' || answer === null || !('observations' in answer)) return answer
  const [first] = answer.observations as readonly object[]
  return { ...answer, observations: Array.from({ length: limits.observationsKeptFully }, () => first) }
}
