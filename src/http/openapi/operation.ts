// An endpoint as an operation of the document: its parameters, its body, and every answer with every code it can carry.
import type { z } from 'zod'
import type { OutcomeCode } from '../../proposal/codes.ts'
import type { Endpoint } from '../endpoint.ts'
import { outcomeStatus } from '../outcome.ts'
import { EVERYWHERE, WITH_BODY } from '../refusals.ts'
import { problem } from '../schemas/problem.ts'
import { type ProblemCode, PROBLEMS } from '../wire/http-refusals.ts'
import { PROBLEM_TYPE } from '../wire/problem.ts'
import { type HeaderName, headersOf, REQUEST_HEADERS } from './headers.ts'
import { type Part, schemaOf } from './schemas.ts'

/** One kind of content under one status, before those of a status are put together. */
export interface DocumentedContent {
  readonly status: number
  readonly content: Part
  readonly description: string
  readonly headers: readonly HeaderName[]
}

const described = new WeakMap<Endpoint, Part>()

/** Describes an endpoint; once, since it does not change. */
export function operationOf(endpoint: Endpoint): Part {
  const operation = described.get(endpoint) ?? describe(endpoint)
  described.set(endpoint, operation)
  return operation
}

function describe(endpoint: Endpoint): Part {
  const { operationId, summary, body, refusals } = endpoint
  const codes = [...EVERYWHERE, ...(body === null ? [] : WITH_BODY), ...refusals]
  return {
    operationId,
    summary,
    tags: [tagOf(endpoint)],
    parameters: parametersOf(endpoint),
    ...(body === null ? {} : { requestBody: requestBodyOf(body) }),
    responses: responsesOf([...answersOf(endpoint), ...problemsOf(codes)]),
  }
}

/** Puts together what can come under each status. */
export function responsesOf(contents: readonly DocumentedContent[]): Part {
  const byStatus = Map.groupBy(contents, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, ones]) => [
      status,
      {
        description: [...new Set(ones.map(({ description }) => description))].join(' '),
        headers: headersOf(ones.map(({ headers }) => headers)),
        content: Object.fromEntries(ones.flatMap(({ content }) => Object.entries(content))),
      },
    ]),
  )
}

/** The problems of an operation: under each status, the codes that it can have here. */
export function problemsOf(codes: readonly ProblemCode[]): readonly DocumentedContent[] {
  const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => PROBLEMS[code].http)
  return [...byStatus].map(([status, ones]) => ({
    status,
    description: `Refused: ${ones.join(', ')}.`,
    headers: headersOfProblem(status),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [
            schemaOf(problem),
            { type: 'object', properties: { status: { const: status }, code: { enum: ones } } },
          ],
        },
      },
    },
  }))
}

function headersOfProblem(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  return status === 503 ? ['Retry-After'] : []
}

function answersOf({ statuses, answer, headers = [] }: Endpoint): readonly DocumentedContent[] {
  if ('status' in statuses) {
    const { status } = statuses
    return [{ status, description: 'Done.', headers, content: { 'application/json': { schema: schemaOf(answer) } } }]
  }
  const { outcomes, wanted } = statuses
  const byStatus = Map.groupBy([...new Set(outcomes)].sort(), (outcome) => outcomeStatus(outcome, wanted))
  return [...byStatus].map(([status, ones]) => ({
    status,
    description: `The outcome: ${ones.join(', ')}.`,
    headers: status === 202 ? [...headers, 'Retry-After' as const] : headers,
    content: { 'application/json': { schema: withOutcomes(answer, ones) } },
  }))
}

function withOutcomes(answer: z.ZodType, outcomes: readonly OutcomeCode[]): Part {
  const narrowed = { type: 'object', properties: { outcome: { enum: [...outcomes] } } }
  return { allOf: [schemaOf(answer), narrowed] }
}

function requestBodyOf(body: z.ZodObject): Part {
  return { required: !body.safeParse({}).success, content: { 'application/json': { schema: schemaOf(body) } } }
}

function parametersOf(endpoint: Endpoint): Part[] {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return [
    ...names.map((name) => pathParameter(name)),
    ...queryParameters(endpoint.query),
    ...(endpoint.takesIfMatch === true ? [REQUEST_HEADERS['If-Match']] : []),
    ...(endpoint.takesIdempotencyKey === true ? [REQUEST_HEADERS['Idempotency-Key']] : []),
    REQUEST_HEADERS['X-Request-Id'],
  ]
}

/** A part of the path; what is no reference names nothing, and is answered so. */
export function pathParameter(name: string): Part {
  return { name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }
}

function queryParameters(query: z.ZodObject): Part[] {
  const { properties = {} } = schemaOf(query) as { readonly properties?: Readonly<Record<string, Part>> }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property
    return { name, in: 'query', ...(description === undefined ? {} : { description }), schema }
  })
}

// The resource that it is about: the word after the version.
function tagOf({ path }: Endpoint): string {
  return path.split('/')[2] ?? ''
}
