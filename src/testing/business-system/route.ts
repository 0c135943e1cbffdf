// A route: which requests it takes, and the function that answers them inside one transaction.
import type { z } from 'zod'
import type { Database } from './database.ts'
import type { FaultQueue } from './faults.ts'
import type { Landings } from './landings.ts'
import { problem, type Reply } from './reply.ts'

/** A request after its body has been read whole. */
export interface IncomingRequest {
  readonly method: string
  readonly url: URL
  readonly idempotencyKey: string | null
  /** The `If-Match` header, as it came. */
  readonly precondition: string | null
  /** The parsed body; its text if it was not JSON, null if there was none. */
  readonly body: unknown
}

/** The business system's time: real until it is set, then standing still until it is set again. */
export interface BusinessClock {
  now(): number
  set(now: number): void
}

/** All that an answer may rest on. */
export interface World {
  readonly database: Database
  readonly faults: FaultQueue
  readonly landings: Landings
  readonly clock: BusinessClock
}

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Synchronous: the transaction around it ends with it. */
  answer(request: IncomingRequest, world: World): Reply
}

/** The body as the schema reads it, or the reply that says what is wrong with it. */
export function readBody<Body>(
  request: IncomingRequest,
  schema: z.ZodType<Body>,
): { readonly kind: 'body'; readonly body: Body } | { readonly kind: 'malformed'; readonly reply: Reply } {
  const parsed = schema.safeParse(request.body)
  if (parsed.success) return { kind: 'body', body: parsed.data }
  const details = parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)
  return { kind: 'malformed', reply: problem('malformed_request', `JSON body, ${details.join('; ')}`) }
}
