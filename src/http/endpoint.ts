// An endpoint as data: where it is, what it takes, what it can answer and what it does. Routing, reading and documentation follow from it.
import type { z } from 'zod'
import type { OutcomeCode } from '../proposal/codes.ts'
import type { Session } from '../proposal/session.ts'
import type { ProposalRuntime } from '../runtime/runtime.ts'
import type { WantedOutcomes } from './outcome.ts'
import type { ProblemCode } from './wire/http-refusals.ts'

/** A request as its handler sees it: authenticated, read strictly, and of the form that the endpoint asks for. */
export interface Call<Body, Query> {
  readonly runtime: ProposalRuntime
  readonly session: Session
  /** The path as it was sent, and what stands in its places. */
  readonly path: string
  readonly param: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** What If-Match asked for; to be spread into the input of an operation. */
  readonly expected: { readonly ifRevision?: number }
  /** Idempotency-Key, where the endpoint takes one. */
  readonly requestKey: string | null
}

/** What a handler answers. */
export interface Answer<Body> {
  readonly status: number
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

/** The statuses of an endpoint that has outcomes follow from these; the others have one. */
export type Statuses =
  | { readonly status: number }
  | { readonly outcomes: readonly OutcomeCode[]; readonly wanted: WantedOutcomes }

interface Description {
  readonly method: 'get' | 'post'
  /** Below the place where the app is mounted. */
  readonly path: `/v1/${string}`
  /** A verb. */
  readonly operationId: string
  readonly summary: string
  readonly statuses: Statuses
  /** Besides those that every endpoint has. */
  readonly refusals: readonly ProblemCode[]
  /** Whether If-Match means something here. */
  readonly takesIfMatch?: true
  readonly takesIdempotencyKey?: true
  /** A body without a commitment is refused before its schema is looked at. Spec: http "Rules". */
  readonly needsCommitment?: true
  /** Headers of its answers, for the documentation. */
  readonly headers?: readonly AnswerHeader[]
}

/** The headers that some answers have beside those that all have. */
export type AnswerHeader = 'ETag' | 'Location' | 'Idempotency-Replayed' | 'Link'

/** An endpoint, whatever its types. */
export interface Endpoint extends Description {
  readonly body: z.ZodObject | null
  readonly query: z.ZodObject
  readonly answer: z.ZodType
  handle(call: Call<unknown, unknown>): Promise<Answer<unknown>>
}

/** An endpoint with its types. */
export interface TypedEndpoint<B extends z.ZodObject, Q extends z.ZodObject, A extends z.ZodType> extends Description {
  /** Null for a GET. */
  readonly body: B | null
  readonly query: Q
  readonly answer: A
  handle(call: Call<z.output<B>, z.output<Q>>): Promise<Answer<Sent<z.input<A>>>>
}

/** Checks the types of an endpoint, which are then of no interest any more: what is answered fits its schema. */
export function endpoint<B extends z.ZodObject, Q extends z.ZodObject, A extends z.ZodType>(
  typed: TypedEndpoint<B, Q, A>,
): Endpoint {
  return typed
}

/** A type as it is handed out: nothing of it is written to. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Sent<T[Key]> }
    : T
