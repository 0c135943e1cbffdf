// The refund that `serve` offers: one finance manager releases it, from 50.00 EUR on a second one too.
import { z } from 'zod'
import {
  Action,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../../proposal/action.ts'
import { contract } from '../../../proposal/contract.ts'
import { money } from '../../../proposal/money.ts'
import { BusinessClient } from '../../../testing/business-system/client.ts'
import { examplePermissions } from './permissions.ts'
import { ifKnown, orRefused } from './unknown-thing.ts'

const refund = contract({
  type: 'example.payments/refund@1',
  schemas: {
    command: z.strictObject({ orderReference: z.string(), intent: z.string(), amount: money() }),
    snapshot: z.strictObject({
      orderReference: z.string(),
      orderVersion: z.int(),
      captured: money(),
      refunded: money(),
      amount: money(),
    }),
    preview: z
      .strictObject({
        title: z.string(),
        orderReference: z.string().meta({ inbox: { as: 'identifier', label: 'Order' } }),
        amount: money(),
        captured: money(),
        alreadyRefunded: money(),
      })
      .meta({
        inbox: {
          effect: 'The amount goes back to whoever paid the order.',
          undo: 'A refund cannot be taken back: the customer would have to pay again.',
        },
      }),
    result: z.strictObject({ refundId: z.string() }),
  },
  lifetime: '24h',
  policy: {
    require: [
      { name: 'finance', count: 1, from: { role: 'finance-manager' } },
      {
        name: 'second-finance',
        count: 1,
        from: { role: 'finance-manager' },
        when: { path: '/amount', atLeast: { amount: '50.00', currency: 'EUR' } },
      },
    ],
    exclude: { requester: true, agentOwner: true },
    // Two refunds of one order are two effects. While one of them may or may not have happened, nobody knows what is left.
    whileRelatedInDoubt: 'block',
  },
  permissions: examplePermissions,
  facts: ['/orderReference', '/amount'],
  // On loopback nothing stays on its way for long; whoever tries things out should not wait for minutes.
  executeTimeout: '10s',
  inFlight: '5s',
  verification: { delay: '1s' },
  acceptProof: { resend: ['terminal'] },
  target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
})
type Refund = typeof refund

/** Refunds an order of the example's business system. */
export class RefundAction extends Action<Refund> {
  readonly contract = refund
  readonly #business: BusinessClient

  constructor(url: string) {
    super()
    this.#business = new BusinessClient(url)
  }

  async prepare({ command, effect, signal }: Prepare<Refund>): Promise<Prepared<Refund>> {
    const { orderReference, intent, amount } = command
    const order = await orRefused(this.#business.readOrder(orderReference, signal))
    return {
      snapshot: { ...order, amount },
      effectReference: effect.derive('refund', orderReference, intent),
      subject: effect.derive('order', orderReference),
    }
  }

  preview({ orderReference, amount, captured, refunded }: Snapshot<Refund>): Preview<Refund> {
    return { title: 'Refund', orderReference, amount, captured, alreadyRefunded: refunded }
  }

  async resolve({ snapshot, signal }: Resolve<Refund>): Promise<Resolved<Refund>> {
    const order = await ifKnown(this.#business.readOrder(snapshot.orderReference, signal))
    if (order === null) return { current: null, precondition: 'order-gone' }
    return { current: { ...snapshot, ...order }, precondition: `order-version:${order.orderVersion}` }
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
