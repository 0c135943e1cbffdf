// Problems: every refusal with its status, what it may say beyond its code, and that nothing else gets out.
import { describe, expect, it } from 'vitest'
import { REFUSALS } from '../../../src/proposal/codes.ts'
import {
  ActionNotRegistered,
  type AnyRefusal,
  AuthorizationUnavailable,
  BindingMismatch,
  ContentUnavailable,
  DecisionRefused,
  DefinitionError,
  EffectAlreadyCompleted,
  EffectKindConflict,
  EffectReferenceIdentifying,
  ErasureHeld,
  InvalidCommand,
  InvalidPreparation,
  LimitExceeded,
  MalformedReference,
  NotFound,
  NotPermitted,
  PersistenceOutcomeUnknown,
  PolicyUnsatisfiable,
  PreparationFailed,
  PreparationRefused,
  type Problem,
  ReferenceKeyChanged,
  Refusal,
  RequestKeyReused,
  RevisionMismatch,
  StoredDataCorrupt,
  StoreUnavailable,
} from '../../../src/proposal/errors.ts'
import { errorFields } from '../../../src/http/wire/error-fields.ts'
import {
  type AnyHttpRefusal,
  AuthenticationUnavailable,
  CommitmentRequired,
  HTTP_REFUSALS,
  InvalidRequest,
  MalformedRequest,
  MethodNotAllowed,
  PayloadTooLarge,
  PROBLEMS,
  Unauthenticated,
  CrossSiteRequest,
  UnknownPath,
  UnsupportedMediaType,
} from '../../../src/http/wire/http-refusals.ts'
import { PROBLEM_PAGE_HEADERS, problemPage } from '../../../src/http/wire/problem-page.ts'
import { PROBLEM_TEXTS } from '../../../src/http/wire/problem-texts.ts'
import { problemOf, problemResponse } from '../../../src/http/wire/problem.ts'

const CANARY = 'canary-7f3a'
const cause = new Error(`${CANARY} in the cause`)
const problems: readonly Problem[] = [
  { path: '/amount/currency', rule: 'currency', message: 'This is no currency.' },
  { path: `/lines/${CANARY} x/amount`, rule: 'type', message: 'This is no text.' },
]
const errors = [
  { pointer: '/amount/currency', code: 'currency', message: 'This is no currency.' },
  { pointer: '/lines', code: 'type', message: 'This is no text.' },
]

interface Row {
  readonly error: AnyRefusal | AnyHttpRefusal
  readonly status: number
  /** What the body says beyond what every problem says. */
  readonly says?: object
  readonly headers?: object
}

const RETRY = { 'Retry-After': '5' }

