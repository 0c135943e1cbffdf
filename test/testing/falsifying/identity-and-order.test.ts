// Falsifying cases about identity, repetition and what comes after: two worlds that look alike, and what must come out.
import { describe, expect, it } from 'vitest'
import { VerificationResult } from '../../../src/effect/answer.ts'
import { ActionRunner } from '../../../src/runtime/calls/action-runner.ts'
import type { Verifier } from '../../../src/runtime/calls/operation.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'
import { directPaymentAdapter, type PaymentAdapter } from '../../../src/testing/safety/calls/call-cast.ts'
import { paymentSafetySuite } from '../../../src/testing/safety/calls/payment-suite.ts'
import { ProposalCast } from '../../../src/testing/safety/proposals/proposal-cast.ts'
import { SILENT, type Stage } from '../../../src/testing/safety/stage.ts'
import { DAY_MS, MINUTE_MS, ofCall, ofProposal, stageOf } from './worlds.ts'

it('case Z5 a reference that another system uses too: what differs in party or amount is not ours', async () => {
  const [ours, theirs] = await Promise.all(
    (['commit_then_drop', 'drop_before_commit'] as const).map(async (fault) =>
      ofProposal({ charge: [fault] }, async (cast, stage) => {
        const proposal = await cast.approved()
        await cast.execute(proposal)
        const reference = firstCharged(stage)
        if (fault === 'drop_before_commit') {
          await stage.provider.charge({ customerId: 'somebody', amountCents: 990, clientReference: reference })
        }
        const { status, attention } = await cast.settled(proposal)
        return { status, attention }
      }),
    ),
  )

  expect(ours?.told).toEqual({ status: 'verified', attention: [] })
  expect(theirs?.told).toEqual({ status: 'verification_unresolved', attention: ['effect_mismatch'] })
})

it('case Z6 a record that is not there was deleted by us or never existed: only the log of deletions knows', async () => {
  const deletions = new Map<string, number>()
  let version: number | null = 3
  const erase = (reference: string, expected: number): never => {
    if (version === expected) {
      version = null
      deletions.set(reference, expected)
    }
    throw new DOMException('lost', 'TimeoutError')
  }
  const byPresence: Verifier = () => {
    // Nothing there says neither that it was us nor that it was not.
    return VerificationResult.unknown()
  }
  const byLog: Verifier = ({ providerReference: verifiedProviderReference }) => {
    return deletions.has(verifiedProviderReference ?? '')
      ? VerificationResult.confirmed({ verifiedProviderReference })
      : VerificationResult.absent({ verifiedProviderReference, retrySafe: true })
  }
  const told = await stageOf().then(async (stage) => {
    const runner = new ActionRunner({ store: stage.store, clock: stage.clock, ids: stage.ids(), logger: SILENT })
    const remove = async (reference: string) => {
      const call = { request: { record: 'r-1', version: 3 }, idempotencyKey: reference, providerReference: reference }
      const { receipt } = await runner.execute(
        'delete_record',
        ({ request }) => erase(reference, request.version),
        call,
      )
      const present = await runner.reconcile(receipt.actionId, byPresence)
      const logged = await runner.reconcile(receipt.actionId, byLog)
      return [receipt.finalStatus, present.status, logged.status]
    }
    return stage.play(Promise.all([remove('deleted-by-us'), remove('never-there')]))
  })

  expect(told).toEqual([
    ['UNKNOWN', 'UNKNOWN', 'CONFIRMED'],
    ['UNKNOWN', 'UNKNOWN', 'FAILED'],
  ])
})

it('case Z7 a direct debit is verified with its horizon open: returned on day 3, it is still known that it happened', async () => {
  const [settled, returned] = await Promise.all(
    ([[], ['reverse_after_look']] as const).map(async (charge) =>
      ofProposal({ charge }, async (cast, stage) => {
        const proposal = await cast.approved()
        await cast.execute(proposal)
        const verified = await cast.settled(proposal)
        await stage.wait(3 * DAY_MS)
        const idempotencyKey = firstCharged(stage)
        await cast.announce(idempotencyKey, 'evt-1')
        const later = await cast.settled(proposal)
        return [verified.status, verified.attention, later.status, later.attention]
      }),
    ),
  )

  expect(settled?.told).toEqual(['verified', [], 'verified', []])
  expect(returned?.told).toEqual(['verified', [], 'verified', ['reversed']])
  expect([settled?.effects, returned?.effects]).toEqual([1, 1])
})

it('case Z8 of 100 payments the connection is lost at 60: each is settled by its own evidence, and none is made twice', async () => {
  const [done, notDone] = await Promise.all(
    (['commit_then_drop', 'drop_before_commit'] as const).map(async (fault) =>
      ofCall({}, async (cast, { provider }) => {
        for (let number = 1; number <= 60; number += 1) {
          if (number === 60) provider.queueChargeFaults(fault)
          await cast.charge({ reference: `payment-${number}` })
        }
        const another = cast.another()
        const statuses: string[] = []
        for (let number = 1; number <= 100; number += 1) {
          const call = { reference: `payment-${number}`, verifier: cast.verifier }
          statuses.push((await cast.charge(call, another)).status)
        }
        return { 60: statuses[59], others: new Set(statuses.toSpliced(59, 1)) }
      }),
    ),
  )

  const others = new Set(['CONFIRMED'])
  expect(done).toEqual({ told: { 60: 'CONFIRMED', others }, calls: 100, effects: 100 })
  expect(notDone).toEqual({ told: { 60: 'FAILED', others }, calls: 100, effects: 99 })
})

