// Problems: every error as an answer of RFC 9457, from the tables of codes, with nothing in it that is anybody's secret.
import type { Act } from '../../proposal/contract.ts'
import { type AnyRefusal, type ObservedCall, Refusal } from '../../proposal/errors.ts'
import type { NextStep } from '../../proposal/next-step.ts'
import type { Status } from '../../proposal/status.ts'
import { wwwAuthenticate } from '../auth/www-authenticate.ts'
import { type AnyHttpRefusal, HttpRefusal, type ProblemCode, PROBLEMS } from './http-refusals.ts'
import { type FieldError, problemMembers } from './problem-members.ts'

/** The media type of problems. */
export const PROBLEM_TYPE = 'application/problem+json'

/** With 503, in seconds; with 202 it depends on the proposal. */
const RETRY_AFTER_SECONDS = 5

/** The body of a problem. Members without a value are left out. Spec: http "Rules", reliability 5.4. */
export interface ProblemBody {
  /** URI reference of the page that explains the code. */
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ProblemCode
  /** An opaque URN with the id of the request. */
  readonly instance: string
  readonly detail?: string
  readonly proposalStatus?: Status
  readonly reason?: string
  readonly nextStep?: NextStep
  readonly errors?: readonly FieldError[]
  /** With `revision_mismatch`: the revision now. */
  readonly revision?: number
  /** With `limit_exceeded`: the limit's name. */
  readonly limit?: string
  /** With `not_permitted`: what there is no right to. */
  readonly act?: Act
  /** With `policy_unsatisfiable`: the names of the requirements. */
  readonly requirements?: readonly string[]
  /** With `persistence_outcome_unknown`: what was seen of a call, as diagnosis. */
  readonly observed?: ObservedCall
}

/** A problem as an answer that is still to be sent. */
export interface HttpProblem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ProblemBody
}

/**
 * The answer to an error. What is no refusal is a fault of ours or of the host: `internal`, and nothing of it is told.
 * `basePath` is where the app is mounted, without a slash at its end.
 */
export function problemOf(error: unknown, requestId: string, basePath = ''): HttpProblem {
  const refusal = knownRefusal(error)
  const code = refusal?.code ?? 'internal'
  const { http: status, title } = PROBLEMS[code]
  const detail = refusal === null ? null : detailOf(refusal)
  return {
    status,
    headers: { 'Content-Type': PROBLEM_TYPE, ...headersOf(refusal, status) },
    body: {
      type: `${basePath}/problems/${code}`,
      title,
      status,
      code,
      instance: `urn:countersign:request:${requestId}`,
      ...(detail === null ? {} : { detail }),
      ...(refusal === null ? {} : problemMembers(refusal)),
    },
  }
}

/** The problem as a response. */
export function problemResponse({ status, headers, body }: HttpProblem): Response {
  return new Response(JSON.stringify(body), { status, headers })
}

/** A host may throw what only looks like a refusal, with a code of its own. */
function knownRefusal(error: unknown): AnyHttpRefusal | AnyRefusal | null {
  const isRefusal = error instanceof Refusal || error instanceof HttpRefusal
  return isRefusal && Object.hasOwn(PROBLEMS, error.code) ? (error as AnyHttpRefusal | AnyRefusal) : null
}

/** The sentence of a refusal where it says more than its title. Those of 5xx are for the log; lists are in `errors`. */
function detailOf(refusal: AnyHttpRefusal | AnyRefusal): string | null {
  const { http, title } = PROBLEMS[refusal.code]
  const isList = refusal.code === 'invalid_command' || refusal.code === 'invalid_preparation'
  return http >= 500 || isList || refusal.message === title ? null : refusal.message
}

function headersOf(refusal: AnyHttpRefusal | AnyRefusal | null, status: number): Readonly<Record<string, string>> {
  if (refusal?.code === 'unauthenticated') return { 'WWW-Authenticate': wwwAuthenticate(refusal.credentials) }
  if (refusal?.code === 'method_not_allowed') return { Allow: refusal.allow.join(', ') }
  return status === 503 ? { 'Retry-After': String(RETRY_AFTER_SECONDS) } : {}
}
