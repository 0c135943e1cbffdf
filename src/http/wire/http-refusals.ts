// The refusals that only HTTP knows: what is wrong with a request before any operation of the runtime begins.
import { REFUSALS } from '../../proposal/codes.ts'
import type { Problem } from '../../proposal/errors.ts'

/** Like the table of the runtime's refusals, for what can only go wrong on the wire. Spec: lifecycle 9, reliability 5.3. */
export const HTTP_REFUSALS = {
  malformed_request: { http: 400, title: 'The request is not well formed.' },
  unauthenticated: { http: 401, title: 'There is no valid proof of who is calling.' },
  cross_site_request: { http: 403, title: 'The request did not come from a page of this server.' },
  unknown_path: { http: 404, title: 'There is nothing at this path.' },
  method_not_allowed: { http: 405, title: 'The path does not take this method.' },
  payload_too_large: { http: 413, title: 'The body is larger than allowed.' },
  unsupported_media_type: { http: 415, title: 'The body is not of a media type that is read here.' },
  invalid_request: { http: 422, title: 'The request is well formed and does not fit its schema.' },
  commitment_required: { http: 428, title: 'A decision must name the commitment that was shown.' },
  internal: { http: 500, title: 'Something went wrong on the server.' },
  authentication_unavailable: { http: 503, title: 'It could not be found out who is calling.' },
} as const satisfies Record<string, { readonly http: number; readonly title: string }>

/** Why a request was refused before the runtime was asked. */
export type HttpRefusalCode = keyof typeof HTTP_REFUSALS

/** Every refusal that a problem can be about: the runtime's and those of HTTP. */
export const PROBLEMS = { ...REFUSALS, ...HTTP_REFUSALS } as const

/** Every code that a problem can carry. */
export type ProblemCode = keyof typeof PROBLEMS

/** What every refusal of the HTTP API itself is: nothing was done, and the message is safe to show. */
export abstract class HttpRefusal extends Error {
  abstract readonly code: HttpRefusalCode

  constructor(code: HttpRefusalCode, detail?: string, options?: ErrorOptions) {
    super(detail ?? HTTP_REFUSALS[code].title, options)
    this.name = new.target.name
  }
}

/** A header, parameter or body breaks its syntax; `problems` says where, if it is a place in the body. Status 400. */
export class MalformedRequest extends HttpRefusal {
  readonly code = 'malformed_request'
  readonly problems: readonly Problem[]
  /** `detail` is one sentence of our own that names the part of the request, never a value of it. */
  constructor(detail: string, problems: readonly Problem[] = []) {
    super('malformed_request', detail)
    this.problems = problems
  }
}

/**
 * Nobody is authenticated. `credentials` says whether none were given or whether those given were refused; why they were
 * refused is not said, so that all of them are answered alike. Status 401. Spec: reliability T37.
 */
export class Unauthenticated extends HttpRefusal {
  readonly code = 'unauthenticated'
  readonly credentials: 'none' | 'refused'
  constructor(credentials: 'none' | 'refused' = 'none', options?: ErrorOptions) {
    super('unauthenticated', undefined, options)
    this.credentials = credentials
  }
}

/** Who is calling could not be found out, because the keys that tell it cannot be reached. Status 503. */
export class AuthenticationUnavailable extends HttpRefusal {
  readonly code = 'authentication_unavailable'
  constructor(options?: ErrorOptions) {
    super('authentication_unavailable', undefined, options)
  }
}

/**
 * A request that changes something came with a cookie, and nothing proves that a page of this server sent it. Status 403.
 * Spec: reliability 5.8, T36.
 */
export class CrossSiteRequest extends HttpRefusal {
  readonly code = 'cross_site_request'
  constructor() {
    super('cross_site_request')
  }
}

/** There is nothing at this path, whoever asks. Status 404. */
export class UnknownPath extends HttpRefusal {
  readonly code = 'unknown_path'
  constructor() {
    super('unknown_path')
  }
}

/** The path exists, and takes only the methods in `allow`. Status 405. */
export class MethodNotAllowed extends HttpRefusal {
  readonly code = 'method_not_allowed'
  readonly allow: readonly string[]
  constructor(allow: readonly string[]) {
    super('method_not_allowed')
    this.allow = allow
  }
}

/** The body has more bytes than allowed; it was not read further. Status 413. */
export class PayloadTooLarge extends HttpRefusal {
  readonly code = 'payload_too_large'
  constructor() {
    super('payload_too_large')
  }
}

/** The body is not `application/json`, not in UTF-8, or compressed. Status 415. */
export class UnsupportedMediaType extends HttpRefusal {
  readonly code = 'unsupported_media_type'
  /** `detail` is one sentence of our own. */
  constructor(detail: string) {
    super('unsupported_media_type', detail)
  }
}

/** A body or query does not fit its schema; `problems` says where and which rule, never what was there. Status 422. */
export class InvalidRequest extends HttpRefusal {
  readonly code = 'invalid_request'
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super('invalid_request')
    this.problems = problems
  }
}

/** A decision came without the commitment that it is about. Status 428. */
export class CommitmentRequired extends HttpRefusal {
  readonly code = 'commitment_required'
  constructor() {
    super('commitment_required')
  }
}

/** Every refusal of HTTP itself, told apart by `code`. `internal` is none: it is what is left. */
export type AnyHttpRefusal =
  | MalformedRequest
  | Unauthenticated
  | AuthenticationUnavailable
  | CrossSiteRequest
  | UnknownPath
  | MethodNotAllowed
  | PayloadTooLarge
  | UnsupportedMediaType
  | InvalidRequest
  | CommitmentRequired
