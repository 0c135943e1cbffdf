// The words of the business system: what its requests and answers look like, for server and client alike.
import { z } from 'zod'
import type { Money } from '../../proposal/money.ts'

/** An order as the business system knows it now. Every change of it, by whomever, raises `orderVersion` by one. */
export interface Order {
  readonly orderReference: string
  readonly orderVersion: number
  readonly captured: Money
  readonly refunded: Money
}

/** What is asked of the business system. With the idempotency key it names one refund for ever. */
export interface RefundBody {
  readonly orderReference: string
  readonly amount: Money
}

/** What the business system answers when a refund is booked. */
export interface RefundAnswer {
  readonly refundId: string
  readonly orderReference: string
  readonly amount: Money
}

/** A refund in the books. `bookedAt` is an instant of the business system's clock. */
export interface BookedRefund extends RefundAnswer {
  readonly idempotencyKey: string
  readonly bookedAt: number
  /** When it was reversed, if it was. */
  readonly reversedAt?: number
}

/**
 * What the business system knows of the request that carried an idempotency key. `finished_without_effect` is its word
 * that nothing was booked and nothing ever will be under that key (what proof `terminal` rests on). `never_seen` says
 * nothing about a request that is still on its way. `refused` was answered and booked nothing.
 */
export type RequestState = 'booked' | 'refused' | 'finished_without_effect' | 'never_seen'

/** What is known of the request that carried a key. */
export interface KnownRequest {
  readonly idempotencyKey: string
  readonly state: RequestState
}

/**
 * The answer to a look-up by exact idempotency keys: what is known of each key asked for. A `provisional` answer may lag
 * behind the books; a `complete` one was read from them.
 */
export interface LookUp {
  readonly state: 'complete' | 'provisional'
  readonly requests: readonly KnownRequest[]
}

/** A look-up with every refund that carries one of the keys. */
export interface FoundRefunds extends LookUp {
  readonly refunds: readonly BookedRefund[]
}

/** How many effects stand in the books for one key, thing and amount (a decimal string in EUR). */
export interface EffectCount {
  readonly idempotencyKey: string
  /** What was refunded; absent for a payment. */
  readonly orderReference?: string
  /** What was paid; absent for a refund. */
  readonly invoiceReference?: string
  readonly amount: string
  readonly count: number
}

/** A request that reached the business system, the development controls apart. `path` includes the query. */
export interface SeenRequest {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | null
  readonly precondition: string | null
  /** The parsed body; its text if it was not JSON, null if there was none. */
  readonly body: unknown
}

export const moneySchema: z.ZodType<Money> = z.strictObject({
  amount: z
    .string()
    .max(32)
    .regex(/^[0-9]+(?:\.[0-9]+)?$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
})
const refundAnswerShape = { refundId: z.string(), orderReference: z.string(), amount: moneySchema }

// How they are read. A request may not carry more than is known here; an answer may.

export const refundBodySchema: z.ZodType<RefundBody> = z.strictObject({
  orderReference: z.string().min(1).max(255),
  amount: moneySchema,
})

export const orderSchema: z.ZodType<Order> = z.object({
  orderReference: z.string(),
  orderVersion: z.int(),
  captured: moneySchema,
  refunded: moneySchema,
})

export const refundAnswerSchema: z.ZodType<RefundAnswer> = z.object(refundAnswerShape)

/** Of every look-up. */
export const lookUpShape = {
  state: z.enum(['complete', 'provisional']),
  requests: z.array(
    z.object({
      idempotencyKey: z.string(),
      state: z.enum(['booked', 'refused', 'finished_without_effect', 'never_seen']),
    }),
  ),
}

export const foundRefundsSchema: z.ZodType<FoundRefunds> = z.object({
  ...lookUpShape,
  refunds: z.array(
    z.object({
      ...refundAnswerShape,
      idempotencyKey: z.string(),
      bookedAt: z.int(),
      reversedAt: z.exactOptional(z.int()),
    }),
  ),
})

export const effectCountsSchema: z.ZodType<readonly EffectCount[]> = z.array(
  z.object({
    idempotencyKey: z.string(),
    orderReference: z.exactOptional(z.string()),
    invoiceReference: z.exactOptional(z.string()),
    amount: z.string(),
    count: z.int(),
  }),
)

export const seenRequestsSchema: z.ZodType<readonly SeenRequest[]> = z.array(
  z.object({
    at: z.int(),
    method: z.string(),
    path: z.string(),
    idempotencyKey: z.string().nullable(),
    precondition: z.string().nullable(),
    body: z.unknown(),
  }),
)
