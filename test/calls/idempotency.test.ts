// Table I: one name, one key, one call.
import { describe, expect, it } from 'vitest'
import {
  ActionInProgressError,
  IdempotencyConflictError,
  ResultValueUnavailableError,
  UnresolvedActionError,
} from '../../src/effect/calls/action-error.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { newKeyringText, localKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { answering, charge, down, errorOf, found, never, openBench, thrownBy } from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

const throws = (): never => {
  throw new Error('lost')
}

describe.each(EVERY_STORE)('the same call on %s', (store) => {
  it('evidence I1 is in progress while the first is under way, and the first still completes', async () => {
    const { runner, another } = await openBench(store)
    const parked = Promise.withResolvers<string>()
    const entered = Promise.withResolvers<null>()
    const first = runner.execute('charge', () => (entered.resolve(null), parked.promise), charge())
    await entered.promise

    const error = await errorOf(another().execute('charge', never, charge()))

    expect(error).toBeInstanceOf(ActionInProgressError)
    expect(error).toMatchObject({ code: 'action_in_progress', invoked: 'no', nextStep: 'wait' })
    expect(error).toMatchObject({ receipt: { state: 'PENDING', finalStatus: null, attempts: [{ number: 1 }] } })
    parked.resolve('charged')
    expect((await first).value).toBe('charged')
  })

  it('evidence I2a a confirmed one is answered again, without its value', async () => {
    const { runner, another } = await openBench(store)
    const first = await runner.execute('charge', () => 'charged', charge())

    const again = await another().execute('charge', never, charge())

    expect(first).toMatchObject({ status: 'CONFIRMED', replayed: false, value: 'charged' })
    expect(again.replayed).toBe(true)
    expect(again.receipt).toEqual(first.receipt)
    const error = thrownBy(() => again.value)
    expect(error).toBeInstanceOf(ResultValueUnavailableError)
    expect(error).toMatchObject({ code: 'result_value_unavailable', invoked: 'yes', nextStep: 'read_system_of_record' })
  })

  it('evidence I2b a failed one is answered again, and has no value', async () => {
    const { runner, another } = await openBench(store)
    await runner.execute('charge', () => Promise.reject(new DefinitiveFailure('declined')), charge())

    const again = await another().execute('charge', never, charge())

    expect(again).toMatchObject({ status: 'FAILED', replayed: true })
    const error = thrownBy(() => again.value)
    expect(error).toBeInstanceOf(UnresolvedActionError)
    expect(error).toMatchObject({ code: 'unresolved_action', status: 'FAILED', nextStep: 'use_another_key' })
  })

  it('evidence I2c an unknown one is answered again', async () => {
    const { runner, another } = await openBench(store)
    await runner.execute('charge', throws, charge())

    const again = await another().execute('charge', never, charge())

    expect(again).toMatchObject({ status: 'UNKNOWN', replayed: true })
    expect(thrownBy(() => again.value)).toMatchObject({ status: 'UNKNOWN', nextStep: 'reconcile' })
  })

  it('evidence I2d an unknown one is looked into if a verifier is given', async () => {
    const { runner, another } = await openBench(store)
    const first = await runner.execute('charge', throws, charge())
    const verifier = answering(found)

    const again = await another().execute('charge', never, charge({ verifier }))

    expect(again).toMatchObject({ status: 'CONFIRMED', replayed: true })
    expect(verifier.calls).toBe(1)
    expect(again.receipt.version).toBe(first.receipt.version + 1)
    expect(again.receipt).toMatchObject({ executionStatus: 'UNKNOWN', verificationStatus: 'CONFIRMED' })
  })

  it('evidence I2e an unknown one stays so if the verifier throws', async () => {
    const { runner } = await openBench(store)
    await runner.execute('charge', throws, charge())

    const again = await runner.execute('charge', never, charge({ verifier: down }))

    expect(again).toMatchObject({ status: 'UNKNOWN', replayed: true })
  })

  it('evidence I2f a confirmed one is not looked into again', async () => {
    const { runner } = await openBench(store)
    await runner.execute('charge', () => 'charged', charge())
    const verifier = answering(found)

    expect(await runner.execute('charge', never, charge({ verifier }))).toMatchObject({ replayed: true })
    expect(verifier.calls).toBe(0)
  })

  it('evidence I3a with another request is a conflict, and nothing changes', async () => {
    const { runner } = await openBench(store)
    const { receipt } = await runner.execute('charge', () => 'charged', charge())

    const error = await errorOf(runner.execute('charge', never, charge({ request: { amountCents: 1 } })))

    expect(error).toBeInstanceOf(IdempotencyConflictError)
    expect(error).toMatchObject({
      code: 'idempotency_conflict',
      differs: 'request',
      invoked: 'no',
      nextStep: 'use_another_key',
      receipt,
    })
    expect(await runner.receipt(receipt.actionId)).toEqual(receipt)
  })

  it('evidence I3b I3d that differs is a conflict also while the first is under way', async () => {
    const { runner } = await openBench(store)
    const parked = Promise.withResolvers<string>()
    const entered = Promise.withResolvers<null>()
    const first = runner.execute('charge', () => (entered.resolve(null), parked.promise), charge())
    await entered.promise

    const request = await errorOf(runner.execute('charge', never, charge({ request: { amountCents: 1 } })))
    const reference = await errorOf(runner.execute('charge', never, charge({ providerReference: 'order-124' })))

    expect(request).toMatchObject({ code: 'idempotency_conflict', differs: 'request' })
    expect(reference).toMatchObject({ code: 'idempotency_conflict', differs: 'provider_reference' })
    parked.resolve('charged')
    await first
  })

  it('evidence I3c with another provider reference is a conflict', async () => {
    const { runner } = await openBench(store)
    await runner.execute('charge', () => 'charged', charge())
    const { providerReference: _dropped, ...without } = charge()

    expect(await errorOf(runner.execute('charge', never, charge({ providerReference: 'order-124' })))).toMatchObject({
      differs: 'provider_reference',
    })
    expect(await errorOf(runner.execute('charge', never, without))).toMatchObject({ differs: 'provider_reference' })
  })

  it('evidence I4 by 32 at once is made once', async () => {
    const { another } = await openBench(store)
    let calls = 0
    const operation = async (): Promise<number> => {
      calls += 1
      return calls
    }

    const ends = await Promise.allSettled(
      Array.from({ length: 32 }, async () => another().execute('charge', operation, charge())),
    )

    expect(calls).toBe(1)
    const told = ends.map((end) =>
      end.status === 'fulfilled' ? (end.value.replayed ? 'replayed' : 'made') : codeOf(end.reason),
    )
    expect(told.filter((one) => one === 'made')).toHaveLength(1)
    expect(told.every((one) => ['made', 'replayed', 'action_in_progress'].includes(one))).toBe(true)
  })

  it('evidence I5 under another name is another one', async () => {
    const { runner } = await openBench(store)
    const first = await runner.execute('charge', () => 1, charge())
    const second = await runner.execute('refund', () => 2, charge())
    const tenant = await openBench(store, { tenant: 'elsewhere' })

    expect(second).toMatchObject({ replayed: false, value: 2 })
    expect(second.receipt.actionId).not.toBe(first.receipt.actionId)
    expect(await tenant.runner.find('charge', 'order-123')).toBeNull()
  })

  it('evidence I6 with the keys of its request in another order is the same', async () => {
    const { runner } = await openBench(store)
    const first = await runner.execute('charge', () => 1, charge({ request: { a: 1, b: { c: [1], d: null } } }))

    const again = await runner.execute('charge', never, charge({ request: { b: { d: null, c: [1] }, a: 1 } }))

    expect(again).toMatchObject({ replayed: true, receipt: { requestHash: first.receipt.requestHash } })
  })

  it('evidence I7 with other metadata is the same', async () => {
    const { runner } = await openBench(store)
    await runner.execute('charge', () => 1, charge({ metadata: { order: '1', weight: 0.5 } }))

    const again = await runner.execute('charge', never, charge({ metadata: { order: '2' } }))

    expect(again).toMatchObject({ replayed: true, receipt: { metadata: { order: '1', weight: 0.5 } } })
  })

  it('runs on the request as it was read, whatever becomes of the caller’s', async () => {
    const { runner } = await openBench(store)
    const request = { amountCents: 2_500, lines: [{ sku: 'a' }] }
    const claimed = runner.execute('charge', (call) => call.request, charge({ request }))
    request.amountCents = 9
    request.lines.push({ sku: 'b' })

    const { value } = await claimed

    expect(value).toEqual({ amountCents: 2_500, lines: [{ sku: 'a' }] })
    expect(Object.isFrozen(value)).toBe(true)
    expect(() => Object.assign(value, { amountCents: 1 })).toThrow(TypeError)
  })

  it('hands everything to the operation that it needs', async () => {
    const { runner } = await openBench(store)
    const { value } = await runner.execute('charge', (call) => call, charge())

    expect(value).toMatchObject({
      request: { customerId: 'customer_123', amountCents: 2_500 },
      providerReference: 'order-123',
      attempt: 1,
    })
    const { signal, attemptToken, providerIdempotencyKey } = value as {
      signal: AbortSignal
      attemptToken: string
      providerIdempotencyKey: string
    }
    expect(signal.aborted).toBe(false)
    expect(attemptToken).toMatch(/^.{16,}$/)
    expect(providerIdempotencyKey).toMatch(/^ik_[a-z2-7]{52}$/)
  })

  it('keys its hashes with a keyring, so that nobody guesses a request', async () => {
    const { runner, another } = await openBench(store)
    const keyring = localKeyring(newKeyringText())
    const bare = await runner.execute('charge', () => 1, charge({ idempotencyKey: 'a' }))
    const keyed = await another({ keyring }).execute('charge', () => 1, charge({ idempotencyKey: 'b' }))
    const elsewhere = await another({ keyring, tenant: 'elsewhere' }).execute('charge', () => 1, charge())

    expect(bare.receipt.requestHash).toMatch(/^[0-9a-f]{64}$/)
    expect(keyed.receipt.requestHash).toMatch(/^h1_[\w-]{43}$/)
    expect(elsewhere.receipt.requestHash).not.toBe(keyed.receipt.requestHash)
    expect(await another({ keyring }).execute('charge', never, charge({ idempotencyKey: 'b' }))).toMatchObject({
      replayed: true,
    })
  })
})

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
