// The refund: a first action, of which quickstart.ts makes one proposal and lifecycle-scenarios.ts many.
import {
  Action,
  contract,
  type Execute,
  type Executed,
  money,
  type Prepare,
  type Resolve,
  type Snapshot,
  type Verified,
  type Verify,
} from 'countersign'
import { BusinessClient } from 'countersign/testing'
import { z } from 'zod'

// #region action
export const refund = contract({
  type: 'example.payments/refund@1',
  schemas: {
    command: z.strictObject({ orderReference: z.string(), intent: z.string(), amount: money() }),
    snapshot: z.strictObject({ orderReference: z.string(), orderVersion: z.int(), refunded: money(), amount: money() }),
    preview: z.strictObject({
      title: z.string(),
      orderReference: z.string(),
      amount: money(),
      alreadyRefunded: money(),
    }),
    result: z.strictObject({ refundId: z.string() }),
  },
  lifetime: '10m',
  policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] },
  permissions: {
    prepare: 'support',
    read: ['support', 'finance-manager'],
    decide: 'finance-manager',
    execute: 'support',
    reconcile: 'support',
  },
  facts: ['/orderReference', '/amount'],
  target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
})
export type Refund = typeof refund

export class RefundAction extends Action<Refund> {
  readonly contract = refund
  readonly #business: BusinessClient

  constructor(url: string) {
    super()
    this.#business = new BusinessClient(url)
  }

  async prepare({ command, effect, signal }: Prepare<Refund>) {
    const { orderReference, intent, amount } = command
    const { orderVersion, refunded } = await this.#business.readOrder(orderReference, signal)
    const snapshot = { orderReference, orderVersion, refunded, amount }
    const effectReference = effect.derive('refund', orderReference, intent)
    return { snapshot, effectReference, subject: effect.derive('order', orderReference) }
  }

  preview({ orderReference, amount, refunded }: Snapshot<Refund>) {
    return { title: 'Refund', orderReference, amount, alreadyRefunded: refunded }
  }

  async resolve({ snapshot, signal }: Resolve<Refund>) {
    const { orderVersion, refunded } = await this.#business.readOrder(snapshot.orderReference, signal)
    return { current: { ...snapshot, orderVersion, refunded }, precondition: `order-version:${orderVersion}` }
  }

  async execute({ snapshot, precondition, idempotencyKey, signal }: Execute<Refund>): Promise<Executed<Refund>> {
    const { orderReference, amount } = snapshot
    const answer = await this.#business.refund({ orderReference, amount, precondition, idempotencyKey, signal })
    if (answer.outcome === 'order_changed') return { status: 'stale_no_effect', reason: answer.outcome }
    if (answer.outcome === 'refused') return { status: 'failed_known', reason: answer.reason }
    return { status: 'accepted', externalReference: answer.refundId, result: { refundId: answer.refundId } }
  }

  async verify({ idempotencyKeys, signal }: Verify<Refund>): Promise<Verified<Refund>> {
    const { refunds, isTerminal } = await this.#business.findRefunds(idempotencyKeys, signal)
    const found = refunds[0]
    if (found === undefined) {
      return isTerminal
        ? { status: 'authoritative_final_absence', identity: idempotencyKeys, proof: 'terminal' }
        : { status: 'provisional_absence', identity: idempotencyKeys, reason: 'refund_not_visible_yet' }
    }
    return {
      status: 'verified_completion',
      identity: found.idempotencyKey,
      matches: refunds.length,
      facts: { '/orderReference': found.orderReference, '/amount': found.amount },
      externalReference: found.refundId,
      result: { refundId: found.refundId },
      occurredAt: found.bookedAt,
    }
  }
}
// #endregion
