// What a verifier says of calls that may have been made before a restore took them off the record.
import type { z } from 'zod'
import type { IdempotencyKey } from '../../effect/effect-key.ts'
import { parseAnswer } from '../content/boundary.ts'
import type { HostCall } from './executor-word.ts'
import { withoutUndefined } from './host-answer.ts'

/**
 * - `absent`: the target knows none of the keys that were asked for.
 * - `found`: it knows this one, with an effect or with a refusal.
 * - `unclear`: it could not be asked, or did not answer what was asked.
 */
export type LostCall =
  | { readonly kind: 'absent' | 'unclear' }
  | { readonly kind: 'found'; readonly identity: IdempotencyKey }

/** What is read of an answer that has the shape of a verifier's. */
type Answer =
  | {
      readonly status: 'verified_completion' | 'reversed_after_completion' | 'verified_terminal_failure'
      readonly identity: string
    }
  | { readonly status: 'provisional_absence' | 'authoritative_final_absence'; readonly identity: readonly string[] }
  | { readonly status: 'target_unavailable' }

/** Judges the answer; nothing of it becomes evidence, since there is no attempt that it could be about. Spec: rules R15. */
export function judgeLost(call: HostCall, keys: readonly IdempotencyKey[], schema: z.ZodType): LostCall {
  if (call.kind !== 'returned') return { kind: 'unclear' }
  const parts = { facts: 'factsBytes', result: 'resultBytes' } as const
  const parsed = parseAnswer(schema, withoutUndefined(call.value), 'factsBytes', parts)
  if (!parsed.ok) return { kind: 'unclear' }
  const answer = parsed.value as Answer
  switch (answer.status) {
    case 'verified_completion':
    case 'reversed_after_completion':
    case 'verified_terminal_failure': {
      const identity = keys.find((key) => key === answer.identity)
      return identity === undefined ? { kind: 'unclear' } : { kind: 'found', identity }
    }
    case 'provisional_absence':
    case 'authoritative_final_absence': {
      const echoed = new Set(answer.identity)
      const isEveryOne = echoed.size === keys.length && keys.every((key) => echoed.has(key))
      return { kind: isEveryOne ? 'absent' : 'unclear' }
    }
    case 'target_unavailable':
      return { kind: 'unclear' }
  }
}
