// Attacks on the identity of an effect: a domain moved under an open runtime, and a doubt amended away under another name.
import { describe, expect, it } from 'vitest'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { PatientClock } from '../store/patient-clock.ts'
import { approved, openExecution, opensAttempt } from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, reference, refused, START, STORES } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { lost, openOperators, unresolved } from './operators.ts'
import { TestAction } from './refund.ts'
import { requester, service, TENANT } from './sessions.ts'

const INTENT = 'the one that is named twice'
const SOON_MS = 5_000

/** A business for two versions of the action: what one of them books the other one finds. */
async function openShared(store: StoreName, around?: Around) {
  const clock = new PatientClock(START)
  const { business, methods } = new TestAction({ now: () => clock.now() })
  const { execute, verify, resolve } = methods
  const shared = { execute, verify, resolve }
  const world = await openExecution({
    store,
    clock,
    methods: shared,
    ...(around === undefined ? {} : { around }),
  })
  const contract = { effectDomain: 'example.payments/refunds', formerDomains: ['example.payments/refund'] }
  /** Opens a newer version whose effects are in another domain; it knows the old one. */
  const openMoved = (): Promise<ProposalRuntime> => world.open({ actions: [world.actionWith(contract, { ...shared })] })
  return { world, business, openMoved }
}

describe.each(STORES)('a domain that is moved while an older runtime is open, on %s', (store) => {
  it('trace S11: the older runtime is blocked, and there is one refund', async () => {
    const { world, business, openMoved } = await openShared(store)
    const newer = await openMoved()
    const input = world.input({ intent: INTENT })
    const paid = await approved(newer, input)
    await newer.execute(requester, paid)
    await world.clock.advance(SOON_MS)
    expect((await newer.reconcile(service, paid)).status).toBe('verified')
    const again = await approved(world.runtime, input)

    expect(await answerOf(world.execute(again))).toBe('blocked definition_changed')
    expect((await world.stored(again)).proposal.status).toBe('approved')
    expect(business.booked).toHaveLength(1)
  })

  it('trace S11: what was approved before the move is blocked as well', async () => {
    const { world, business, openMoved } = await openShared(store)
    const input = world.input({ intent: INTENT })
    const old = await approved(world.runtime, input)
    const newer = await openMoved()
    await newer.execute(requester, await approved(newer, input))

    expect(await answerOf(world.execute(old))).toBe('blocked definition_changed')
    expect(business.booked).toHaveLength(1)
  })

  it('trace S11: a move between the last look and the admission is seen before the call', async () => {
    let onAdmission = async (): Promise<void> => {}
    const around: Around = async (_name, call, change) => {
      if (opensAttempt(change)) {
        const once = onAdmission
        onAdmission = async () => {}
        await once()
      }
      return call()
    }
    const { world, business, openMoved } = await openShared(store, around)
    const input = world.input({ intent: INTENT })
    const old = await approved(world.runtime, input)
    onAdmission = async () => {
      const newer = await openMoved()
      await newer.execute(requester, await approved(newer, input))
    }

    const answer = await answerOf(world.execute(old))

    expect(answer).toContain('definition_changed')
    expect(business.booked).toHaveLength(1)
    expect((await world.stored(old)).proposal.status).toBe('approved')
  })

  it('trace S11: an effect of the older runtime is found by the newer one', async () => {
    const { world, business, openMoved } = await openShared(store)
    const input = world.input({ intent: INTENT })
    await world.execute(await approved(world.runtime, input))
    await world.clock.advance(SOON_MS)
    const newer = await openMoved()

    await newer.execute(requester, await approved(newer, input))

    expect(business.booked).toHaveLength(1)
  })
})

describe.each(STORES)('amending what is in doubt, on %s', (store) => {
  it('trace S18: another effect is refused while the replaced one may have been done', async () => {
    const world = await openExecution({ store })
    world.action.methods.execute = lost
    const first = await world.approved(INTENT)
    await world.execute(first)

    const error = await refused(
      world.runtime.prepare(requester, { ...world.input({ intent: `${INTENT}, corrected` }), replaces: first }),
    )

    expect(error).toMatchObject({
      code: 'invalid_preparation',
      problems: [{ path: '/replaces', rule: 'replaced_in_doubt' }],
    })
    expect((await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).map(({ ref }) => ref)).toEqual([
      first,
    ])
  })

  it('trace S18: nor while a person is asked about it', async () => {
    const world = await openOperators({ store })
    const first = await unresolved(world, INTENT)
    expect((await world.stored(first)).proposal.status).toBe('verification_unresolved')

    const error = await refused(world.prepared(requester, { ...world.input(), replaces: first }))

    expect(error).toMatchObject({ problems: [{ path: '/replaces', rule: 'replaced_in_doubt' }] })
  })

  it('trace S18: the same effect is allowed, and is not sent beside the doubt', async () => {
    const world = await openExecution({ store })
    world.action.methods.execute = lost
    const first = await world.approved(INTENT)
    await world.execute(first)

    const second = await approved(world.runtime, { ...world.input({ intent: INTENT }), replaces: first })

    expect(await answerOf(world.execute(second))).toBe('replayed effect_in_flight_elsewhere')
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S18: what is settled is amended by any effect', async () => {
    const world = await openExecution({ store })
    const first = await world.approved(INTENT)
    await world.execute(first)
    await world.clock.advance(SOON_MS)
    expect((await world.reconcile(first)).status).toBe('verified')

    const second = await world.prepared(requester, { ...world.input(), replaces: first })

    expect(second.outcome).toBe('prepared')
  })
})
