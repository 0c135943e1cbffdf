// The testing door: what makes an action or a store fail on purpose, and what the examples run against.
export {
  BusinessClient,
  type RefundOrder,
  type RefundOutcome,
  type RefundSearch,
  type RefusalReason,
} from './testing/business-system/client.ts'
export { BusinessSystemError } from './testing/business-system/exchange.ts'
export {
  PayablesClient,
  type PaymentOrder,
  type PaymentOutcome,
  type PaymentRefusalReason,
  type PaymentSearch,
} from './testing/business-system/payables-client.ts'
export type {
  ApprovalState,
  BookedPayment,
  FoundPayments,
  Invoice,
  PaymentAnswer,
  PaymentBody,
  PeriodState,
} from './testing/business-system/payables-wire.ts'
export {
  type BusinessSystem,
  type BusinessSystemOptions,
  startBusinessSystem,
} from './testing/business-system/start.ts'
export type {
  BookedRefund,
  EffectCount,
  FoundRefunds,
  KnownRequest,
  LookUp,
  Order,
  RefundAnswer,
  RequestState,
  SeenRequest,
} from './testing/business-system/wire.ts'
export { type CommitFault, CommitFaults, type CommitStep, commitStep } from './testing/commit-faults.ts'
export { EventTrace, type TracedEvent } from './testing/event-trace.ts'
export {
  ChargeFault,
  type ChargeFaultName,
  type FaultName,
  LookUpFault,
  type LookUpFaultName,
} from './testing/faults.ts'
export { providerContract } from './testing/provider-contract.ts'
export type {
  FindFault,
  Looked,
  ProviderAdapter,
  ProviderCall,
  ProviderDeclaration,
  ProviderDouble,
  SendFault,
  Sent,
  WireRequest,
} from './testing/provider-contract/provider-adapter.ts'
export { protectionConformance } from './testing/protection-conformance.ts'
export type {
  ContentCodec,
  KeyringUnderTest,
  SealedPlace,
} from './testing/protection-conformance/protection-bench.ts'
export { findSensitive, type SensitiveFinding, type Spelling } from './testing/find-sensitive.ts'
export { type GateFault, type HttpGate, type HttpGateOptions, startHttpGate } from './testing/http-gate.ts'
export { type Around, InterceptedStore } from './testing/intercepted-store.ts'
export type { ChargeLookUp } from './testing/payments/charge-look-up.ts'
export type { Charge, ChargeRequest } from './testing/payments/payment-books.ts'
export {
  type ChargeAnswer,
  FakePaymentProvider,
  type FakePaymentProviderOptions,
  PaymentProviderError,
} from './testing/payments/payment-provider.ts'
export { PaymentVerifier, type VerifiedReceipt } from './testing/payments/payment-verifier.ts'
export {
  directPaymentAdapter,
  type PaymentAdapter,
  type PaymentRequest,
} from './testing/safety/calls/call-cast.ts'
export { paymentSafetySuite, type PaymentSuiteOptions } from './testing/safety/calls/payment-suite.ts'
export { proposalSafetySuite } from './testing/safety/proposals/proposal-suite.ts'
export type { OpenStore } from './testing/safety/stage.ts'
export {
  parseSafetyReport,
  type ReportContext,
  SAFETY_REPORT_SCHEMA,
  type SafetyReportDocument,
  safetyReportJson,
} from './testing/safety/report-json.ts'
export { safetyReportText } from './testing/safety/report-text.ts'
export {
  type Counters,
  SafetyCheck,
  type SafetyCheckInput,
  type SafetyCheckState,
} from './testing/safety/safety-check.ts'
export {
  type Classification,
  type Comparison,
  type Participant,
  SafetyReport,
  type SafetyReportInput,
} from './testing/safety/safety-report.ts'
export { suiteSeed } from './testing/safety/suite-seed.ts'
export { seededIds } from './testing/seeded-ids.ts'
export type { CrashOutcome, CrashScenario, CrashTarget, CrashWork } from './testing/crash/crash-scenario.ts'
export { type CrashStep, CrashSteps } from './testing/crash/crash-steps.ts'
export { actionConformance, type ActionConformanceOptions } from './testing/action-conformance.ts'
export type { ActionWorld, WorldChange, WorldFault } from './testing/action-conformance/action-world.ts'
export {
  type ClauseResult,
  type ClauseState,
  type ConformanceReport,
  failureCodes,
  reportText,
  type Verdict,
} from './testing/conformance-report.ts'
export {
  storeConformance,
  type StoreConformanceOptions,
  StoreNonconformance,
  storeReport,
  type StoreUnderTest,
} from './testing/store-conformance.ts'
export { VirtualClock, type VirtualClockState } from './testing/virtual-clock.ts'
