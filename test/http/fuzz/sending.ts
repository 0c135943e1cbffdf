// Sending: a drawn case becomes a request about a proposal that is there.
import { damaged } from './broken-text.ts'
import { tokenOf } from './callers.ts'
import type { Case } from './cases.ts'
import type { Sent } from './exchange.ts'
import { filled, type Hole } from './holes.ts'
import type { Stocked } from './stock.ts'

/** Where requests go. */
export const ORIGIN = 'http://countersign.test'

/** What only the run knows. */
export interface Filling {
  readonly about: Stocked
  readonly cursor: string
  /** An order that no request has named before. */
  readonly order: string
}

/** The request of a case. */
export function sentOf(asked: Case, filling: Filling): Sent {
  const { operation, kind, method } = asked
  const parts = filled(asked.parts, (name) => fillOf(name, filling))
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts.path[name] ?? ''))
  const query = parts.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const { body: given } = parts
  const takesBody = method !== 'GET' && method !== 'HEAD'
  const json = given === undefined || !takesBody ? null : JSON.stringify(given.json)
  const body = json === null || given?.damage === undefined ? json : damaged(objectText(json), given.damage)
  return {
    method,
    path,
    url: `${ORIGIN}${path}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...parts.headers,
      ...(operation.isClosed && kind !== 'no credentials' ? { Authorization: credentials(asked) } : {}),
      ...(body === null || parts.mediaType === null ? {} : { 'Content-Type': parts.mediaType }),
    },
    body,
    texts: textsIn([parts.path, parts.query, given?.json]),
  }
}

/** As the platform has it. Bytes have no media type of their own, a text has. */
export function requestOf({ url, method, headers, body }: Sent): Request {
  const bytes = typeof body === 'string' ? new Uint8Array(Buffer.from(body)) : body
  return new Request(url, { method, headers, ...(bytes === null ? {} : { body: bytes }) })
}

function credentials({ kind, caller, about }: Case): string {
  const token = tokenOf(caller)
  if (kind !== 'bad credentials') return `Bearer ${token}`
  const bad = [`Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Basic ${token}`, 'Bearer', `Bearer x.${token}.y`]
  return bad[about % bad.length] ?? ''
}

function fillOf(name: Hole, { about, cursor, order }: Filling): string {
  switch (name) {
    case 'approval':
      return about.approvalIds[0] ?? 'none'
    case 'etag':
      return `"${about.revision}"`
    case 'cursor':
      return cursor
    case 'order':
      return order
    case 'ref':
    case 'commitment':
    case 'effect':
    case 'subject':
    case 'idempotencyKey':
      return about[name]
  }
}

// Damage is done to objects; what is none by itself is put into one.
function objectText(json: string): string {
  return json.startsWith('{') ? json : `{"value":${json}}`
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
