// An open endpoint: one that asks nobody who they are, since it tells nothing of any tenant.
import type { z } from 'zod'
import type { Framing } from './frame.ts'
import type { ProblemCode } from './wire/http-refusals.ts'

/** A request of an open endpoint. */
export interface OpenCall {
  readonly framing: Framing
  readonly request: Request
  /** Where the app is mounted, without a slash at its end. */
  readonly basePath: string
  readonly param: (name: string) => string
}

/** A GET that is answered with one kind of content, or a problem. */
export interface OpenEndpoint {
  readonly path: `/${string}`
  /** A verb. */
  readonly operationId: string
  readonly summary: string
  readonly mediaType: string
  /** Of JSON; anything else is text. */
  readonly schema?: z.ZodType
  readonly refusals: readonly ProblemCode[]
  handle(call: OpenCall): Promise<Response> | Response
}
