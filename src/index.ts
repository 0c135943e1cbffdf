// The front door: what a host imports to define, propose, approve and release actions.

// effect/: what may have happened
export { VerificationResult, type VerifierHealth } from './effect/answer.ts'
export {
  ActionClaimLostError,
  ActionHeldError,
  ActionError,
  type ActionErrorCode,
  ActionInProgressError,
  type ActionNextStep,
  ActionNotFoundError,
  ActionNotStartedError,
  ActionPersistenceError,
  ActionStartedError,
  IdempotencyConflictError,
  InvalidCallError,
  type Invoked,
  ResultValueUnavailableError,
  UnresolvedActionError,
} from './effect/calls/action-error.ts'
export type { ActionAttempt, ActionObservation, ActionReceipt } from './effect/calls/action-receipt.ts'
export { ActionResult } from './effect/calls/action-result.ts'
export type { ActionStatus, CallState, RetryDecision } from './effect/calls/guarded-call.ts'
export { RetryPolicy, type RetryPolicyInput, type RetryQuestion } from './effect/calls/retry-policy.ts'
export type { JsonValue } from './effect/canonical-json.ts'
export type { IdempotencyKey } from './effect/effect-key.ts'
export type { Coverage, Evidence, ProofKind } from './effect/effect.ts'
export { limits, type LimitName } from './effect/limits.ts'
export { isReference, type ReasonCode, type Reference } from './effect/reference.ts'
export type { RestoreFinding, Witnessed } from './effect/witness.ts'

// proposal/: what was allowed
export {
  Action,
  type ActionContext,
  type AnyAction,
  type Caller,
  type CanView,
  type Command,
  DefinitiveFailure,
  type Execute,
  type Executed,
  type Facts,
  type Found,
  type Held,
  NotSent,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Result,
  type Snapshot,
  type Stop,
  type Stopped,
  type Verified,
  type Verify,
} from './proposal/action.ts'
export { OUTCOMES, type OutcomeCode, type Reason, REASONS, type RefusalCode, REFUSALS } from './proposal/codes.ts'
export { type Act, ACTS, type Contract, contract, type Schemas, type VerificationInput } from './proposal/contract.ts'
export type { Duration } from './proposal/definition/duration.ts'
export {
  ActionNotRegistered,
  type AnyRefusal,
  AuthorizationUnavailable,
  BindingMismatch,
  ContentUnavailable,
  DecisionRefused,
  DefinitionError,
  EffectAlreadyCompleted,
  EffectKindConflict,
  EffectReferenceIdentifying,
  ErasureHeld,
  InvalidCommand,
  InvalidPreparation,
  LimitExceeded,
  MalformedReference,
  NotFound,
  NotPermitted,
  type ObservedCall,
  PersistenceOutcomeUnknown,
  PolicyUnsatisfiable,
  PreparationFailed,
  PreparationRefused,
  type Problem,
  ReferenceKeyChanged,
  Refusal,
  RequestKeyReused,
  RevisionMismatch,
  StoredDataCorrupt,
  StoreUnavailable,
} from './proposal/errors.ts'
export type { EvidenceBundle, MalformedBundle } from './proposal/receipts/evidence-bundle.ts'
export { money, type Money } from './proposal/money.ts'
export {
  type AmountCondition,
  type ApprovalRules,
  type ApproverSource,
  type ExclusionInput,
  type NoApproval,
  noApproval,
  type PolicyFunction,
  type PolicyInput,
  type RelatedProposal,
  type RequirementInput,
} from './proposal/policy/policy.ts'
export type { PolicyExplanation } from './proposal/policy/explain-policy.ts'
export type { PolicySummary } from './proposal/policy/summarize-policy.ts'
export type { EvidenceSummary, NextStep } from './proposal/next-step.ts'
export type { Attention } from './proposal/proposal.ts'
export type { Principal, PrincipalKind } from './proposal/principal.ts'
export type { Session } from './proposal/session.ts'
export type { Status } from './proposal/status.ts'
export type { Tombstone } from './proposal/tombstone.ts'
export type { Receipt } from './proposal/receipts/receipt.ts'
export { type EvidenceReport, verifyEvidence } from './proposal/receipts/verify-evidence.ts'

// runtime/: in which order
export { ActionRunner, type ActionRunnerOptions } from './runtime/calls/action-runner.ts'
export type {
  GuardedCallInput,
  GuardedOperation,
  OperationCall,
  Verifier,
  VerifyAction,
} from './runtime/calls/operation.ts'
export type { ActionView, JsonSchema } from './runtime/actions.ts'
export type { CheckInput, CheckResult } from './runtime/check.ts'
export type { DecisionInput } from './runtime/decide.ts'
export {
  type DisabledEndpoint,
  listUndelivered,
  replayDeliveries,
  type Undelivered,
  type UndeliveredEvent,
} from './runtime/deliver/dead-letters.ts'
export type {
  Claimed,
  DeadLetter,
  Deliveries,
  Delivery,
  DeliveryOutcome,
  EndpointProgress,
} from './runtime/deliver/deliveries.ts'
export type { EraseInput, ErasureResult } from './runtime/erase/erase.ts'
export type { EventsInput, EventsPage, EventView } from './runtime/events.ts'
export type { ExecuteInput } from './runtime/execute/execute.ts'
export type { ExpiredDue, ExpireDueInput } from './runtime/expire-due.ts'
export type { MethodCall, OnHostError } from './runtime/host-trouble.ts'
export { addKeyToFile, createKeyFile } from './runtime/keys/key-file.ts'
export { keyringFile } from './runtime/keys/keyring-file.ts'
export { ephemeralKeyring, KeyringError, localKeyring } from './runtime/keys/local-keyring.ts'
export type { ListInput, ListItem, ListPage } from './runtime/list.ts'
export type { ObservationResult, ObserveInput } from './runtime/operate/observe.ts'
export type { ResumeInput, SettleInput } from './runtime/operate/operate.ts'
export { KeyUnavailable } from './runtime/keys/sealing.ts'
export type { Clock, Ids, KeyEncryptionKey, Keyring, Logger, Store } from './runtime/ports.ts'
export type { PrepareInput } from './runtime/prepare/prepare.ts'
export type { ErasedView, ProposalView, ReadInput } from './runtime/read.ts'
export type { ReceiptsView } from './runtime/receipts.ts'
export type { ErasedRef, Restore, RestoreAcknowledgement, RestoreState, Witness } from './runtime/restores.ts'
export { acknowledgeRestore } from './runtime/acknowledge-restore.ts'
export { type FailedRewrap, rotateKeys, type Rotation } from './runtime/keys/rotate-keys.ts'
export { ProposalRuntime, type RuntimeOptions } from './runtime/runtime.ts'
export type { OperationResult } from './runtime/result.ts'
export type { ReconcileInput } from './runtime/verify/reconcile.ts'
export { sendOnce, type SendOnceOptions } from './runtime/send-once.ts'
export type { WithdrawInput } from './runtime/withdraw.ts'
export type { Outbox } from './runtime/worker/outbox.ts'
export { Worker, type WorkerOptions } from './runtime/worker/worker.ts'

// store/: how it is kept
export { memoryStore } from './store/memory-store.ts'
