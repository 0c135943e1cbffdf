// What is refused before there is a claim, so that the key stays free; and what is only warned of.
import { describe, expect, it } from 'vitest'
import { InvalidCallError } from '../../src/effect/calls/action-error.ts'
import { RESERVED_METADATA } from '../../src/effect/calls/call-input.ts'
import { RetryPolicy } from '../../src/effect/calls/retry-policy.ts'
import type { GuardedCallInput } from '../../src/runtime/calls/operation.ts'
import { charge, errorOf, found, foundAs, never, openBench } from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

describe.each(EVERY_STORE)('what is refused before there is a claim on %s', (store) => {
  it.each(RESERVED_METADATA)('evidence 5.4 the metadata key %s, and the key stays free', async (name) => {
    const { runner, store: kept } = await openBench(store)

    const error = await errorOf(runner.execute('charge', never, charge({ metadata: { [name]: 1 } })))

    expect(error).toBeInstanceOf(InvalidCallError)
    expect(error).toMatchObject({ code: 'invalid_call', path: `/metadata/${name}`, rule: 'reserved', invoked: 'no' })
    expect(await runner.find('charge', 'order-123')).toBeNull()
    expect(await kept.tenants()).toEqual([])
    expect(await runner.execute('charge', () => 1, charge({ metadata: { inner: { [name]: 1 } } }))).toMatchObject({
      replayed: false,
      status: 'CONFIRMED',
    })
  })

  it.each<[string, Partial<GuardedCallInput<object>>, string, string]>([
    ['a verifier without a provider reference', { verifier: found }, '/providerReference', 'required_with_verifier'],
    [
      'metadata of more than 500 characters',
      { metadata: { note: 'x'.repeat(500) } },
      '/metadata',
      'callMetadataCharacters',
    ],
    ['metadata that are no JSON', { metadata: { at: new Date(0) } }, '/metadata/at', 'class_instance'],
    ['a risk that is no code', { risk: 'Very High' }, '/risk', 'not_a_reason_code'],
    [
      'a retry of the unknown for money',
      { risk: 'financial', retryPolicy: new RetryPolicy({ maxAttempts: 2, retryOnUnknown: true }) },
      '/retryPolicy/retryOnUnknown',
      'refused_for_risk',
    ],
    [
      'a retry of the unknown for what cannot be undone',
      { risk: 'irreversible', retryPolicy: new RetryPolicy({ maxAttempts: 2, retryOnUnknown: true }) },
      '/retryPolicy/retryOnUnknown',
      'refused_for_risk',
    ],
  ])('%s', async (_what, more, path, rule) => {
    const { runner } = await openBench(store)
    const { providerReference: _dropped, ...without } = charge(more)

    const error = await errorOf(runner.execute('charge', never, path === '/providerReference' ? without : charge(more)))

    expect(error).toMatchObject({ code: 'invalid_call', path, rule, invoked: 'no', nextStep: 'correct_the_call' })
    expect(await runner.find('charge', 'order-123')).toBeNull()
  })

  it.each<[string, object, string]>([
    ['a verifier that is none', { verifier: { verify: 'yes' } }, '/verifier'],
    ['a verifier that is null', { verifier: null }, '/verifier'],
    ['a policy that is a look-alike', { retryPolicy: { maxAttempts: 3, shouldRetry: () => true } }, '/retryPolicy'],
  ])('%s', async (_what, more, path) => {
    const { runner } = await openBench(store)

    const input = { ...charge(), ...more } as GuardedCallInput<object>
    expect(await errorOf(runner.execute('charge', never, input))).toMatchObject({ code: 'invalid_call', path })
  })

  it('warns of every retry of the unknown, and once of a risk that nobody verifies', async () => {
    const { runner, warnings } = await openBench(store)
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnUnknown: true })
    for (const idempotencyKey of ['a', 'b'])
      await runner.execute('charge', () => 1, charge({ idempotencyKey, retryPolicy }))
    for (const idempotencyKey of ['c', 'd'])
      await runner.execute('charge', () => 1, charge({ idempotencyKey, risk: 'financial' }))
    await runner.execute('refund', () => 1, charge({ risk: 'low', verifier: foundAs(null, 1) }))

    expect(warnings).toEqual(['retry_on_unknown', 'retry_on_unknown', 'risk_without_verifier'])
  })
})
