// What a verifier of a guarded call answers, and what one such answer establishes.
import type { Evidence } from './effect.ts'
import type { Reference } from './reference.ts'

/** How sound the look was; anything but HEALTHY makes the answer UNKNOWN. */
export type VerifierHealth = 'HEALTHY' | 'STALE' | 'PARTIAL' | 'UNAUTHENTICATED' | 'CONTROL_FAILED' | 'UNAVAILABLE'

interface Confirmed {
  readonly kind: 'confirmed'
  readonly health: VerifierHealth
  /** The identity under which the verifier found the effect; only the receipt's own reference counts. */
  readonly verifiedProviderReference: string | null
  readonly providerRequestId: string | null
  /** Absent if the verifier recovered none; `undefined` is a value. */
  readonly value?: unknown
}

interface Absent {
  readonly kind: 'absent'
  readonly health: VerifierHealth
  readonly verifiedProviderReference: string | null
  readonly providerRequestId: string | null
  /** The look would have found the effect if it were there. */
  readonly conclusiveAbsence: boolean
  /** The original request is terminal or fenced, so it cannot commit later. */
  readonly retrySafe: boolean
  /** Of which attempts that is said: of the latest alone, or of every one that had started. */
  readonly coversAttempts: 'latest' | 'all'
}

interface Unknown {
  readonly kind: 'unknown'
  readonly health: VerifierHealth
  readonly verifiedProviderReference: string | null
  readonly providerRequestId: string | null
}

/** A verifier's answer. Only what {@link VerificationResult} built counts as one. */
export type VerificationResult = Confirmed | Absent | Unknown

/** What every answer may say: defaults are HEALTHY and null. */
interface AnswerInput {
  readonly health?: VerifierHealth
  readonly verifiedProviderReference?: string | null
  readonly providerRequestId?: string | null
}

const built = new WeakSet<object>()

/** Builds a verifier's answers. Spec: evidence 3.1. */
export const VerificationResult = {
  /** Positive evidence: the effect was found. */
  confirmed(input: AnswerInput & { readonly value?: unknown }): VerificationResult {
    const value = Object.hasOwn(input, 'value') ? { value: input.value } : {}
    return build({ kind: 'confirmed', ...common(input, 'HEALTHY'), ...value })
  },

  /**
   * Nothing was found. That alone is UNKNOWN: set `retrySafe` only if the original request provably cannot commit later.
   * It speaks of the latest attempt; `coversAttempts: 'all'` says so of every earlier one too, and resolves them.
   * @throws TypeError if a flag is no exact boolean, or `coversAttempts` neither of its two words.
   */
  absent(
    input: AnswerInput & {
      readonly conclusiveAbsence?: boolean
      readonly retrySafe?: boolean
      readonly coversAttempts?: 'latest' | 'all'
    },
  ): VerificationResult {
    const { conclusiveAbsence = true, retrySafe = false, coversAttempts = 'latest' } = input
    if (typeof conclusiveAbsence !== 'boolean') throw new TypeError('conclusiveAbsence is a boolean')
    if (typeof retrySafe !== 'boolean') throw new TypeError('retrySafe is a boolean')
    if (coversAttempts !== 'latest' && coversAttempts !== 'all') throw new TypeError('coversAttempts is latest or all')
    return build({ kind: 'absent', ...common(input, 'HEALTHY'), conclusiveAbsence, retrySafe, coversAttempts })
  },

  /** The verifier could not tell. */
  unknown(input: AnswerInput = {}): VerificationResult {
    return build({ kind: 'unknown', ...common(input, 'UNAVAILABLE') })
  },
} as const

/**
 * What one answer establishes about the attempts that it covers. Whatever is not a decisive, healthy answer bound to the
 * receipt's provider reference is UNKNOWN; so is a verifier that threw or timed out, for which pass undefined.
 * Spec: evidence 3.1, table A.
 */
export function judgeAnswer(answer: unknown, providerReference: Reference | null): Evidence {
  if (!isVerificationResult(answer) || answer.health !== 'HEALTHY') return 'UNKNOWN'
  if (providerReference === null || answer.verifiedProviderReference !== providerReference) return 'UNKNOWN'
  switch (answer.kind) {
    case 'confirmed':
      return 'CONFIRMED'
    case 'absent':
      return answer.conclusiveAbsence && answer.retrySafe ? 'FAILED' : 'UNKNOWN'
    case 'unknown':
      return 'UNKNOWN'
  }
}

/** A look-alike is no answer: it may have come from anywhere, and nobody checked its flags. */
export function isVerificationResult(answer: unknown): answer is VerificationResult {
  return typeof answer === 'object' && answer !== null && built.has(answer)
}

function build(result: VerificationResult): VerificationResult {
  built.add(Object.freeze(result))
  return result
}

function common(input: AnswerInput, health: VerifierHealth): Omit<Unknown, 'kind'> {
  const { verifiedProviderReference = null, providerRequestId = null } = input
  return { health: input.health ?? health, verifiedProviderReference, providerRequestId }
}
