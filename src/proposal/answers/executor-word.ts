// The executor's word: what a call of the host's executor establishes, however it ended.
import { z } from 'zod'
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import { limits } from '../../effect/limits.ts'
import type { AttemptEnding } from '../../effect/effect.ts'
import { isReference, type ReasonCode, type Reference } from '../../effect/reference.ts'
import { DefinitiveFailure, NotSent } from '../action.ts'
import { parseAnswer } from '../content/boundary.ts'
import { withoutUndefined } from './host-answer.ts'
import { reason } from '../lifecycle/verdict.ts'

/** How a host's call ended, before anybody judges it. */
export type HostCall<T = unknown> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timed_out' }

/** What was known about the call when it ended. */
export interface CallFacts {
  /** The signal had fired, or the fence was raised: words of failure come too late (rules R4). */
  readonly late: boolean
  /** `markSending()` was called: `NotSent` proves nothing any more (rules R4). */
  readonly sending: boolean
  readonly at: number
}

/** The ending of the attempt, and what is kept beside it as sealed diagnosis. */
export interface ExecutorWord {
  readonly ending: AttemptEnding
  /** Canonical JSON of the result that the executor gave. */
  readonly resultText: string | null
  /** The host's error text, bounded and without control characters. */
  readonly errorText: string | null
}

const reasonCode = z.string().regex(/^[a-z0-9_.-]{1,64}$/)
const reference = z.string().refine(isReference)

/** The shape of an executor's return for a result schema. */
export function executedSchema(result: z.ZodObject): z.ZodType {
  return z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('accepted'),
      externalReference: reference.exactOptional(),
      result: result.exactOptional(),
    }),
    z.strictObject({ status: z.literal('stale_no_effect'), reason: reasonCode.exactOptional() }),
    z.strictObject({ status: z.literal('failed_known'), reason: reasonCode }),
    z.strictObject({ status: z.literal('failed_unknown'), reason: reasonCode }),
  ])
}

/**
 * Judges the end of a call. A word of failure that is typed and in time is FAILED; a return is `accepted`, which proves
 * nothing; a throw, a time-out and anything malformed are UNKNOWN. No error text is ever read. Spec: lifecycle 6.12,
 * design D6, rules R4.
 */
export function executorWord(call: HostCall, facts: CallFacts, schema: z.ZodType): ExecutorWord {
  switch (call.kind) {
    case 'timed_out':
      return unknown(facts, 'execute_timed_out', null)
    case 'threw':
      return thrown(call.error, facts)
    case 'returned':
      return returned(call.value, facts, schema)
  }
}

function thrown(error: unknown, facts: CallFacts): ExecutorWord {
  const errorText = hostErrorText(error)
  const word = wordOfFailure(error)
  if (word === null) return unknown(facts, facts.late ? 'execute_timed_out' : 'executor_threw', errorText)
  if (facts.late) return unknown(facts, 'late_word', errorText)
  if (word.kind === 'not_sent' && facts.sending) return unknown(facts, 'not_sent_after_sending', errorText)
  return failed(word.kind, facts, word.reason, errorText)
}

interface WordOfFailure {
  readonly kind: 'failed_known' | 'not_sent'
  readonly reason: ReasonCode
}

function wordOfFailure(error: unknown): WordOfFailure | null {
  try {
    if (error instanceof DefinitiveFailure) {
      return { kind: 'failed_known', reason: hostReason(error.reason, 'definitive_failure') }
    }
    return error instanceof NotSent ? { kind: 'not_sent', reason: hostReason(error.reason, 'not_sent') } : null
  } catch {
    return null // A trap or an accessor of the error threw: that is no typed word.
  }
}

function returned(value: unknown, facts: CallFacts, schema: z.ZodType): ExecutorWord {
  const parsed = parseAnswer(schema, withoutUndefined(value), 'resultBytes', { result: 'resultBytes' })
  if (!parsed.ok) return unknown(facts, 'malformed_return', null)
  const answer = parsed.value as Answer
  switch (answer.status) {
    case 'accepted': {
      const externalReference = (answer.externalReference ?? null) as Reference | null
      const resultText = answer.result === undefined ? null : canonicalJson(answer.result, { numbers: 'integers' })
      return {
        ending: { kind: 'accepted', evidence: 'UNKNOWN', at: facts.at, reason: null, externalReference },
        resultText,
        errorText: null,
      }
    }
    case 'failed_unknown':
      return unknown(facts, answer.reason, null)
    case 'stale_no_effect':
    case 'failed_known':
      if (facts.late) return unknown(facts, 'late_word', null)
      return failed(answer.status, facts, (answer.reason ?? null) as ReasonCode | null, null)
  }
}

type Answer =
  | { readonly status: 'accepted'; readonly externalReference?: string; readonly result?: JsonValue }
  | { readonly status: 'stale_no_effect'; readonly reason?: string }
  | { readonly status: 'failed_known' | 'failed_unknown'; readonly reason: string }

function failed(
  kind: 'failed_known' | 'stale_no_effect' | 'not_sent',
  facts: CallFacts,
  why: ReasonCode | null,
  errorText: string | null,
): ExecutorWord {
  const ending = { kind, evidence: 'FAILED', at: facts.at, reason: why, externalReference: null } as const
  return { ending, resultText: null, errorText }
}

function unknown(facts: CallFacts, why: string, errorText: string | null): ExecutorWord {
  return {
    ending: {
      kind: 'failed_unknown',
      evidence: 'UNKNOWN',
      at: facts.at,
      reason: reason(why),
      externalReference: null,
    },
    resultText: null,
    errorText,
  }
}

function hostReason(text: unknown, otherwise: string): ReasonCode {
  return typeof text === 'string' && /^[a-z0-9_.-]{1,64}$/.test(text) ? (text as ReasonCode) : reason(otherwise)
}

/** What is kept of a host's error: its text, bounded, without control characters. It is sealed, never logged or shown. */
export function hostErrorText(error: unknown): string | null {
  const text = messageOf(error)
  if (typeof text !== 'string') return null
  return [...text.slice(0, 4 * limits.hostErrorCharacters).toWellFormed()]
    .filter((character) => !/\p{C}/u.test(character))
    .slice(0, limits.hostErrorCharacters)
    .join('')
}

function messageOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.message : error
  } catch {
    return null
  }
}
