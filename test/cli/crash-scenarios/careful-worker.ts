// A worker that leaves it to the runtime: whatever it is killed in, it prepares the same request and reconciles.
import { join } from 'node:path'
import { keyringFile, type OperationResult, ProposalRuntime, type Session } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { type CrashOutcome, type CrashScenario, VirtualClock } from 'countersign/testing'
import { RefundAction } from '../../../examples/docs/refund-action.ts'
import { EFFECT, refundTarget, setupOf, START } from './refund-target.ts'

const support = session('agent', 'support-bot', 'support')
const finance = session('user', 'fiona', 'finance-manager')
const command = { orderReference: 'ORD-1001', intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } }

export const crashScenario: CrashScenario = {
  open: refundTarget,
  async work({ setup, run, steps }) {
    const { url, folder } = setupOf(setup)
    // Two minutes later: the lease of whoever was killed has ended, and the proposal has not.
    const clock = new VirtualClock(START + run * 120_000)
    const store = steps.store(await sqliteStore(join(folder, 'countersign.db'), { clock }))
    const keyring = await keyringFile(join(folder, 'countersign.keys'), { create: true })
    const actions = [steps.action(new RefundAction(url))]
    const runtime = await ProposalRuntime.open({ store, keyring, clock, actions })

    const requested = { action: 'example.payments/refund@1', command, requestKey: 'job-1' }
    let now: OperationResult = await runtime.prepare(support, requested)
    const { proposal } = now
    if (now.status === 'awaiting_approval') {
      now = await runtime.approve(finance, proposal, { commitment: now.commitment })
    }
    if (now.status === 'approved') now = await runtime.execute(support, proposal)
    while (now.nextStep === 'wait' || now.nextStep === 'reconcile') {
      await clock.advance(Math.max(0, (now.waitUntil ?? 0) - clock.now()))
      now = await runtime.reconcile(support, proposal)
    }
    await store.close()
    return { [EFFECT]: outcomeOf(now) }
  },
}

function outcomeOf({ status }: OperationResult): CrashOutcome {
  if (status === 'verified') return 'done'
  return status === 'failed_known' ? 'not_done' : 'open'
}

function session(kind: 'user' | 'agent', id: string, role: string): Session {
  return { tenant: 'acme', principal: { kind, id }, roles: [role], assurance: ['authenticated_session'] }
}
