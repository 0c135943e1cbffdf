// A worker that makes its refund by a guarded call: whatever it is killed in, it looks before anything else, and never repeats.
import { join } from 'node:path'
import { ActionRunner, VerificationResult, type Verifier } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { BusinessClient, type CrashOutcome, type CrashScenario, VirtualClock } from 'countersign/testing'
import { EFFECT, refundTarget, setupOf, START } from './refund-target.ts'

const request = { orderReference: 'ORD-1001', amount: { amount: '10.00', currency: 'EUR' } }
const OUTCOMES = { CONFIRMED: 'done', FAILED: 'not_done', UNKNOWN: 'open' } as const satisfies Record<
  string,
  CrashOutcome
>

export const crashScenario: CrashScenario = {
  open: refundTarget,
  async work({ setup, run, steps }) {
    const { url, folder } = setupOf(setup)
    const clock = new VirtualClock(START + run * 120_000)
    const store = steps.store(await sqliteStore(join(folder, 'countersign.db'), { clock }))
    const runner = new ActionRunner({ store, clock })
    const business = new BusinessClient(url)
    const verifier: Verifier = async ({ providerReference }) => {
      const key = providerReference ?? ''
      const { refunds, isTerminal } = await business.findRefunds([key])
      const identity = { verifiedProviderReference: key }
      if (refunds[0] !== undefined) return VerificationResult.confirmed(identity)
      return VerificationResult.absent({ ...identity, retrySafe: isTerminal, coversAttempts: 'all' })
    }

    const found = await runner.find('refund', 'job-1')
    const isInterrupted = found !== null && found.state === 'PENDING' && found.attempts.length > 0
    const { receipt } = isInterrupted
      ? await runner.recoverPending(found.actionId, verifier)
      : await runner.execute(
          'refund',
          async (call) => {
            const { orderVersion } = await business.readOrder(call.request.orderReference)
            const precondition = `order-version:${orderVersion}`
            return steps.step('refund', async () =>
              business.refund({ ...call.request, precondition, idempotencyKey: call.providerReference ?? '' }),
            )
          },
          { request, idempotencyKey: 'job-1', providerReference: 'refund-job-1', verifier },
        )
    await store.close()
    return { [EFFECT]: receipt.finalStatus === null ? 'open' : OUTCOMES[receipt.finalStatus] }
  },
}
