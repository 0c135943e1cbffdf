// The operation's word: what a call establishes about its attempt, however it ended.
import type { AttemptEnding, Evidence } from '../../effect/effect.ts'
import { parseReasonCode, type ReasonCode, type Reference } from '../../effect/reference.ts'
import { DefinitiveFailure, NotSent } from '../../proposal/action.ts'
import { type HostCall, hostErrorText } from '../../proposal/answers/executor-word.ts'

/** What was known about the call when it ended. */
export interface OperationFacts {
  /** The signal had fired: words of failure come too late (rules R4). */
  readonly late: boolean
  /** `markSending()` was called (rules R4). */
  readonly sending: boolean
  /** A verifier is to say what happened, so that a return proves nothing. */
  readonly verified: boolean
  readonly requestId: Reference | null
  readonly at: number
}

/** The ending of the attempt, and what goes with it. */
export interface OperationWord {
  readonly ending: AttemptEnding
  readonly errorText: string | null
  readonly isRetryable: boolean
  /** What was returned, in a box; null if nothing was. */
  readonly returned: { readonly value: unknown } | null
}

/**
 * Judges the end of a call. Without a verifier a return is the provider's authoritative word, whatever it returned; a typed
 * word of failure counts if it is in time; everything else is UNKNOWN. No text is ever read. Spec: evidence 3.2, table D.
 */
export function operationWord(ended: HostCall, facts: OperationFacts): OperationWord {
  switch (ended.kind) {
    case 'returned': {
      const ending = endingOf('returned', facts.verified ? 'UNKNOWN' : 'CONFIRMED', null, facts)
      return { ending, errorText: null, isRetryable: false, returned: { value: ended.value } }
    }
    case 'timed_out':
      return unknown(facts, 'operation_timed_out', null)
    case 'threw':
      return thrown(ended.error, facts)
  }
}

function thrown(error: unknown, facts: OperationFacts): OperationWord {
  const errorText = hostErrorText(error)
  const word = wordOfFailure(error)
  if (word === null) return unknown(facts, facts.late ? 'operation_timed_out' : 'operation_threw', errorText)
  if (facts.late) return unknown(facts, 'late_word', errorText)
  if (word.kind === 'not_sent' && facts.sending) return unknown(facts, 'not_sent_after_sending', errorText)
  const ending = endingOf(word.kind, 'FAILED', word.reason, facts)
  return { ending, errorText, isRetryable: word.isRetryable, returned: null }
}

interface WordOfFailure {
  readonly kind: 'failed_known' | 'not_sent'
  readonly reason: ReasonCode
  readonly isRetryable: boolean
}

function wordOfFailure(error: unknown): WordOfFailure | null {
  try {
    if (error instanceof DefinitiveFailure) {
      const retryable: unknown = error.retryable
      const isRetryable = retryable === true
      return { kind: 'failed_known', reason: codeOr(error.reason, 'definitive_failure'), isRetryable }
    }
    if (!(error instanceof NotSent)) return null
    return { kind: 'not_sent', reason: codeOr(error.reason, 'not_sent'), isRetryable: false }
  } catch {
    return null // A trap or an accessor of the error threw: that is no typed word.
  }
}

function unknown(facts: OperationFacts, why: string, errorText: string | null): OperationWord {
  const ending = endingOf('failed_unknown', 'UNKNOWN', parseReasonCode(why, ''), facts)
  return { ending, errorText, isRetryable: false, returned: null }
}

function endingOf(
  kind: AttemptEnding['kind'],
  evidence: Evidence,
  reason: ReasonCode | null,
  { at, requestId }: OperationFacts,
): AttemptEnding {
  return { kind, evidence, at, reason, externalReference: requestId }
}

function codeOr(text: unknown, otherwise: string): ReasonCode {
  const isCode = typeof text === 'string' && /^[a-z0-9_.-]{1,64}$/.test(text)
  return parseReasonCode(isCode ? text : otherwise, '')
}