const ROWS: readonly Row[] = [
  { error: new NotFound(), status: 404 },
  { error: new DecisionRefused('agent_cannot_decide'), status: 403 },
  { error: new DecisionRefused('separation_of_duties'), status: 403 },
  { error: new DecisionRefused('decision_not_permitted'), status: 403 },
  { error: new NotPermitted(), status: 403 },
  {
    error: new NotPermitted('erase'),
    status: 403,
    says: { act: 'erase', detail: 'The caller has no right to "erase".' },
  },
  { error: new BindingMismatch('stale'), status: 409, says: { proposalStatus: 'stale' } },
  { error: new RequestKeyReused(), status: 422 },
  {
    error: new MalformedReference('/replaces'),
    status: 400,
    says: {
      detail: 'The value at /replaces is not of the allowed form.',
      errors: [
        {
          pointer: '/replaces',
          code: 'malformed_reference',
          message: 'The value at /replaces is not of the allowed form.',
        },
      ],
    },
  },
  { error: new InvalidCommand(problems), status: 422, says: { errors } },
  { error: new InvalidPreparation(problems), status: 422, says: { errors } },
  { error: new PreparationRefused('order_closed'), status: 422, says: { reason: 'order_closed' } },
  { error: new PreparationFailed({ cause }), status: 503, headers: RETRY },
  { error: new PolicyUnsatisfiable(['finance']), status: 422, says: { requirements: ['finance'] } },
  { error: new EffectReferenceIdentifying(), status: 422 },
  { error: new EffectAlreadyCompleted(), status: 409 },
  { error: new EffectKindConflict(), status: 409 },
  { error: new ActionNotRegistered(), status: 422 },
  {
    error: new LimitExceeded('commandBytes'),
    status: 422,
    says: { limit: 'commandBytes', detail: 'The limit commandBytes was exceeded.' },
  },
  { error: new ErasureHeld(), status: 409 },
  { error: new RevisionMismatch(7), status: 412, says: { revision: 7 } },
  { error: new ContentUnavailable('denied', { cause }), status: 409, says: { reason: 'denied' } },
  { error: new AuthorizationUnavailable({ cause }), status: 503, headers: RETRY },
  { error: new StoreUnavailable(`the file ${CANARY} is locked`, { cause }), status: 503, headers: RETRY },
  { error: new PersistenceOutcomeUnknown(null, { cause }), status: 503, headers: RETRY },
  {
    error: new PersistenceOutcomeUnknown({ attempt: 1, ending: 'accepted' }, { cause }),
    status: 503,
    says: { observed: { attempt: 1, ending: 'accepted' } },
    headers: RETRY,
  },
  { error: new StoredDataCorrupt(`proposals/${CANARY}`, { cause }), status: 500 },
  { error: new MalformedRequest('The header X is not.'), status: 400, says: { detail: 'The header X is not.' } },
  {
    error: new MalformedRequest('The body is not.', problems),
    status: 400,
    says: { detail: 'The body is not.', errors },
  },
  {
    error: new Unauthenticated('none'),
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="countersign"' },
  },
  {
    error: new Unauthenticated('refused', { cause }),
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="countersign", error="invalid_token"' },
  },
  { error: new AuthenticationUnavailable({ cause }), status: 503, headers: RETRY },
  { error: new CrossSiteRequest(), status: 403 },
  { error: new UnknownPath(), status: 404 },
  { error: new MethodNotAllowed(['GET', 'HEAD']), status: 405, headers: { Allow: 'GET, HEAD' } },
  { error: new PayloadTooLarge(), status: 413 },
  {
    error: new UnsupportedMediaType('A body must be application/json.'),
    status: 415,
    says: { detail: 'A body must be application/json.' },
  },
  { error: new InvalidRequest(problems), status: 422, says: { errors } },
  { error: new CommitmentRequired(), status: 428 },
]

describe('every refusal is a problem', () => {
  it.each(ROWS.map((row) => [row.error.code, row] as const))('threat T40: %s', (code, row) => {
    const { error, status, says = {}, headers = {} } = row
    const problem = problemOf(error, 'r-1')
    expect(problem).toStrictEqual({
      status,
      headers: { 'Content-Type': 'application/problem+json', ...headers },
      body: {
        type: `/problems/${code}`,
        title: PROBLEMS[code].title,
        status: PROBLEMS[code].http,
        code,
        instance: 'urn:countersign:request:r-1',
        ...says,
      },
    })
    expect(JSON.stringify(problem)).not.toContain(CANARY)
  })

  it('of both tables, and internal besides', () => {
    const seen = new Set([...ROWS.map(({ error }) => error.code), 'internal'])
    expect([...seen].sort()).toStrictEqual([...Object.keys(REFUSALS), ...Object.keys(HTTP_REFUSALS)].sort())
  })

  it('and no code stands in both tables', () => {
    expect(Object.keys(REFUSALS).filter((code) => Object.hasOwn(HTTP_REFUSALS, code))).toStrictEqual([])
  })

  it('of which a list is cut at a hundred', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ path: `/a/${index}`, rule: 'r', message: 'm' }))
    expect(problemOf(new InvalidRequest(many), 'r').body.errors).toHaveLength(100)
  })
})

