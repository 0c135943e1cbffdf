// The definition: an action as it is registered, judged once and read into plain data.
import type { ProofKind } from '../effect/effect.ts'
import type { AnyAction } from './action.ts'
import type { Schemas } from './contract.ts'
import type { Materiality } from './drift.ts'
import type { PolicyFunction, PolicyInput } from './policy.ts'

/** How often and how patiently the verifier is asked. Spec: lifecycle 3. */
export interface VerificationPlan {
  readonly delayMs: number
  readonly absences: number
  readonly unavailables: number
  readonly waitMaxMs: number
  readonly slowProbeMs: number
}

/** A registered action. Everything is normalised: defaults filled in, durations in milliseconds. Spec: lifecycle 3. */
export interface Definition {
  readonly action: AnyAction
  /** `namespace/name@version`. */
  readonly type: string
  /** `namespace/name`. */
  readonly name: string
  readonly version: number
  readonly revision: number
  readonly domain: string
  readonly formerDomains: readonly string[]
  readonly lifetimeMs: number
  readonly executeTimeoutMs: number
  /** `executeTimeoutMs` and 30 s. */
  readonly leaseMs: number
  readonly inFlightMs: number
  readonly verifyTimeoutMs: number
  readonly hostTimeoutMs: number
  readonly verification: VerificationPlan
  /** JSON Pointers into the snapshot. */
  readonly facts: readonly string[]
  readonly acceptProof: { readonly failure: readonly ProofKind[]; readonly resend: readonly ProofKind[] }
  readonly target: { readonly name: string; readonly keyLifetimeMs: number | null }
  readonly attemptsMax: number
  readonly verifies: readonly number[]
  readonly materiality: Materiality
  readonly policy: PolicyInput | PolicyFunction
  readonly schemas: Schemas
  /** Approvals hold for one digest only. Spec: rules R9. */
  readonly digest: string
}

/**
 * Registers an action, or refuses it with everything that is wrong with it. Spec: lifecycle 3.
 *
 * @throws DefinitionError
 */
export function define(action: AnyAction): Definition {
  throw new TypeError(String(action))
}

/** The parts of `namespace/name@version`, or null if the text is not of that form. */
export function parseActionType(type: string): { readonly name: string; readonly version: number } | null {
  throw new TypeError(type)
}
