// Falsifying cases about answers: two worlds that look alike to caller and verifier, and what must come out of both.
import { expect, it } from 'vitest'
import { VerificationResult } from '../../../src/effect/answer.ts'
import { ActionInProgressError } from '../../../src/effect/calls/action-error.ts'
import { RetryPolicy } from '../../../src/effect/calls/retry-policy.ts'
import type { Verifier } from '../../../src/runtime/calls/operation.ts'
import { ACTION } from '../../../src/testing/safety/calls/call-cast.ts'
import { answerOf, requester } from '../../../src/testing/safety/proposals/proposal-cast.ts'
import { DAY_MS, MINUTE_MS, ofCall, ofProposal } from './worlds.ts'

const blind: Verifier = () => VerificationResult.unknown()
const eager = new RetryPolicy({ maxAttempts: 3, retryOnFailed: true })

it('case Z1 a mail whose connection was lost after DATA stays UNKNOWN for ever, queued or dropped, and is never sent again', async () => {
  const [queued, dropped] = await Promise.all(
    (['commit_then_drop', 'drop_before_commit'] as const).map(async (fault) =>
      ofCall({ charge: [fault] }, async (cast, stage) => {
        const sent = await cast.charge({ retryPolicy: eager })
        await stage.wait(30 * DAY_MS)
        const looked = await cast.reconcile(sent, blind)
        const again = await cast.charge({ retryPolicy: eager, verifier: blind })
        return [sent.status, looked.status, again.status]
      }),
    ),
  )

  expect(queued).toEqual({ told: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'], calls: 1, effects: 1 })
  expect(dropped).toEqual({ told: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'], calls: 1, effects: 0 })
})

it('case Z2 a transfer that a lagging list does not show is provisional, landed or lost, until the list has settled', async () => {
  const [landed, lost] = await Promise.all(
    (['commit_then_drop', 'drop_before_commit'] as const).map(async (fault) =>
      ofCall({ charge: [fault], lookUp: ['stale_reads', 'stale_reads'] }, async (cast, stage) => {
        const first = await cast.charge({ retryPolicy: eager, verifier: cast.verifier })
        await stage.wait(MINUTE_MS)
        const second = await cast.reconcile(first)
        await stage.wait(MINUTE_MS)
        const third = await cast.reconcile(first)
        return [first.status, second.status, third.status]
      }),
    ),
  )

  expect(landed).toEqual({ told: ['UNKNOWN', 'UNKNOWN', 'CONFIRMED'], calls: 1, effects: 1 })
  expect(lost).toEqual({ told: ['UNKNOWN', 'UNKNOWN', 'FAILED'], calls: 1, effects: 0 })
})

it('case Z3 a request that is stalled in a proxy is not finally absent without a fence, and lands once', async () => {
  const [lands, never] = await Promise.all(
    (['late_landing', 'drop_before_commit'] as const).map(async (fault) =>
      ofCall({ charge: [fault] }, async (cast, stage) => {
        const { provider } = stage
        // Healthy and conclusive, and without any knowledge of what is still on its way.
        const unfenced: Verifier = async ({ providerReference }) => {
          const { charges, clientReference: verifiedProviderReference } = await provider.lookUp(providerReference ?? '')
          return charges.length > 0
            ? VerificationResult.confirmed({ verifiedProviderReference })
            : VerificationResult.absent({ verifiedProviderReference })
        }
        const first = await cast.charge({ retryPolicy: eager, verifier: unfenced })
        const second = await cast.reconcile(first, unfenced)
        const fenced = await cast.reconcile(first)
        return [first.status, second.status, fenced.status]
      }),
    ),
  )

  expect(lands).toEqual({ told: ['UNKNOWN', 'CONFIRMED', 'CONFIRMED'], calls: 1, effects: 1 })
  expect(never).toEqual({ told: ['UNKNOWN', 'UNKNOWN', 'FAILED'], calls: 1, effects: 0 })
})

it('case Z3 the fence of the provider keeps a stalled proposal from being sent again before it lands', async () => {
  const world = await ofProposal({ charge: ['late_landing'] }, async (cast) => {
    const proposal = await cast.approved()
    await cast.execute(proposal)
    return (await cast.settled(proposal)).status
  })

  expect(world).toEqual({ told: 'verified', calls: 1, effects: 1 })
})

it('case Z4 a resend is deduplicated while the provider knows the key, and is not made once it may have forgotten it', async () => {
  // The effect is there, and the replica that is asked never shows it: an absence that settles and is not true.
  const faults = {
    charge: ['commit_then_drop'],
    lookUp: Array.from({ length: 30 }, () => 'replica_disagrees' as const),
  } as const
  const [today, tomorrow] = await Promise.all(
    [0, DAY_MS].map(async (waitMs) =>
      ofProposal(faults, async (cast, stage) => {
        cast.action.happenings.proof = 'settled'
        const proposal = await cast.approved()
        await cast.execute(proposal)
        await stage.wait(waitMs + 1)
        const { outcome } = await cast.settled(proposal)
        return [outcome, await answerOf(cast.execute(proposal))]
      }),
    ),
  )

  expect(today).toEqual({ told: ['resend_allowed', 'verification_pending'], calls: 2, effects: 1 })
  expect(tomorrow).toEqual({ told: ['failed_known', 'failed_known'], calls: 1, effects: 1 })
})

it('case Z9 what was accepted is not verified: it is done later, or never', async () => {
  const [done, never] = await Promise.all(
    ([[], ['fail_after_acceptance']] as const).map(async (charge) =>
      ofProposal({ charge }, async (cast) => {
        const proposal = await cast.approved()
        const accepted = await cast.execute(proposal)
        return [accepted.status, (await cast.settled(proposal)).status]
      }),
    ),
  )

  expect(done).toEqual({ told: ['verification_pending', 'verified'], calls: 1, effects: 1 })
  expect(never).toEqual({ told: ['verification_pending', 'failed_known'], calls: 1, effects: 0 })
})

it('case Z13 a clock that jumps over the lease lets others look and nobody call, the worker alive or dead', async () => {
  const [alive, dead] = await Promise.all(
    ([[], ['hang']] as const).map(async (charge) =>
      ofCall({ charge }, async (cast, stage) => {
        const working = cast.charge()
        await stage.wait(1)
        stage.clock.setWall(stage.clock.now() + DAY_MS)
        const other = cast.another()
        const refused: unknown = await cast.charge({}, other).catch((error: unknown) => error)
        const { actionId = '' } = (await other.find(ACTION, 'order-123')) ?? {}
        // It looks before the worker's request has come to anything.
        const recovered = await other.recoverPending(actionId, blind)
        await working.catch(() => null)
        const again = await cast.charge({ verifier: cast.verifier }, other)
        return [refused instanceof ActionInProgressError, recovered.status, again.status]
      }),
    ),
  )

  expect(alive).toEqual({ told: [true, 'UNKNOWN', 'CONFIRMED'], calls: 1, effects: 1 })
  expect(dead).toEqual({ told: [true, 'UNKNOWN', 'CONFIRMED'], calls: 1, effects: 1 })
})

it('case Z14 a door whose sensor is late is given its time, and then it is for an operator', async () => {
  const late = (count: number) => Array.from({ length: count }, () => 'stale_reads' as const)
  const worlds = [
    { charge: ['commit_then_drop'], lookUp: late(3) },
    { charge: ['drop_before_commit'], lookUp: late(30) },
  ] as const
  const [moved, silent] = await Promise.all(
    worlds.map(async (faults) =>
      ofProposal(faults, async (cast) => {
        const proposal = await cast.approved()
        const executed = await cast.execute(proposal)
        const first = await cast.runtime.reconcile(requester, proposal)
        const settled = await cast.settled(proposal)
        return [executed.status, first.status, settled.status, settled.nextStep]
      }),
    ),
  )

  const doubt = ['failed_unknown', 'verification_pending']
  expect(moved).toEqual({ told: [...doubt, 'verified', 'none'], calls: 1, effects: 1 })
  expect(silent).toEqual({ told: [...doubt, 'verification_unresolved', 'operator'], calls: 1, effects: 0 })
})
