// What no verifier can be asked about: without content or definition a person is asked at once, and can settle.
import { describe, expect, it } from 'vitest'
import type { Keyring } from '../../src/runtime/ports.ts'
import { STORES } from './harness.ts'
import { effectBehind, found, inDoubt, openOperators, operator2, permissions, saying, SETTLED_MS } from './operators.ts'
import { operator, service } from './sessions.ts'

describe.each(STORES)('rule R9: settling without content and definition on %s', (store) => {
  it('trace S40 a lost key asks for a person at once, who can settle', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    const runtime = await world.open({ keyring: forgetful(world.keyring) })

    expect(await runtime.reconcile(service, ref)).toMatchObject({
      status: 'verification_unresolved',
      reason: 'content_unavailable',
    })
    expect((await effectBehind(world, ref)).verifyDueAt).toBeNull()
    expect(await runtime.resume(operator, ref, { reason: 'key_restored' })).toMatchObject({ outcome: 'resumed' })
    expect(await runtime.reconcile(service, ref)).toMatchObject({ status: 'verification_unresolved' })
    expect(await runtime.settle(operator, ref, saying('did_not_occur'))).toMatchObject({
      outcome: 'settled',
      status: 'failed_known',
    })
    expect(await runtime.settle(operator2, ref, saying('did_not_occur'))).toMatchObject({ outcome: 'settled' })
  })

  it('trace S40 a version that nobody verifies any more asks for a person at once, who can settle', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    const second = world.actionWith({ type: 'example.payments/refund@2', permissions })
    const runtime = await world.open({ actions: [second] })

    expect(await runtime.reconcile(service, ref)).toMatchObject({
      status: 'verification_unresolved',
      reason: 'definition_missing',
    })
    expect(await runtime.list(operator, { needsPerson: true })).toMatchObject({ items: [{ proposal: ref }] })
    expect(await runtime.settle(operator, ref, saying('occurred'))).toMatchObject({ status: 'verified', result: null })
    expect(second.calls.verify).toBe(0)
  })

  it('trace S40 a later version that lists the older one verifies it', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    const second = world.actionWith({ type: 'example.payments/refund@2', permissions, verifies: [1] })
    second.methods.verify = async (asked) => found(asked)
    const runtime = await world.open({ actions: [second] })

    expect(await runtime.reconcile(service, ref)).toMatchObject({ status: 'verified', result: { refundId: 'rf-1' } })
  })
})

/** A keyring that has lost its key-encryption keys. */
function forgetful(keyring: Keyring): Keyring {
  return { ...keyring, resolve: async () => null }
}
