// The fake payment provider: what every fault does to the money, to the counters and to what the caller is told.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DefinitiveFailure } from '../../../src/proposal/action.ts'
import { ChargeFault, type ChargeFaultName } from '../../../src/testing/faults.ts'
import type { ChargeRequest } from '../../../src/testing/payments/payment-books.ts'
import {
  type ChargeAnswer,
  FakePaymentProvider,
  PaymentProviderError,
} from '../../../src/testing/payments/payment-provider.ts'

const request = { customerId: 'customer_123', amountCents: 2_500, clientReference: 'order-123' } as const

/** What the caller of `charge` was told. */
type Told = ChargeAnswer['status'] | 'refused' | 'timeout' | 'never' | number

interface Row {
  readonly fault: ChargeFaultName
  readonly told: Told
  /** Effects right after the answer, and after one look-up more. */
  readonly effects: readonly [number, number]
  /** Requests still on their way after the answer. */
  readonly inFlight: number
}

const rows: readonly Row[] = [
  { fault: 'refuse_before_commit', told: 'refused', effects: [0, 0], inFlight: 0 },
  { fault: 'drop_before_commit', told: 'timeout', effects: [0, 0], inFlight: 0 },
  { fault: 'commit_then_drop', told: 'timeout', effects: [1, 1], inFlight: 0 },
  { fault: 'commit_then_error', told: 500, effects: [1, 1], inFlight: 0 },
  { fault: 'commit_then_error_inside', told: 'error', effects: [1, 1], inFlight: 0 },
  { fault: 'hang', told: 'never', effects: [1, 1], inFlight: 1 },
  { fault: 'late_landing', told: 'timeout', effects: [0, 1], inFlight: 1 },
  { fault: 'double_effect', told: 'booked', effects: [2, 2], inFlight: 0 },
  { fault: 'stored_error', told: 500, effects: [0, 0], inFlight: 0 },
  { fault: 'forgotten_key', told: 'booked', effects: [1, 1], inFlight: 0 },
  { fault: 'rate_limited', told: 429, effects: [0, 0], inFlight: 0 },
  { fault: 'too_early', told: 425, effects: [0, 0], inFlight: 0 },
  { fault: 'key_in_use', told: 409, effects: [0, 0], inFlight: 0 },
  { fault: 'fail_after_acceptance', told: 'accepted', effects: [0, 0], inFlight: 0 },
  { fault: 'reverse_after_look', told: 'booked', effects: [1, 1], inFlight: 0 },
]

it('the table has every charge fault', () => {
  expect(rows.map(({ fault }) => fault)).toEqual(Object.values(ChargeFault))
})

describe('harness H1: a charge that meets', () => {
  it.each(rows)('$fault', async ({ fault, told, effects, inFlight }) => {
    const provider = new FakePaymentProvider({ chargeFaults: [fault] })

    const heard = await hear(provider, request)
    const right = provider.effects
    const onTheirWay = provider.inFlight('order-123').count
    await provider.lookUp('order-123')

    expect({ heard, effects: [right, provider.effects], inFlight: onTheirWay, calls: provider.chargeCalls }).toEqual({
      heard: told,
      effects,
      inFlight,
      calls: 1,
    })
  })
})

