// The action of the runtime's tests: a refund in this process, each method replaceable, each call counted.
import { z } from 'zod'
import {
  Action,
  type Caller,
  type CanView,
  type Execute,
  type Executed,
  type Facts,
  type Held,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Stop,
  type Stopped,
  type Verified,
  type Verify,
} from '../../src/proposal/action.ts'
import { type Act, contract } from '../../src/proposal/contract.ts'
import { money } from '../../src/proposal/money.ts'

/** Everybody who takes part may read; auditors and nobody else may only read. */
const readers = ['support', 'finance-manager', 'director', 'operator', 'executor', 'auditor'] as const

export const refund = contract({
  type: 'example.payments/refund@1',
  schemas: {
    command: z.strictObject({
      orderReference: z.string(),
      intent: z.string(),
      amount: money(),
      memo: z.exactOptional(z.string()),
    }),
    snapshot: z.strictObject({
      orderReference: z.string(),
      orderVersion: z.int(),
      refunded: money(),
      amount: money(),
      /** Private: no preview shows it. */
      customer: z.string(),
      memo: z.exactOptional(z.string()),
    }),
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
    read: readers,
    list: readers,
    check: ['finance-manager', 'operator'],
    decide: ['finance-manager', 'director'],
    execute: ['support', 'executor'],
    withdraw: ['support', 'operator'],
    reconcile: ['executor', 'operator', 'support'],
    operate: 'operator',
    erase: 'privacy-officer',
  },
  facts: ['/orderReference', '/amount'],
  target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
})

export type Refund = typeof refund

/** The business: one order, and the refunds that were booked for it. Tests change it as a second writer would. */
export interface Business {
  orderVersion: number
  refunded: { amount: string; currency: string }
  customer: string
  readonly booked: { readonly id: string; readonly key: string; readonly amount: unknown; readonly at: number }[]
}

/** The action's methods, each of which a test may replace. */
export interface Methods {
  prepare: (input: Prepare<Refund>) => Promise<Prepared<Refund>>
  preview: (snapshot: Snapshot<Refund>) => Preview<Refund>
  resolve: (input: Resolve<Refund>) => Promise<Resolved<Refund>>
  execute: (input: Execute<Refund>) => Promise<Executed<Refund>>
  verify: (input: Verify<Refund>) => Promise<Verified<Refund>>
  can: (act: Act, caller: Caller, view: CanView<Refund>) => boolean | Promise<boolean>
  compareFacts: (approved: Facts<Refund>, found: Facts<Refund>) => boolean
  fence: (input: Stop<Refund>) => Promise<Stopped>
  cancel: (input: Stop<Refund>) => Promise<Stopped>
  isHeld: (input: Held) => Promise<boolean>
}

const OPTIONAL = ['compareFacts', 'fence', 'cancel', 'isHeld'] as const

/** What a test action is made of; the optional methods exist only where they are given. */
export interface TestActionParts {
  readonly contract?: Readonly<Record<string, unknown>>
  readonly methods?: Partial<Methods>
  readonly now: () => number
}

/**
 * The refund of the tests. `methods` may be replaced at any time, `calls` counts, `business` is what it reads and writes.
 * By default it does everything right: derives its reference, enforces the precondition, deduplicates by key.
 */
export class TestAction extends Action<Refund> {
  readonly contract: Refund
  readonly methods: Methods
  readonly business: Business = {
    orderVersion: 7,
    refunded: { amount: '20.00', currency: 'EUR' },
    customer: 'Carla Customer',
    booked: [],
  }
  readonly calls: Record<keyof Methods, number> = {
    prepare: 0,
    preview: 0,
    resolve: 0,
    execute: 0,
    verify: 0,
    can: 0,
    compareFacts: 0,
    fence: 0,
    cancel: 0,
    isHeld: 0,
  }
  /** Every question put to `can`, in order. */
  readonly asked: { readonly act: Act; readonly caller: Caller; readonly view: CanView<Refund> }[] = []

