// The cast of the checks of guarded calls: runners on one ledger, and the adapter that is under test.
import type { ActionResult } from '../../../effect/calls/action-result.ts'
import type { RetryPolicy } from '../../../effect/calls/retry-policy.ts'
import { ActionRunner } from '../../../runtime/calls/action-runner.ts'
import type { OperationCall, Verifier } from '../../../runtime/calls/operation.ts'
import type { FakePaymentProvider } from '../../payments/payment-provider.ts'
import { PaymentVerifier } from '../../payments/payment-verifier.ts'
import { SILENT, type Stage } from '../stage.ts'

/** What every check asks for. */
export interface PaymentRequest {
  readonly customerId: string
  readonly amountCents: number
}

/**
 * An adapter of the fake provider: how a guarded call charges through it, and how it is read back. Yours stands between
 * the two; nothing that it says about itself is believed. It waits for the provider and its clock, and for nothing else.
 */
export interface PaymentAdapter {
  readonly name: string
  readonly capabilities?: readonly string[]
  charge(provider: FakePaymentProvider, call: OperationCall<PaymentRequest>): Promise<unknown>
  verifier(provider: FakePaymentProvider): Verifier
}

/** The adapter that adds nothing to the provider. */
export const directPaymentAdapter: PaymentAdapter = {
  name: 'FakePaymentProvider',
  capabilities: ['look_up_by_reference', 'in_flight_fence'],
  async charge(provider, { request, providerReference, signal }) {
    return provider.charge({ ...request, clientReference: providerReference ?? '', signal })
  },
  verifier: (provider) => new PaymentVerifier(provider),
}

/** What a check may vary of its calls. */
export interface CallVariation {
  /** Both idempotency key and provider reference. */
  readonly reference?: string
  readonly amountCents?: number
  readonly verifier?: Verifier
  readonly retryPolicy?: RetryPolicy
  /** Whether it carries a risk, which is refused beside some policies. Default true. */
  readonly risky?: boolean
}

export const ACTION = 'charge_customer'
const REFERENCE = 'order-123'
const REQUEST: PaymentRequest = { customerId: 'customer_123', amountCents: 2_500 }

/** Who takes part in a check. */
export class CallCast {
  readonly #stage: Stage
  readonly #adapter: PaymentAdapter
  readonly #runner: ActionRunner

  constructor(stage: Stage, adapter: PaymentAdapter = directPaymentAdapter) {
    this.#stage = stage
    this.#adapter = adapter
    this.#runner = this.another()
  }

  /** One more worker on the same ledger. */
  another(): ActionRunner {
    const { store, clock } = this.#stage
    return new ActionRunner({ store, clock, ids: this.#stage.ids(), logger: SILENT })
  }

  get verifier(): Verifier {
    return this.#adapter.verifier(this.#stage.provider)
  }

  /** The one call that all checks are about. */
  async charge(variation: CallVariation = {}, runner: ActionRunner = this.#runner): Promise<ActionResult> {
    const { amountCents = REQUEST.amountCents, reference = REFERENCE, verifier, retryPolicy, risky = true } = variation
    return runner.execute<PaymentRequest, unknown>(
      ACTION,
      async (call) => this.#adapter.charge(this.#stage.provider, call),
      {
        request: { ...REQUEST, amountCents },
        idempotencyKey: reference,
        providerReference: reference,
        ...(risky ? { risk: 'financial' } : {}),
        ...(verifier === undefined ? {} : { verifier }),
        ...(retryPolicy === undefined ? {} : { retryPolicy }),
      },
    )
  }

  /** Whether the provider has exactly what was asked for under the reference, however often. */
  isChargedAsAsked(): boolean {
    const { customerId, amountCents } = REQUEST
    return this.#stage.provider.charges.every((one) => {
      return one.customerId === customerId && one.amountCents === amountCents && one.clientReference === REFERENCE
    })
  }

  async reconcile({ receipt }: ActionResult, verifier: Verifier = this.verifier): Promise<ActionResult> {
    return this.#runner.reconcile(receipt.actionId, verifier)
  }
}