describe('the provider', () => {
  it('charges once for each request, and finds charges by their exact reference', async () => {
    const provider = new FakePaymentProvider()

    await provider.charge(request)
    await provider.charge(request)
    await provider.charge({ ...request, clientReference: 'order-1234' })

    expect(provider).toMatchObject({ chargeCalls: 3, effects: 3, totalCents: 7_500 })
    expect(provider.chargesOf('order-123')).toHaveLength(2)
    expect((await provider.lookUp('order-123')).charges).toHaveLength(2)
  })

  it('uses faults up in their order, and none on a request that moves no money', async () => {
    const provider = new FakePaymentProvider({ chargeFaults: ['commit_then_drop'] })
    const keyed = { ...request, idempotencyKey: 'key-1' }

    const first = await hear(provider, keyed)
    provider.queueChargeFaults('rate_limited')
    const replay = await hear(provider, keyed)
    const next = await hear(provider, request)

    expect([first, replay, next]).toEqual(['timeout', 'booked', 429])
    expect(provider).toMatchObject({ chargeCalls: 3, effects: 1 })
  })

  it('runs a key once while it remembers it, and refuses it for another body', async () => {
    const provider = new FakePaymentProvider({ keyLifetimeMs: 60_000 })
    const keyed = { ...request, idempotencyKey: 'key-1' }

    const first = await provider.charge(keyed)
    const second = await provider.charge(keyed)
    const other = await hear(provider, { ...keyed, amountCents: 1 })
    await provider.clock.advance(60_000)
    await provider.charge(keyed)

    expect(second).toEqual(first)
    expect(other).toBe(422)
    expect(provider.effects).toBe(2)
  })

  it('knows no keys if their lifetime is nothing', async () => {
    const provider = new FakePaymentProvider({ keyLifetimeMs: 0 })

    await provider.charge({ ...request, idempotencyKey: 'key-1' })
    await provider.charge({ ...request, idempotencyKey: 'key-1' })

    expect(provider.effects).toBe(2)
  })

  it('replays a stored error for ever, and forgets a key that it is told to forget', async () => {
    const provider = new FakePaymentProvider({ chargeFaults: ['stored_error', 'forgotten_key'] })

    const told = [
      await hear(provider, { ...request, idempotencyKey: 'key-1' }),
      await hear(provider, { ...request, idempotencyKey: 'key-1' }),
      await hear(provider, { ...request, idempotencyKey: 'key-2' }),
      await hear(provider, { ...request, idempotencyKey: 'key-2' }),
    ]

    expect(told).toEqual([500, 500, 'booked', 'booked'])
    expect(provider.effects).toBe(2)
  })

  it('refuses what is on its way below a fence', async () => {
    const provider = new FakePaymentProvider({ chargeFaults: ['late_landing'] })
    await hear(provider, { ...request, epoch: 1 })

    provider.raiseFence('order-123', 2)

    expect(provider.effects).toBe(0)
    expect(provider.inFlight('order-123').count).toBe(0)
    expect(await hear(provider, { ...request, epoch: 1 })).toBe('refused')
    expect(await hear(provider, { ...request, epoch: 2 })).toBe('booked')
  })

  it('undoes a charge after the look that saw it, and the money has moved all the same', async () => {
    const provider = new FakePaymentProvider({ chargeFaults: ['reverse_after_look'] })
    await provider.charge(request)

    const states = [await provider.lookUp('order-123'), await provider.lookUp('order-123')].map(
      ({ charges }) => charges[0]?.state,
    )

    expect(states).toEqual(['booked', 'reversed'])
    expect(provider.effects).toBe(1)
  })

  it('takes the time that its seed draws, the same for the same seed', async () => {
    const runs = await Promise.all([run(7), run(7), run(8)])

    expect(runs[0]).toBe(runs[1])
    expect(runs[0]).not.toBe(runs[2])
  })

  it('ends a call that hangs when its signal fires', async () => {
    const provider = new FakePaymentProvider({ chargeFaults: ['hang'] })
    const abort = new AbortController()
    const call = provider.charge({ ...request, signal: abort.signal })

    abort.abort(new Error('enough'))

    await expect(call).rejects.toThrow('enough')
    expect(provider.inFlight('order-123').count).toBe(0)
  })
})

async function run(seed: number): Promise<string> {
  const provider = new FakePaymentProvider({ seed, latencyMs: 1_000 })
  const calls = [1, 2, 3].map(async (number) => provider.charge({ ...request, clientReference: `order-${number}` }))
  await provider.clock.advance(1_000)
  await Promise.all(calls)
  await provider.lookUp('order-1')
  return JSON.stringify(provider.charges) + provider.trace.hash()
}

async function hear(provider: FakePaymentProvider, asked: ChargeRequest): Promise<Told> {
  const call = provider.charge(asked).then(
    ({ status }): Told => status,
    (error: unknown): Told => {
      if (error instanceof DefinitiveFailure) return 'refused'
      if (error instanceof PaymentProviderError) return error.status
      return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'never'
    },
  )
  return Promise.race([call, setImmediate<Told>('never')])
}