  constructor({ contract: fields = {}, methods = {}, now }: TestActionParts) {
    super()
    this.contract = { ...refund, ...fields }
    this.methods = { ...this.#sound(now), ...methods }
    for (const name of OPTIONAL) {
      if (methods[name] === undefined) continue
      const counted = (...input: readonly unknown[]): unknown => {
        this.calls[name] += 1
        return Reflect.apply(this.methods[name], this, input)
      }
      Object.defineProperty(this, name, { value: counted })
    }
  }

  async prepare(input: Prepare<Refund>): Promise<Prepared<Refund>> {
    this.calls.prepare += 1
    return this.methods.prepare(input)
  }

  preview(snapshot: Snapshot<Refund>): Preview<Refund> {
    this.calls.preview += 1
    return this.methods.preview(snapshot)
  }

  async resolve(input: Resolve<Refund>): Promise<Resolved<Refund>> {
    this.calls.resolve += 1
    return this.methods.resolve(input)
  }

  async execute(input: Execute<Refund>): Promise<Executed<Refund>> {
    this.calls.execute += 1
    return this.methods.execute(input)
  }

  async verify(input: Verify<Refund>): Promise<Verified<Refund>> {
    this.calls.verify += 1
    return this.methods.verify(input)
  }

  override can(act: Act, caller: Caller, view: CanView<Refund>): boolean | Promise<boolean> {
    this.calls.can += 1
    this.asked.push({ act, caller, view })
    return this.methods.can(act, caller, view)
  }

  #sound(now: () => number): Methods {
    const { business } = this
    return {
      async prepare({ command: { orderReference, intent, amount, memo }, effect }) {
        const { orderVersion, refunded, customer } = business
        return {
          snapshot: {
            orderReference,
            orderVersion,
            refunded: { ...refunded },
            amount,
            customer,
            ...(memo === undefined ? {} : { memo }),
          },
          effectReference: effect.derive('refund', orderReference, intent),
          subject: effect.derive('order', orderReference),
        }
      },
      preview({ orderReference, amount, refunded }) {
        return { title: 'Refund', orderReference, amount, alreadyRefunded: refunded }
      },
      async resolve({ snapshot }) {
        const { orderVersion, refunded, customer } = business
        return {
          current: { ...snapshot, orderVersion, refunded: { ...refunded }, customer },
          precondition: `order-version:${orderVersion}`,
        }
      },
      async execute({ snapshot, precondition, idempotencyKey }) {
        const known = business.booked.find(({ key }) => key === idempotencyKey)
        if (known !== undefined)
          return { status: 'accepted', externalReference: known.id, result: { refundId: known.id } }
        if (precondition !== `order-version:${business.orderVersion}`) {
          return { status: 'stale_no_effect', reason: 'order_changed' }
        }
        const id = `rf-${business.booked.length + 1}`
        business.booked.push({ id, key: idempotencyKey, amount: snapshot.amount, at: now() })
        return { status: 'accepted', externalReference: id, result: { refundId: id } }
      },
      async verify({ idempotencyKeys, snapshot }) {
        const found = business.booked.filter(({ key }) => idempotencyKeys.some((one) => one === key))
        const first = found[0]
        if (first === undefined) return { status: 'provisional_absence', identity: idempotencyKeys }
        return {
          status: 'verified_completion',
          identity: first.key,
          matches: found.length,
          facts: { '/orderReference': snapshot.orderReference, '/amount': first.amount },
          externalReference: first.id,
          result: { refundId: first.id },
          occurredAt: first.at,
        }
      },
      can: (act, caller, view) => super.can(act, caller, view),
      compareFacts: (approved, found) => JSON.stringify(approved) === JSON.stringify(found),
      fence: async () => ({ acknowledged: true }),
      cancel: async () => ({ acknowledged: true }),
      isHeld: async () => false,
    }
  }
}
