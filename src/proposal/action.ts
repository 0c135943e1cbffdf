// The class that users extend: what an action prepares, shows, resolves, executes and verifies, and the types of each.
import type { z } from 'zod'
import type { Coverage, ProofKind } from '../effect/effect.ts'
import type { IdempotencyKey } from '../effect/effect-key.ts'
import type { Reference } from '../effect/reference.ts'
import type { Act, Contract } from './contract.ts'
import type { Principal } from './principal.ts'
import type { Status } from './status.ts'

/** The command of a contract, as its schema types it. */
export type Command<C extends Contract> = z.output<C['schemas']['command']>
/** The snapshot of a contract, as its schema types it: the private state that is approved. */
export type Snapshot<C extends Contract> = z.output<C['schemas']['snapshot']>
/** The preview of a contract, as its schema types it: what approvers are shown. */
export type Preview<C extends Contract> = z.output<C['schemas']['preview']>
/** The result of a contract, as its schema types it: what is kept of a verified effect. */
export type Result<C extends Contract> = z.output<C['schemas']['result']>

/** The facts that a verifier returns, by the pointer under which the contract names them. */
export type Facts<C extends Contract> = { readonly [K in C['facts'][number]]: unknown }

/** For whom and for what a call of the action is made. Identities come from the host's session, never from a model. */
export interface ActionContext {
  readonly tenant: Reference
  readonly proposal: Reference
  readonly requester: Principal
  readonly agent: Principal | null
}

/** What `prepare` gets. `effect.derive` makes an opaque reference: equal parts name the same effect, for ever. */
export interface Prepare<C extends Contract> {
  readonly command: Command<C>
  readonly context: ActionContext
  readonly effect: { derive(...parts: readonly string[]): string }
  readonly signal: AbortSignal
}

/** What `prepare` answers: the private state of the business, the name of the intended effect, and what it acts on. */
export interface Prepared<C extends Contract> {
  readonly snapshot: Snapshot<C>
  /** Opaque, such as `effect.derive(kind, thing, intent)`: no two proposals with the same one ever both take effect. */
  readonly effectReference: string
  /** Opaque too: the thing acted on, by which related proposals are found. */
  readonly subject?: string
}

/** What `resolve` gets: the approved snapshot, freshly parsed and frozen. */
export interface Resolve<C extends Contract> {
  readonly snapshot: Snapshot<C>
  readonly context: ActionContext
  readonly signal: AbortSignal
}

/** The state of the business now. `current: null` says that the thing is gone, which is drift. */
export interface Resolved<C extends Contract> {
  readonly current: Snapshot<C> | null
  /** What the executor must enforce atomically with its write. Opaque, a reference. */
  readonly precondition: string
  /** For drift that the compared fields do not show. It can only add drift, never take it away. */
  readonly materiallyDrifted?: boolean
  /** In case of drift: the snapshot of a fresh proposal for the same command and effect. */
  readonly replacement?: Snapshot<C>
}

/** What `execute` gets. Spec: lifecycle 6.11. */
export interface Execute<C extends Contract> {
  /** What was approved, parsed from the committed bytes. */
  readonly snapshot: Snapshot<C>
  /** What `resolve` just found; equal to the snapshot in every material field. */
  readonly current: Snapshot<C>
  readonly precondition: string
  readonly semanticEffectReference: Reference
  /** The identity to hand to the target, the same for every attempt of a generation. */
  readonly idempotencyKey: IdempotencyKey
  /** The identity of a sub-step, stable over attempts. */
  readonly stepKey: (step: number) => string
  readonly attempt: number
  /** The fence; a target that knows fences refuses lower ones. */
  readonly epoch: number
  readonly context: ActionContext
  /** Fires at the contract's `executeTimeout`. */
  readonly signal: AbortSignal
  /** To be called before the first byte leaves; afterwards `NotSent` no longer counts. */
  readonly markSending: () => void
}

/** What `execute` answers. `accepted` says that the target took it, never that it is done. Spec: lifecycle 6. */
export type Executed<C extends Contract> =
  | { readonly status: 'accepted'; readonly externalReference?: string; readonly result?: Result<C> }
  | { readonly status: 'stale_no_effect'; readonly reason?: string }
  | { readonly status: 'failed_known'; readonly reason: string }
  | { readonly status: 'failed_unknown'; readonly reason: string }

/** What `verify` gets. It reads only, and asks for exactly these keys. Spec: lifecycle 7. */
export interface Verify<C extends Contract> {
  /** Every key under which an attempt may have landed; plain strings to whatever they are compared with by `===`. */
  readonly idempotencyKeys: readonly IdempotencyKey[]
  readonly semanticEffectReference: Reference
  readonly snapshot: Snapshot<C>
  readonly attempts: number
  readonly covers: Coverage
  readonly epoch: number
  readonly context: ActionContext
  readonly signal: AbortSignal
}

