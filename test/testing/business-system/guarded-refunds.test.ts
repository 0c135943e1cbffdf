// Guarded calls over HTTP: the faults of the business system, met by an adapter as a host would write it.
import { expect, it } from 'vitest'
import { VerificationResult } from '../../../src/effect/answer.ts'
import { DefinitiveFailure } from '../../../src/proposal/action.ts'
import { ActionRunner } from '../../../src/runtime/calls/action-runner.ts'
import type { GuardedOperation, Verifier } from '../../../src/runtime/calls/operation.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'
import type { BusinessClient } from '../../../src/testing/business-system/client.ts'
import type { FaultName } from '../../../src/testing/faults.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { refundOrder, startForTest } from './fixture.ts'

interface Row {
  readonly faults: readonly FaultName[]
  /** What the call says, and what it says after one look more. */
  readonly statuses: readonly [string, string]
  readonly effects: number
}

const rows: readonly Row[] = [
  { faults: [], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['refuse_before_commit'], statuses: ['FAILED', 'FAILED'], effects: 0 },
  { faults: ['drop_before_commit'], statuses: ['FAILED', 'FAILED'], effects: 0 },
  { faults: ['commit_then_drop'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['commit_then_error'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['commit_then_error_inside'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['late_landing'], statuses: ['UNKNOWN', 'CONFIRMED'], effects: 1 },
  { faults: ['double_effect'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 2 },
  { faults: ['stored_error'], statuses: ['UNKNOWN', 'UNKNOWN'], effects: 0 },
  { faults: ['fail_after_acceptance'], statuses: ['FAILED', 'FAILED'], effects: 0 },
  { faults: ['reverse_after_look'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['forgotten_key'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['rate_limited'], statuses: ['UNKNOWN', 'UNKNOWN'], effects: 0 },
  { faults: ['too_early'], statuses: ['UNKNOWN', 'UNKNOWN'], effects: 0 },
  { faults: ['key_in_use'], statuses: ['UNKNOWN', 'UNKNOWN'], effects: 0 },
  { faults: ['commit_then_drop', 'unavailable'], statuses: ['UNKNOWN', 'CONFIRMED'], effects: 1 },
  { faults: ['commit_then_drop', 'stale_reads'], statuses: ['UNKNOWN', 'CONFIRMED'], effects: 1 },
  { faults: ['drop_before_commit', 'stale_reads'], statuses: ['UNKNOWN', 'FAILED'], effects: 0 },
  { faults: ['commit_then_drop', 'unhealthy_absence'], statuses: ['UNKNOWN', 'CONFIRMED'], effects: 1 },
  { faults: ['commit_then_drop', 'page_break'], statuses: ['UNKNOWN', 'CONFIRMED'], effects: 1 },
  { faults: ['drop_before_commit', 'wrong_identity'], statuses: ['UNKNOWN', 'FAILED'], effects: 0 },
  { faults: ['commit_then_drop', 'prefix_match'], statuses: ['CONFIRMED', 'CONFIRMED'], effects: 1 },
  { faults: ['commit_then_drop', 'replica_disagrees'], statuses: ['UNKNOWN', 'CONFIRMED'], effects: 1 },
]

it.each(rows)('$faults: $statuses, with $effects effects of one request', async ({ faults, statuses, effects }) => {
  const { system, client } = await startForTest()
  for (const fault of faults) await system.faults(fault, 1)
  const runner = new ActionRunner({ store: memoryStore() })

  const made = await runner.execute('refund', refunding(client), callOf(client))
  const looked = await runner.reconcile(made.receipt.actionId, verifierOf(client))
  const again = await runner.execute('refund', refunding(client), callOf(client))

  expect([made.status, looked.status]).toEqual(statuses)
  expect(again.replayed).toBe(true)
  expect(await counted(system)).toEqual({ requests: 1, effects })
})

it('hang and read_hangs: the time limits of call and look end both, and the refund is found', async () => {
  const { system, client } = await startForTest()
  await system.faults('hang', 1)
  await system.faults('read_hangs', 1)
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const runner = new ActionRunner({ store: memoryStore({ clock }), clock, timeoutMs: 1_000, verifyTimeoutMs: 1_000 })

  const call = runner.execute('refund', refunding(client), callOf(client))
  while ((await counted(system)).effects === 0);
  await clock.advance(10_000)
  while ((await system.requests()).length < 2);
  await clock.advance(10_000)
  const made = await call
  const looked = await runner.reconcile(made.receipt.actionId, verifierOf(client))

  expect([made.status, looked.status]).toEqual(['UNKNOWN', 'CONFIRMED'])
  expect(await counted(system)).toEqual({ requests: 1, effects: 1 })
})

function callOf(client: BusinessClient) {
  const { orderReference, precondition } = refundOrder()
  return {
    request: { orderReference, precondition, amount: '10.00' },
    idempotencyKey: 'refund-1',
    providerReference: 'refund-1',
    risk: 'financial',
    verifier: verifierOf(client),
  } as const
}

function refunding(client: BusinessClient): GuardedOperation<ReturnType<typeof callOf>['request'], string> {
  return async ({ request, providerReference, signal }) => {
    const { orderReference, precondition, amount } = request
    const idempotencyKey = providerReference ?? ''
    const money = { amount, currency: 'EUR' }
    const answer = await client.refund({ orderReference, precondition, amount: money, idempotencyKey, signal })
    if (answer.outcome === 'booked') return answer.refundId
    throw new DefinitiveFailure(answer.outcome)
  }
}

function verifierOf(client: BusinessClient): Verifier {
  return async ({ providerReference }, { signal }) => {
    const { refunds, state, isTerminal } = await client.findRefunds([providerReference ?? ''], signal)
    const [found] = refunds
    if (found !== undefined) {
      const { idempotencyKey: verifiedProviderReference, refundId: providerRequestId } = found
      return VerificationResult.confirmed({ verifiedProviderReference, providerRequestId })
    }
    const health = state === 'complete' ? 'HEALTHY' : 'STALE'
    return VerificationResult.absent({
      verifiedProviderReference: providerReference,
      health,
      retrySafe: isTerminal,
    })
  }
}

type System = Awaited<ReturnType<typeof startForTest>>['system']

async function counted(system: System): Promise<{ readonly requests: number; readonly effects: number }> {
  const [requests, effects] = await Promise.all([system.requests(), system.effects()])
  return {
    requests: requests.filter(({ method }) => method === 'POST').length,
    effects: effects.reduce((sum, { count }) => sum + count, 0),
  }
}
