// A charge whose answer is lost: what a caller makes of it that tries again, what a guarded call makes of it, and the safety suite.
import { argv } from 'node:process'
import { ActionRunner, memoryStore } from 'countersign'
import {
  ChargeFault,
  FakePaymentProvider,
  paymentSafetySuite,
  PaymentVerifier,
  type SafetyReport,
  safetyReportText,
} from 'countersign/testing'

const request = { customerId: 'customer_123', amountCents: 2_500 }

async function naiveRetry(): Promise<void> {
  const provider = new FakePaymentProvider({ chargeFaults: [ChargeFault.TIMEOUT_AFTER_COMMIT] })
  const charge = () => provider.charge({ ...request, clientReference: 'order-123' })
  await charge().catch(charge)
  console.log('Naive retry')
  console.log(`calls=${provider.chargeCalls}`)
  console.log(`charges=${provider.effects}`)
}

async function guardedCall(): Promise<void> {
  // #region guarded
  const provider = new FakePaymentProvider({ chargeFaults: [ChargeFault.TIMEOUT_AFTER_COMMIT] })
  const runner = new ActionRunner({ store: memoryStore() })

  const lost = await runner.execute(
    'charge_customer',
    (call) => provider.charge({ ...call.request, clientReference: 'order-123' }),
    { request, idempotencyKey: 'order-123', providerReference: 'order-123' },
  )
  // lost.status is UNKNOWN: the charge is neither retried nor called failed.
  const { receipt } = await runner.reconcile(lost.receipt.actionId, new PaymentVerifier(provider))
  // #endregion

  console.log('Countersign')
  console.log(`execution=${receipt.executionStatus}`)
  console.log(`verification=${receipt.verificationStatus}`)
  console.log(`final=${receipt.finalStatus}`)
  console.log(`calls=${provider.chargeCalls}`)
  console.log(`charges=${provider.effects}`)
}

// #region suite
/** Found by `countersign test`. */
export async function runSafetySuite(): Promise<SafetyReport> {
  return paymentSafetySuite({ openStore: (clock) => memoryStore({ clock }) })
}
// #endregion

if (argv[1] === import.meta.filename) {
  await naiveRetry()
  console.log()
  await guardedCall()
  console.log()
  console.log(safetyReportText(await runSafetySuite()))
}
