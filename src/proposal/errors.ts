// Refusals and misuse: the errors that the library throws, each with a stable code and never with a protected value.
import type { LimitName } from '../effect/limits.ts'
import { parseReasonCode, type ReasonCode } from '../effect/reference.ts'
import type { Act } from './contract.ts'
import { REFUSALS, type RefusalCode } from './codes.ts'
import type { Status } from './status.ts'

/** One thing that is wrong with an input: where (a JSON Pointer), which rule, and a sentence. Never the value. */
export interface Problem {
  readonly path: string
  readonly rule: string
  readonly message: string
}

/** What every refusal is: nothing was changed, `code` says why, and the message is safe to show. Spec: lifecycle 9. */
export abstract class Refusal extends Error {
  abstract readonly code: RefusalCode

  constructor(code: RefusalCode, detail?: string, options?: ErrorOptions) {
    super(detail ?? REFUSALS[code].title, options)
    this.name = new.target.name
  }
}

/** Unknown, foreign, malformed and unreadable references all answer this, so that nothing tells them apart (design D12). */
export class NotFound extends Refusal {
  readonly code = 'not_found'
  constructor() {
    super('not_found')
  }
}

/** Why a decision was not taken: `agent_cannot_decide`, `separation_of_duties` or `decision_not_permitted`. */
export class DecisionRefused extends Refusal {
  readonly code: 'agent_cannot_decide' | 'separation_of_duties' | 'decision_not_permitted'
  constructor(code: DecisionRefused['code']) {
    super(code)
    this.code = code
  }
}

/** The caller may see the proposal and has no right to this act. */
export class NotPermitted extends Refusal {
  readonly code = 'not_permitted'
  /** What the caller has no right to; null where it is no act of the table of permissions. */
  readonly act: Act | null
  constructor(act: Act | null = null) {
    super('not_permitted', act === null ? undefined : `The caller has no right to "${act}".`)
    this.act = act
  }
}

/** The decision names another commitment, or its session lacks the assurance that the policy asks for. */
export class BindingMismatch extends Refusal {
  readonly code = 'binding_mismatch'
  readonly status: Status
  constructor(status: Status) {
    super('binding_mismatch')
    this.status = status
  }
}

/** The request key was used before, for another command. */
export class RequestKeyReused extends Refusal {
  readonly code = 'request_key_reused'
  constructor() {
    super('request_key_reused')
  }
}

/** A reference, code or option is not of its form. */
export class MalformedReference extends Refusal {
  readonly code = 'malformed_reference'
  readonly path: string
  constructor(path: string) {
    super('malformed_reference', `The value at ${path} is not of the allowed form.`)
    this.path = path
  }
}

/** The command does not fit; `problems` says where and which rule, never what was there. */
export class InvalidCommand extends Refusal {
  readonly code = 'invalid_command'
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super('invalid_command', listed(REFUSALS.invalid_command.title, problems))
    this.problems = problems
  }
}

/** What the action prepared is not what its own definition allows: a fault of the action. */
export class InvalidPreparation extends Refusal {
  readonly code = 'invalid_preparation'
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super('invalid_preparation', listed(REFUSALS.invalid_preparation.title, problems))
    this.problems = problems
  }
}

/**
 * Thrown by an action's `prepare` to refuse a command for a business reason; callers receive it as it is, so the reason
 * is a code, `[a-z0-9_.-]{1,64}`: words could say too much.
 */
export class PreparationRefused extends Refusal {
  readonly code = 'preparation_refused'
  readonly reason: ReasonCode
  /** @throws MalformedValueError, which makes it a failure of the action instead. */
  constructor(reason: string) {
    super('preparation_refused')
    this.reason = parseReasonCode(reason, '/reason')
  }
}

/** The action's `prepare` threw or took too long. The cause is the host's and stays with it. */
export class PreparationFailed extends Refusal {
  readonly code = 'preparation_failed'
  constructor(options?: ErrorOptions) {
    super('preparation_failed', undefined, options)
  }
}

/** Named principals minus exclusions do not suffice for these requirements. */
export class PolicyUnsatisfiable extends Refusal {
  readonly code = 'policy_unsatisfiable'
  readonly requirements: readonly string[]
  constructor(requirements: readonly string[]) {
    super('policy_unsatisfiable')
    this.requirements = requirements
  }
}

/** The effect reference contains a part of the command or snapshot, an e-mail address, an IBAN or a card number. */
export class EffectReferenceIdentifying extends Refusal {
  readonly code = 'effect_reference_identifying'
  constructor() {
    super('effect_reference_identifying')
  }
}

/** The effect was completed through another proposal; a caller who may read that one is answered with it instead. */
export class EffectAlreadyCompleted extends Refusal {
  readonly code = 'effect_already_completed'
  constructor() {
    super('effect_already_completed')
  }
}

/**
 * The effect is of the other kind: what a guarded call has claimed under `call:` and the name of a domain, no proposal of
 * that domain claims, nor the other way round; and no operation of the runner reaches a proposal. Spec: rules R17.
 */
