// The client's door: every operation of the HTTP API, typed, without anything of a server.

// http/: how it is asked for
export { AnswerLost, MalformedAnswer, ServerFault, Unreachable } from './http/client/client-errors.ts'
export { type CallOptions, CountersignClient } from './http/client/client.ts'
export type { ClientOptions } from './http/client/options.ts'
export {
  type AnyHttpRefusal,
  AuthenticationUnavailable,
  CommitmentRequired,
  CrossSiteRequest,
  HttpRefusal,
  type HttpRefusalCode,
  InvalidRequest,
  MalformedRequest,
  MethodNotAllowed,
  PayloadTooLarge,
  type ProblemCode,
  Unauthenticated,
  UnknownPath,
  UnsupportedMediaType,
} from './http/wire/http-refusals.ts'

// proposal/: the same classes as the front door's, which a bundle for a browser could not import
export {
  ActionNotRegistered,
  type AnyRefusal,
  AuthorizationUnavailable,
  BindingMismatch,
  ContentUnavailable,
  DecisionRefused,
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
  PersistenceOutcomeUnknown,
  PolicyUnsatisfiable,
  PreparationFailed,
  PreparationRefused,
  Refusal,
  RequestKeyReused,
  RevisionMismatch,
  StoredDataCorrupt,
  StoreUnavailable,
} from './proposal/errors.ts'