/** A found effect: the one key that it carries, how many there are, and the contract's facts as they are at the target. */
export interface Found<C extends Contract> {
  /** The one of `idempotencyKeys` that the target holds. */
  readonly identity: string
  /** Under all keys together; anything but 1 is for a person to look at. */
  readonly matches: number
  /** As the target has them, never copied from the snapshot: what is compared must have been read. */
  readonly facts: Facts<C>
  readonly externalReference?: string
  readonly result?: Result<C>
  /** When it happened, as the target says; before the first attempt it is not ours. */
  readonly occurredAt?: number
}

/**
 * What `verify` answers. A positive echoes the one key that it matched, an absence every key that was asked for; without
 * the right echo an answer decides nothing. Spec: lifecycle 7, design D8.
 */
export type Verified<C extends Contract> =
  | ({ readonly status: 'verified_completion' } & Found<C>)
  | ({ readonly status: 'reversed_after_completion' } & Found<C>)
  | {
      readonly status: 'verified_terminal_failure'
      readonly identity: string
      /** The attempt that the target refused; no other one is closed by this. */
      readonly attempt: number
      readonly reason?: string
    }
  | { readonly status: 'provisional_absence'; readonly identity: readonly string[]; readonly reason?: string }
  | {
      readonly status: 'authoritative_final_absence'
      readonly identity: readonly string[]
      readonly proof: ProofKind
      readonly reason?: string
    }
  | { readonly status: 'target_unavailable'; readonly reason?: string }

/** What `fence` and `cancel` get. They write at the target and answer with its acknowledgement. Spec: lifecycle 7.1. */
export interface Stop<C extends Contract> {
  readonly idempotencyKeys: readonly IdempotencyKey[]
  readonly snapshot: Snapshot<C>
  readonly epoch: number
  readonly context: ActionContext
  readonly signal: AbortSignal
}

/** Whether the target took the fence or the cancellation. */
export interface Stopped {
  readonly acknowledged: boolean
  readonly externalReference?: string
}

/** What `isHeld` gets. */
export interface Held {
  readonly context: ActionContext
  readonly signal: AbortSignal
}

/** Who is asked about in `can`, with the roles of the session, or those frozen into an approval. */
export interface Caller {
  readonly tenant: Reference
  readonly principal: Principal
  readonly owner: Principal | null
  readonly roles: readonly string[]
  readonly assurance: readonly string[]
}

/** What the act is about, as far as it is known when `can` is asked. */
export interface CanView<C extends Contract> {
  readonly proposal: {
    readonly ref: Reference
    readonly status: Status
    readonly requester: Principal
    readonly agent: Principal | null
    readonly subject: Reference | null
  } | null
  /** At prepare the command; at execute the state as just resolved. Null where content is not open. */
  readonly command: Command<C> | null
  readonly snapshot: Snapshot<C> | null
}

/**
 * A consequential action. Extend it with a contract and five methods; `prepare`, `resolve` and `verify` only read,
 * `preview` is a pure function of the snapshot, `execute` is called at most once per attempt and enforces the precondition.
 * Spec: lifecycle 3.
 */
export abstract class Action<C extends Contract> {
  abstract readonly contract: C
  abstract prepare(input: Prepare<C>): Promise<Prepared<C>>
  abstract preview(snapshot: Snapshot<C>): Preview<C>
  abstract resolve(input: Resolve<C>): Promise<Resolved<C>>
  abstract execute(input: Execute<C>): Promise<Executed<C>>
  abstract verify(input: Verify<C>): Promise<Verified<C>>

  /** Whether the caller may do this. By default one of the contract's roles for the act is asked for; refuse by default. */
  can(act: Act, caller: Caller, _view: CanView<C>): boolean | Promise<boolean> {
    const allowed = this.contract.permissions[act]
    if (allowed === undefined) return false
    const roles = typeof allowed === 'string' ? [allowed] : allowed
    return roles.some((role) => caller.roles.includes(role))
  }

  /** Compares the facts that were approved with those found at the target; without it they must be exactly equal. */
  compareFacts?(approved: Facts<C>, found: Facts<C>): boolean

  /** Whether a duty to keep the content holds its erasure back. */
  isHeld?(input: Held): Promise<boolean>

  /** Tells the target to refuse everything below the epoch, and says whether it acknowledged. */
  fence?(input: Stop<C>): Promise<Stopped>

  /** Asks the target to cancel whatever is under these keys, and says whether it accepted. */
  cancel?(input: Stop<C>): Promise<Stopped>
}

/** Any action, whatever its contract. */
export type AnyAction = Action<Contract>

/**
 * Thrown by an executor as proof that the effect did not and will not happen. Given in time it is FAILED; it is not a
 * wrapper for a provider's error (design D6, rules R4).
 */
export class DefinitiveFailure extends Error {
  readonly reason: string
  /** A guarded call may be made again, if its retry policy says so too; proposals take no notice. */
  readonly retryable: boolean
  constructor(reason: string, options: ErrorOptions & { readonly retryable?: boolean } = {}) {
    super('The effect did not happen.', options)
    this.name = 'DefinitiveFailure'
    this.reason = reason
    this.retryable = options.retryable === true
  }
}

/** Thrown by an executor as proof that nothing left the process. After `markSending()` it proves nothing (rules R4). */
export class NotSent extends Error {
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super('Nothing was sent.', options)
    this.name = 'NotSent'
    this.reason = reason
  }
}
