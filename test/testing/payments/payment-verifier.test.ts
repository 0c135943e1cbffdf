// The payment verifier: what it says when it sees the charge, when it does not, and when its read goes wrong.
import { describe, expect, it } from 'vitest'
import { judgeAnswer } from '../../../src/effect/answer.ts'
import { parseReference } from '../../../src/effect/reference.ts'
import { type ChargeFaultName, LookUpFault, type LookUpFaultName } from '../../../src/testing/faults.ts'
import { FakePaymentProvider } from '../../../src/testing/payments/payment-provider.ts'
import { PaymentVerifier } from '../../../src/testing/payments/payment-verifier.ts'

const request = { customerId: 'customer_123', amountCents: 2_500, clientReference: 'order-123' } as const
const reference = parseReference('order-123', '')

describe('the verifier after a charge that', () => {
  it.each<{ charge: ChargeFaultName; verdicts: readonly string[] }>([
    { charge: 'commit_then_drop', verdicts: ['CONFIRMED', 'CONFIRMED'] },
    { charge: 'drop_before_commit', verdicts: ['FAILED', 'FAILED'] },
    { charge: 'late_landing', verdicts: ['UNKNOWN', 'CONFIRMED'] },
    { charge: 'fail_after_acceptance', verdicts: ['FAILED', 'FAILED'] },
    { charge: 'stored_error', verdicts: ['FAILED', 'FAILED'] },
    { charge: 'reverse_after_look', verdicts: ['CONFIRMED', 'CONFIRMED'] },
  ])('met $charge says $verdicts', async ({ charge, verdicts }) => {
    const provider = new FakePaymentProvider({ chargeFaults: [charge] })
    await provider.charge(request).catch(() => null)

    expect([await verdict(provider), await verdict(provider)]).toEqual(verdicts)
  })
})

/** What each broken read is worth while the charge is there, and while it is not. Only a lie in good health is FAILED. */
const broken: Readonly<Record<LookUpFaultName, readonly [there: string, absent: string]>> = {
  unavailable: ['UNKNOWN', 'UNKNOWN'],
  read_hangs: ['UNKNOWN', 'UNKNOWN'],
  unhealthy_absence: ['UNKNOWN', 'UNKNOWN'],
  stale_reads: ['UNKNOWN', 'UNKNOWN'],
  page_break: ['UNKNOWN', 'UNKNOWN'],
  wrong_identity: ['UNKNOWN', 'UNKNOWN'],
  prefix_match: ['CONFIRMED', 'FAILED'],
  replica_disagrees: ['FAILED', 'FAILED'],
}

describe('harness H1: the verifier when its read meets', () => {
  it.each(Object.values(LookUpFault))('%s', async (fault) => {
    const there = new FakePaymentProvider({ lookUpFaults: [fault] })
    await there.charge(request)
    const absent = new FakePaymentProvider({ chargeFaults: ['drop_before_commit'], lookUpFaults: [fault] })
    await absent.charge(request).catch(() => null)
    await absent.charge({ ...request, clientReference: 'order-1234' })

    expect([await verdict(there), await verdict(absent)]).toEqual(broken[fault])
    expect([there.chargeCalls, absent.chargeCalls]).toEqual([1, 2])
  })

  it('no reference: it has nothing to ask for', async () => {
    const provider = new FakePaymentProvider()

    const answer = await new PaymentVerifier(provider).verify({ providerReference: null })

    expect(answer.kind).toBe('unknown')
    expect(provider.lookUpCalls).toBe(0)
  })
})

async function verdict(provider: FakePaymentProvider): Promise<string> {
  const abort = new AbortController()
  const answer = new PaymentVerifier(provider)
    .verify({ providerReference: 'order-123' }, { signal: abort.signal })
    .catch(() => null)
  await provider.clock.advance(0)
  abort.abort()
  return judgeAnswer(await answer, reference)
}