export class EffectKindConflict extends Refusal {
  readonly code = 'effect_kind_conflict'
  /** Nothing was called. */
  readonly invoked = 'no'
  readonly nextStep = 'use_another_key'
  constructor() {
    super('effect_kind_conflict')
  }
}

/** No action of that type is registered here. */
export class ActionNotRegistered extends Refusal {
  readonly code = 'action_not_registered'
  constructor() {
    super('action_not_registered')
  }
}

/** A limit was exceeded; `limit` is its name in the table of limits. */
export class LimitExceeded extends Refusal {
  readonly code = 'limit_exceeded'
  readonly limit: LimitName
  constructor(limit: LimitName) {
    super('limit_exceeded', `The limit ${limit} was exceeded.`)
    this.limit = limit
  }
}

/** The action holds the content back, because of a duty to keep it. */
export class ErasureHeld extends Refusal {
  readonly code = 'erasure_held'
  constructor() {
    super('erasure_held')
  }
}

/** The caller expected another revision. */
export class RevisionMismatch extends Refusal {
  readonly code = 'revision_mismatch'
  readonly revision: number
  constructor(revision: number) {
    super('revision_mismatch')
    this.revision = revision
  }
}

/** Content cannot be opened: `missing` is authoritative, `denied` and `unavailable` may pass, `damaged` means altered bytes. */
export class ContentUnavailable extends Refusal {
  readonly code = 'content_unavailable'
  readonly answer: 'missing' | 'denied' | 'unavailable' | 'damaged'
  constructor(answer: ContentUnavailable['answer'], options?: ErrorOptions) {
    super('content_unavailable', undefined, options)
    this.answer = answer
  }
}

/** The host could not say whether the caller has the right; nothing was changed. */
export class AuthorizationUnavailable extends Refusal {
  readonly code = 'authorization_unavailable'
  constructor(options?: ErrorOptions) {
    super('authorization_unavailable', undefined, options)
  }
}

/** The store could not be reached or did not take the change: nothing was stored. */
export class StoreUnavailable extends Refusal {
  readonly code = 'store_unavailable'
  constructor(detail?: string, options?: ErrorOptions) {
    super('store_unavailable', detail, options)
  }
}

/**
 * The store's answer was lost: the change may have been stored. Read before doing anything again; nothing is repeated
 * by itself. After a call of the executor, `observed` is what was seen of it, as diagnosis and never as proof.
 */
export class PersistenceOutcomeUnknown extends Refusal {
  readonly code = 'persistence_outcome_unknown'
  readonly observed: ObservedCall | null
  constructor(observed: ObservedCall | null, options?: ErrorOptions) {
    super('persistence_outcome_unknown', undefined, options)
    this.observed = observed
  }
}

/** What was seen of a call whose outcome could not be stored. */
export interface ObservedCall {
  readonly attempt: number
  readonly ending: string
}

/** A stored row cannot be read; `address` names it, and every other row stays usable. */
export class StoredDataCorrupt extends Refusal {
  readonly code = 'stored_data_corrupt'
  readonly address: string
  constructor(address: string, options?: ErrorOptions) {
    super('stored_data_corrupt', `The stored row ${address} cannot be read.`, options)
    this.address = address
  }
}

/** Every refusal, told apart by `code`. */
export type AnyRefusal =
  | NotFound
  | DecisionRefused
  | NotPermitted
  | BindingMismatch
  | RequestKeyReused
  | MalformedReference
  | InvalidCommand
  | InvalidPreparation
  | PreparationRefused
  | PreparationFailed
  | PolicyUnsatisfiable
  | EffectReferenceIdentifying
  | EffectAlreadyCompleted
  | EffectKindConflict
  | ActionNotRegistered
  | LimitExceeded
  | ErasureHeld
  | RevisionMismatch
  | ContentUnavailable
  | AuthorizationUnavailable
  | StoreUnavailable
  | PersistenceOutcomeUnknown
  | StoredDataCorrupt

/**
 * The store was used with another reference key. Under this one every effect would have another name, and what was done
 * once could be done again; nothing can be opened with it. Spec: lifecycle 1.
 */
export class ReferenceKeyChanged extends TypeError {
  readonly code = 'reference_key_changed'
  constructor() {
    super('The store was used with another reference key; open it with the keyring that it was first used with.')
    this.name = 'ReferenceKeyChanged'
  }
}

/** A definition that cannot be safe, refused when it is registered, with every path and reason. Spec: lifecycle 3. */
export class DefinitionError extends TypeError {
  readonly code = 'definition_error'
  readonly problems: readonly Problem[]
  constructor(action: string, problems: readonly Problem[]) {
    super(listed(`${action} cannot be registered.`, problems))
    this.name = 'DefinitionError'
    this.problems = problems
  }
}

/** A sentence, and under it what is wrong at which path; never a value. */
function listed(sentence: string, problems: readonly Problem[]): string {
  const lines = problems.map(({ path, message }) => `\n  ${path === '' ? '' : `${path}: `}${message}`)
  return `${sentence.replace(/\.$/, '')}${lines.length === 0 ? '.' : ':'}${lines.join('')}`
}
