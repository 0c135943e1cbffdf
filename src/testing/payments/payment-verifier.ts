// The verifier of the fake provider's charges: it reads back by the receipt's reference and claims no more than it saw.
import { VerificationResult } from '../../effect/answer.ts'
import type { ChargeLookUp } from './charge-look-up.ts'
import type { FakePaymentProvider } from './payment-provider.ts'

/** What the verifier needs of a receipt. */
export interface VerifiedReceipt {
  readonly providerReference: string | null
}

/**
 * Finds out whether a guarded call charged. It answers `retrySafe` only if the look-up was sound, complete and at least
 * as late as the end of every request, and the provider's in-flight fence says that none is on its way. Spec: harness 1,
 * H1; the seed's "bundled fake payment verifier".
 */
export class PaymentVerifier {
  readonly #provider: FakePaymentProvider

  constructor(provider: FakePaymentProvider) {
    this.#provider = provider
  }

  /** Reads only. Passes on what the provider throws: a read that failed says nothing. */
  async verify(
    { providerReference }: VerifiedReceipt,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<VerificationResult> {
    if (providerReference === null) return VerificationResult.unknown()
    // Asked before the look: a request that ends in between is seen by the look, or is after its instant.
    const { count, lastEndedAt } = this.#provider.inFlight(providerReference)
    const found = await this.#provider.lookUp(providerReference, signal)
    const identity = { verifiedProviderReference: found.clientReference }
    // The provider may match by prefix; the receipt means one reference exactly.
    const charge = found.charges.find((one) => one.clientReference === found.clientReference && one.state !== 'failed')
    if (charge !== undefined) {
      const { providerRequestId, chargeId } = charge
      return VerificationResult.confirmed({ ...identity, providerRequestId, value: { chargeId } })
    }
    if (found.control === 'missing') return VerificationResult.absent({ ...identity, health: 'CONTROL_FAILED' })
    if (!found.isComplete) {
      return VerificationResult.absent({ ...identity, health: 'PARTIAL', conclusiveAbsence: false })
    }
    if (isBehind(found, lastEndedAt)) return VerificationResult.absent({ ...identity, health: 'STALE' })
    // The fence and the look are about the reference, which all attempts carry.
    return VerificationResult.absent({ ...identity, retrySafe: count === 0, coversAttempts: 'all' })
  }
}

function isBehind({ asOf }: ChargeLookUp, lastEndedAt: number | null): boolean {
  return lastEndedAt !== null && asOf < lastEndedAt
}
