// The contract of an action: its type, schemas, policy, permissions and limits, as one value from which types are inferred.
import type { z } from 'zod'
import type { ProofKind } from '../effect/effect.ts'
import type { Duration } from './definition/duration.ts'
import type { PolicyFunction, PolicyInput } from './policy/policy.ts'

/** What a caller may ask for. All of it is refused by default. Spec: rules R14. */
export const ACTS = [
  'prepare',
  'decide',
  'execute',
  'read',
  'list',
  'check',
  'withdraw',
  'reconcile',
  'operate',
  'observe',
  'evidence',
  'events',
  'erase',
] as const

/** One of the acts that `permissions` and `can` speak of. */
export type Act = (typeof ACTS)[number]

/** Who begins the execution of what is approved. */
export type Execution = (typeof EXECUTIONS)[number]

/** The ways of {@link Execution}. */
export const EXECUTIONS = ['on_request', 'when_approved'] as const

/** The four schemas of an action: strict objects of a closed set of types. Spec: lifecycle 3. */
export interface Schemas {
  readonly command: z.ZodObject
  readonly snapshot: z.ZodObject
  readonly preview: z.ZodObject
  readonly result: z.ZodObject
}

/** How the verifier is asked again. Spec: lifecycle 3. */
export interface VerificationInput {
  /** Before the first read after `accepted`. Default 5 s. */
  readonly delay?: Duration
  /** How many absences after the settling boundary are believed to be a matter of time. Default 4. */
  readonly absences?: number
  /** How many times the target may be unavailable. Default 20. */
  readonly unavailables?: number
  /** The longest wait between two reads; waits double, with jitter. Default 1 h. */
  readonly waitMax?: Duration
  /** How often an effect that is unresolved for its budget is still looked at. Default 24 h. */
  readonly slowProbe?: Duration
}

/**
 * What an action is, in data. `contract()` keeps the types; whether it is safe is judged when it is registered.
 * Spec: lifecycle 3.
 */
export interface Contract<S extends Schemas = Schemas, F extends string = string> {
  /** `namespace/name@version`, the namespace of two or more dotted parts. */
  readonly type: string
  readonly schemas: S
  /** Of the proposal; at most 90 days. */
  readonly lifetime: Duration
  readonly policy: PolicyInput | PolicyFunction<z.output<S['snapshot']>>
  /** A role, or roles, for each act; an act that is not named is refused. */
  readonly permissions: { readonly [A in Act]?: string | readonly string[] }
  /** The snapshot fields, as JSON Pointers, that the verifier must find equal at the target. */
  readonly facts: readonly F[]
  readonly target: {
    readonly name: string
    /** Whether the target itself runs one idempotency key at most once, and for how long it remembers it. */
    readonly idempotent: false | { readonly keyLifetime: Duration }
  }
  /** Snapshot fields whose change is no drift; `as: 'set'` keeps a list material but compares it without order. */
  readonly immaterial?: readonly (string | { readonly path: string; readonly as: 'set' })[]
  /** Default `namespace/name`. */
  readonly effectDomain?: string
  readonly formerDomains?: readonly string[]
  /** Raised when the code changes in a way that approvals should not survive. Default 1. */
  readonly revision?: number
  /** Default 30 s. The lease is 30 s longer. */
  readonly executeTimeout?: Duration
  /** How long a request may still land after that. Default 60 s. */
  readonly inFlight?: Duration
  /** Default 30 s. */
  readonly verifyTimeout?: Duration
  /** The limit of every other call of the action. Default 10 s. */
  readonly hostTimeout?: Duration
  readonly verification?: VerificationInput
  /** The kinds of final absence that count as failure, and those after which the effect may be sent again. */
  readonly acceptProof?: { readonly failure?: readonly ProofKind[]; readonly resend?: readonly ProofKind[] }
  /** Per effect, over all proposals. Default 3. */
  readonly attemptsMax?: number
  /** Older versions whose effects this definition may verify. */
  readonly verifies?: readonly number[]
  /**
   * `when_approved`: a worker executes what is approved, as anybody else with the right to could. It holds for everything
   * that is approved while such a definition is registered. Default `on_request`.
   */
  readonly execution?: Execution
  /** After how long a worker erases what was settled, and what was closed without an effect. Default: everything is kept. */
  readonly retention?: { readonly settled?: Duration; readonly closed?: Duration }
}

/** Keeps a contract's types as they were written. It judges nothing: registration does. */
export function contract<S extends Schemas, const F extends string>(input: Contract<S, F>): Contract<S, F> {
  return input
}
