// Whether a value may be read: only of a confirmed call, and only if it belongs to the request that is on record.
import type { Evidence } from '../effect.ts'
import type { RequestIds } from './request-ids.ts'

/** A value in hand, which is never stored, and the request that it came with. */
export type CallValue =
  | { readonly source: 'direct' | 'verifier'; readonly value: unknown; readonly requestId: string | null }
  | { readonly source: 'none' }

/** Whether a value may be read, and which error it is otherwise. */
export type Readable = 'readable' | 'unresolved' | 'unavailable'

/**
 * Whether the value may be read. One that the call returned must have come with the request that is retained, and both may
 * be unknown; one that a verifier recovered must name it, since two missing ids are no match. Spec: evidence 3.6, table V.
 */
export function readableValue(
  final: Evidence,
  value: CallValue,
  { retained, conflict }: Pick<RequestIds, 'retained' | 'conflict'>,
): Readable {
  if (final !== 'CONFIRMED') return 'unresolved'
  if (value.source === 'none' || conflict || value.requestId !== retained) return 'unavailable'
  return value.source === 'verifier' && retained === null ? 'unavailable' : 'readable'
}