it('case Z10 two replicas that disagree leave a conflict, whoever speaks first, and nothing said later takes it away', async () => {
  const [seenFirst, seenSecond] = await Promise.all(
    [[1], [0]].map(async ([behind]) =>
      ofCall({ charge: ['commit_then_drop'] }, async (cast, { provider }) => {
        const sent = await cast.charge()
        const statuses: string[] = []
        let conflict = false
        for (const look of [0, 1, 2, 3]) {
          if (look === behind) provider.queueLookUpFaults('replica_disagrees')
          const { status, receipt } = await cast.reconcile(sent)
          statuses.push(status)
          conflict = receipt.verificationConflict
        }
        return { statuses, conflict }
      }),
    ),
  )

  expect(seenFirst?.told).toEqual({ statuses: ['CONFIRMED', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'], conflict: true })
  expect(seenSecond?.told).toEqual({ statuses: ['FAILED', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'], conflict: true })
})

it('case Z11 an adapter whose library tries again makes one call and two effects, which only the provider can count', async () => {
  const retrying: PaymentAdapter = {
    ...directPaymentAdapter,
    name: 'retrying',
    async charge(provider, call) {
      try {
        return await directPaymentAdapter.charge(provider, call)
      } catch {
        return directPaymentAdapter.charge(provider, call)
      }
    },
  }

  const report = await paymentSafetySuite({ openStore: (clock) => memoryStore({ clock }), adapter: retrying, seed: 1 })

  const check = report.checks.find(({ id }) => id === 'timeout_after_commit_recovery')
  expect(report.isSafe).toBe(false)
  expect(check).toMatchObject({
    state: 'failed',
    expected: { calls: 1, effects: 1 },
    observed: { calls: 2, effects: 2 },
  })
})

describe('case Z12 a ledger restored from yesterday has no record of the effect of today:', () => {
  it('a guarded call carries the key that is derived from its name, and the provider does it once', async () => {
    const stage = await stageOf()
    const charge = async (): Promise<string> => {
      const store = memoryStore({ clock: stage.clock })
      const runner = new ActionRunner({ store, clock: stage.clock, ids: stage.ids(), logger: SILENT })
      const { status } = await runner.execute(
        'charge_customer',
        async ({ request, providerIdempotencyKey }) =>
          stage.provider.charge({
            ...request,
            clientReference: 'order-123',
            idempotencyKey: providerIdempotencyKey,
          }),
        { request: { customerId: 'customer_123', amountCents: 2_500 }, idempotencyKey: 'order-123' },
      )
      return status
    }

    const statuses = await stage.play(charge().then(async (first) => [first, await charge()]))

    expect(statuses).toEqual(['CONFIRMED', 'CONFIRMED'])
    expect(stage.counted()).toMatchObject({ calls: 2, effects: 1 })
  })

  it('a proposal names the same effect by the same key, whoever approves it again', async () => {
    const stage = await stageOf()
    const carryOut = async (): Promise<string> => {
      const cast = await ProposalCast.open(stage, memoryStore({ clock: stage.clock }))
      const proposal = await cast.approved()
      await cast.execute(proposal)
      return (await cast.settled(proposal)).status
    }

    const statuses = await stage.play(carryOut().then(async (first) => [first, await carryOut()]))

    expect(statuses[0]).toBe('verified')
    expect(stage.counted()).toMatchObject({ calls: 2, effects: 1 })
  })
})

it('case Z15 a transaction counts as mined at the depth of finality, so one that is reorganised out never did', async () => {
  const FINALITY = 6
  const [stays, leaves] = await Promise.all(
    [false, true].map(async (isReorganised) =>
      ofCall({ charge: ['commit_then_drop'] }, async (cast, stage) => {
        let depth = 1
        let isMined = true
        const chain: Verifier = ({ providerReference: verifiedProviderReference }) => {
          if (isMined && depth >= FINALITY) return VerificationResult.confirmed({ verifiedProviderReference })
          // Another transaction took the nonce, at the depth of finality: this one can never be mined any more.
          if (!isMined && depth >= FINALITY) {
            return VerificationResult.absent({ verifiedProviderReference, retrySafe: true })
          }
          return VerificationResult.unknown({ verifiedProviderReference })
        }
        const sent = await cast.charge({ verifier: chain })
        depth = 3
        const shallow = await cast.reconcile(sent, chain)
        if (isReorganised) {
          isMined = false
          depth = 1
        }
        const after = await cast.reconcile(sent, chain)
        await stage.wait(MINUTE_MS)
        depth = FINALITY
        return [sent.status, shallow.status, after.status, (await cast.reconcile(sent, chain)).status]
      }),
    ),
  )

  expect(stays?.told).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'CONFIRMED'])
  expect(leaves?.told).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'FAILED'])
})

/** The key under which the first charge reached the provider. */
function firstCharged({ trace }: Stage): string {
  return trace.events.find(({ event }) => event === 'charge')?.about ?? ''
}
