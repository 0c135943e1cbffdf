// The request of an endpoint, read strictly and in one order: headers, query, body, commitment, schemas.
import { z } from 'zod'
import type { JsonValue } from '../effect/canonical-json.ts'
import { jsonPointer } from '../effect/json-pointer.ts'
import type { Problem } from '../proposal/errors.ts'
import type { Endpoint } from './endpoint.ts'
import { CommitmentRequired, InvalidRequest, MalformedRequest } from './wire/http-refusals.ts'
import { parseIdempotencyKey } from './wire/idempotency-key.ts'
import { parseIfMatch } from './wire/if-match.ts'
import { readJsonBody } from './wire/json-body.ts'

/** What was read. */
export interface RequestRead {
  readonly query: unknown
  readonly body: unknown
  readonly expected: { readonly ifRevision?: number }
  readonly requestKey: string | null
}

/** What a host may ask beyond the specification. */
export interface ReadingRules {
  readonly requireIdempotencyKey: boolean
}

/**
 * Reads a request before anything is looked up: what is refused here is refused for what was sent, whoever's proposal the
 * path names, so a refusal tells nothing about it.
 * @throws MalformedRequest, UnsupportedMediaType, PayloadTooLarge, LimitExceeded, CommitmentRequired, InvalidRequest
 */
export async function readRequest(endpoint: Endpoint, request: Request, rules: ReadingRules): Promise<RequestRead> {
  const expected = expectedRevision(endpoint, request)
  const requestKey = endpoint.takesIdempotencyKey === true ? keyOf(request, rules) : null
  const query = fitting(endpoint.query, queryOf(request, endpoint.query))
  if (endpoint.body === null) return { query, body: undefined, expected, requestKey }
  const body = await readJsonBody(request)
  if (endpoint.needsCommitment === true && !hasCommitment(body)) throw new CommitmentRequired()
  return { query, body: fitting(endpoint.body, body === undefined ? {} : body), expected, requestKey }
}

// A precondition that means nothing here must not seem to have held.
function expectedRevision({ takesIfMatch }: Endpoint, { headers }: Request): RequestRead['expected'] {
  const ifRevision = parseIfMatch(headers)
  if (ifRevision === null) return {}
  if (takesIfMatch !== true) throw new MalformedRequest('If-Match names a revision, and nothing here has one.')
  return { ifRevision }
}

function keyOf({ headers }: Request, { requireIdempotencyKey }: ReadingRules): string | null {
  const key = parseIdempotencyKey(headers)
  if (key === null && requireIdempotencyKey) throw new MalformedRequest('The header Idempotency-Key is required.')
  return key
}

// A parameter that is there once is its text; only lists may be there more often.
function queryOf(request: Request, schema: z.ZodObject): Readonly<Record<string, string | readonly string[]>> {
  const query = Object.create(null) as Record<string, string | readonly string[]>
  const { searchParams } = new URL(request.url)
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name)
    const [only = ''] = values
    query[name] = values.length > 1 || isList(schema, name) ? values : only
  }
  return { ...query }
}

function isList(schema: z.ZodObject, name: string): boolean {
  const shape: Readonly<Record<string, unknown>> = schema.shape
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined
  return field instanceof z.ZodExactOptional && field.unwrap() instanceof z.ZodArray
}

function hasCommitment(body: JsonValue | undefined): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'commitment')
}

function fitting(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new InvalidRequest(parsed.error.issues.map(problemOfIssue))
}

function problemOfIssue({ path, code }: z.core.$ZodIssue): Problem {
  return { path: jsonPointer(path.map(String)), rule: code, message: RULES[code] ?? 'does not fit the schema' }
}

// zod's own messages can repeat what was sent, and the names of fields that nobody knows.
const RULES: Readonly<Partial<Record<string, string>>> = {
  invalid_type: 'is missing or of another type',
  unrecognized_keys: 'has a field that is not known here',
  invalid_value: 'is none of the allowed values',
  invalid_format: 'is not of the allowed form',
  too_big: 'is too long or too large',
  too_small: 'is too short or too small',
}
