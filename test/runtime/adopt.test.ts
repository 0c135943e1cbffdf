// Opening: actions, reference key and effect domains are held against what the store remembers, before anything can run twice.
import { describe, expect, it } from 'vitest'
import type { Keyring } from '../../src/runtime/ports.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import { answerOf, openWorld, refused, STORES, type World } from './harness.ts'
import { finance1, requester, service } from './sessions.ts'

const OTHER_DOMAIN = 'example.payments/refunds'
const INTENT = 'damaged on arrival'

describe.each(STORES)('opening on %s', (store) => {
  it('refuses another reference key, under which every effect would have another name', async () => {
    const world = await openWorld({ store })

    const error = await refused(world.open({ keyring: ephemeralKeyring() }))

    expect(error).toMatchObject({ name: 'ReferenceKeyChanged', code: 'reference_key_changed' })
    expect(error).toBeInstanceOf(TypeError)
    await expect(world.open()).resolves.toBeDefined()
  })

  it('takes a keyring whose other keys are new', async () => {
    const world = await openWorld({ store })
    const other = ephemeralKeyring()
    const keyring: Keyring = { ...other, referenceKey: () => world.keyring.referenceKey() }

    await expect(world.open({ keyring })).resolves.toBeDefined()
  })

  it.each(['denied', 'unavailable', 'missing'] as const)('says that the reference key is %s', async (answer) => {
    const world = await openWorld({ store })
    const referenceKey = async (): Promise<Uint8Array> => {
      throw new KeyUnavailable(answer)
    }

    const error = await refused(world.open({ keyring: { ...world.keyring, referenceKey } }))

    expect(error).toMatchObject({ code: 'content_unavailable', answer })
  })

  it.each<[string, unknown]>([
    ['too short', new Uint8Array(31).fill(7)],
    ['too long', new Uint8Array(33).fill(7)],
    ['empty', new Uint8Array()],
    ['a text', 'k'.repeat(32)],
    ['nothing', undefined],
  ])('refuses a reference key that is %s', async (_title, key) => {
    const world = await openWorld({ store })
    const referenceKey = async (): Promise<Uint8Array> => key as Uint8Array

    const error = await refused(world.open({ keyring: { ...world.keyring, referenceKey } }))

    expect(error).toMatchObject({ code: 'content_unavailable', answer: 'damaged' })
  })

  it('refuses an action that cannot be safe, and one type twice, before the store is touched', async () => {
    const world = await openWorld({ store })
    const unsafe = world.actionWith({ facts: [] })

    const twice = await refused(world.open({ actions: [world.action, world.action] }))
    const error = await refused(world.open({ actions: [unsafe] }))

    expect(twice).toMatchObject({ name: 'DefinitionError', problems: [{ path: '/type', rule: 'duplicate_type' }] })
    expect(error).toMatchObject({ name: 'DefinitionError', code: 'definition_error' })
  })

  it('rule R9: refuses an action whose effects were named under another domain, unless it says so', async () => {
    const world = await openWorld({ store })
    const moved = world.actionWith({ effectDomain: OTHER_DOMAIN })
    const honest = world.actionWith({ effectDomain: OTHER_DOMAIN, formerDomains: ['example.payments/refund'] })

    const error = await refused(world.open({ actions: [moved] }))

    expect(error).toMatchObject({
      name: 'DefinitionError',
      problems: [{ path: '/effectDomain', rule: 'domain_changed' }],
    })
    await expect(world.open({ actions: [honest] })).resolves.toBeDefined()
  })

  it('rule R9: remembers nothing of what it refused, so that the old definition still opens', async () => {
    const world = await openWorld({ store })
    const moved = world.actionWith({ effectDomain: OTHER_DOMAIN })
    const another = world.actionWith({ type: 'example.payments/payout@1', effectDomain: OTHER_DOMAIN })

    await refused(world.open({ actions: [moved, another] }))
    await refused(world.open({ actions: [moved, another], keyring: ephemeralKeyring() }))

    await expect(world.open()).resolves.toBeDefined()
    const payout = world.actionWith({ type: 'example.payments/payout@1' })
    await expect(world.open({ actions: [world.action, payout] })).resolves.toBeDefined()
  })

  it('rule R9: an action that went back to an earlier domain has to name the one between', async () => {
    const world = await openWorld({ store })
    const there = world.actionWith({ effectDomain: OTHER_DOMAIN, formerDomains: ['example.payments/refund'] })
    await world.open({ actions: [there] })

    const error = await refused(world.open())

    expect(error).toMatchObject({ problems: [{ rule: 'domain_changed' }] })
    const back = world.actionWith({ formerDomains: [OTHER_DOMAIN] })
    await expect(world.open({ actions: [back] })).resolves.toBeDefined()
  })

  it('rule R9: every version of an action is asked for its domain', async () => {
    const world = await openWorld({ store })
    const later = world.actionWith({ type: 'example.payments/refund@2', effectDomain: OTHER_DOMAIN })

    const error = await refused(world.open({ actions: [world.action, later] }))

    expect(error).toMatchObject({ problems: [{ rule: 'domain_changed' }] })
    await expect(world.open()).resolves.toBeDefined()
    const both = [
      world.actionWith({ formerDomains: [OTHER_DOMAIN] }),
      world.actionWith({
        type: 'example.payments/refund@2',
        effectDomain: OTHER_DOMAIN,
        formerDomains: ['example.payments/refund'],
      }),
    ]
    await expect(world.open({ actions: both })).resolves.toBeDefined()
    expect(await refused(world.open())).toMatchObject({ problems: [{ rule: 'domain_changed' }] })
  })

  it('rule R9: what was done under a former domain is not done again, trace S11', async () => {
    const world = await openWorld({ store })
    await execute(world, world.runtime, 'example.payments/refund@1')
    await world.clock.advance(5_000)
    expect(world.action.calls.execute).toBe(1)
    const moved = world.actionWith({
      type: 'example.payments/refund@2',
      effectDomain: OTHER_DOMAIN,
      formerDomains: ['example.payments/refund'],
    })
    const runtime = await world.open({ actions: [moved] })

    const answer = await execute(world, runtime, 'example.payments/refund@2')

    expect(answer).toBe('blocked earlier_attempt')
    expect(moved.calls.execute).toBe(0)
  })

  it('rule R9: what is CONFIRMED under a former domain is replayed at prepare', async () => {
    const world = await openWorld({ store })
    await execute(world, world.runtime, 'example.payments/refund@1')
    await world.clock.advance(5_000)
    const [done] = (await world.runtime.list(requester)).items
    await world.runtime.reconcile(service, done?.proposal ?? '')
    const moved = world.actionWith({ effectDomain: OTHER_DOMAIN, formerDomains: ['example.payments/refund'] })
    const runtime = await world.open({ actions: [moved] })

    const again = await runtime.prepare(requester, world.input({ intent: INTENT }))

    expect(again).toMatchObject({ outcome: 'replayed', proposal: done?.proposal, status: 'verified' })
  })

  it('rule R17: no action names its effects under a domain of guarded calls', async () => {
    const world = await openWorld({ store })

    for (const contract of [{ effectDomain: 'call:example' }, { formerDomains: ['call:example'] }]) {
      const error = await refused(world.open({ actions: [world.actionWith(contract)] }))
      expect(error).toMatchObject({ problems: [{ rule: 'domain_of_calls' }] })
    }
  })
})

/** Prepares, approves and executes the same command through a runtime. */
async function execute(world: World, runtime: World['runtime'], action: string): Promise<string> {
  const { command } = world.input({ intent: INTENT })
  const { proposal, commitment } = await runtime.prepare(requester, { action, command })
  await runtime.approve(finance1, proposal, { commitment })
  return answerOf(runtime.execute(service, proposal))
}