/** A refusal that no table knows, as a host could make one. */
class OwnRefusal extends Refusal {
  readonly code: 'not_found'
  constructor(code: string) {
    super('not_found', CANARY)
    this.code = code as 'not_found'
  }
}

class CanaryError extends TypeError {
  override readonly name = CANARY
}

const UNKNOWN: readonly (readonly [string, unknown])[] = [
  ['an error', new Error(CANARY, { cause })],
  ['a misuse', new TypeError(CANARY)],
  ['an error with a status of its own', Object.assign(new Error(CANARY), { status: 200, code: 'not_found' })],
  ['a refusal with a code that is no code', new OwnRefusal('toString')],
  ['a definition error', new DefinitionError(CANARY, problems)],
  ['another reference key', new ReferenceKeyChanged()],
  ['an error with a name', new CanaryError(CANARY)],
  ['a text', CANARY],
  ['an object', { message: CANARY, code: 'not_found', status: 404 }],
  ['nothing', null],
  ['undefined', undefined],
]

describe('what is no refusal is internal', () => {
  it.each(UNKNOWN)('threat T40: %s', (_, error) => {
    expect(problemOf(error, 'r-1')).toStrictEqual({
      status: 500,
      headers: { 'Content-Type': 'application/problem+json' },
      body: {
        type: '/problems/internal',
        title: 'Something went wrong on the server.',
        status: 500,
        code: 'internal',
        instance: 'urn:countersign:request:r-1',
      },
    })
  })

  it.each(UNKNOWN)('threat T41: and %s is logged without a word of it', (_, error) => {
    expect(JSON.stringify(errorFields(error))).not.toContain(CANARY)
  })

  it('but with its class, its cause and its place', () => {
    const error = new TypeError(`${CANARY}\n    at ${CANARY} (/${CANARY}:1:1)`, { cause: new RangeError(CANARY) })
    const fields = errorFields(error)
    expect(fields).toMatchObject({ error: 'TypeError', cause: 'RangeError', address: null })
    expect(fields['at']).toMatch(/problem\.test\.ts:\d+:\d+/)
    expect(JSON.stringify(fields)).not.toContain(CANARY)
  })

  it('and a corrupt row is named to the log only', () => {
    expect(errorFields(new StoredDataCorrupt('proposals/p1'))).toMatchObject({ address: 'proposals/p1' })
  })
})

describe('a problem on the wire', () => {
  it('is its body, its status and its headers', async () => {
    const response = problemResponse(problemOf(new NotFound(), 'r-1', '/approvals'))
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ type: '/approvals/problems/not_found', status: 404 })
  })
})

describe('the page of a problem', () => {
  it.each(Object.keys(PROBLEMS))('%s says what it means and what to do, without script', (code) => {
    const page = problemPage(code) ?? ''
    const { meaning, remedy } = PROBLEM_TEXTS[code as keyof typeof PROBLEM_TEXTS]
    const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    expect(page).toContain(`<code>${code}</code>, HTTP status ${PROBLEMS[code as keyof typeof PROBLEMS].http}`)
    expect(page).toContain(escaped(meaning))
    expect(page).toContain(escaped(remedy))
    expect(page).not.toMatch(/<script|<a |<img|<link|\son\w+=|style=|https?:|javascript:/i)
  })

  it.each(['', 'nothing', '__proto__', 'constructor', 'toString', '<script>', 'not_found/', 'NOT_FOUND'])(
    'there is none for "%s"',
    (code) => {
      expect(problemPage(code)).toBeNull()
    },
  )

  it('may load nothing but its one style', () => {
    expect(PROBLEM_PAGE_HEADERS['Content-Security-Policy']).toMatch(
      /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; style-src 'sha256-[\w+/]{43}='$/,
    )
  })
})
