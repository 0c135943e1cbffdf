// The app with its document held against every answer: a status, header, media type or field that the document lacks fails the test.
import { type AnySchema, Ajv2020 } from 'ajv/dist/2020.js'
import type { Hono } from 'hono'

type Part = Readonly<Record<string, unknown>>

interface Document extends Part {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Part>>
    readonly headers: Readonly<Record<string, Part>>
  }
}

interface Operation extends Part {
  readonly responses: Readonly<Record<string, ResponsePart>>
}

interface ResponsePart extends Part {
  readonly headers?: Readonly<Record<string, Part>>
  readonly content?: Readonly<Record<string, { readonly schema: AnySchema }>>
}

/** Headers that an answer may have only where the document says so. */
const TOLD = ['ETag', 'Location', 'Idempotency-Replayed', 'Link', 'Retry-After', 'WWW-Authenticate', 'Allow']

/** Headers that every answer has. Spec: http "Rules". */
const ALWAYS = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'X-Request-Id',
  'Cache-Control',
]

const PROBLEM = '#/components/schemas/Problem'

/** Sends requests to the app, which is mounted under `base`; an answer that the document does not allow is an error. */
export function validated(app: Hono, base = ''): (request: Request) => Promise<Response> {
  let judge: Promise<Judge> | null = null
  return async (request) => {
    judge ??= judgeOf(app, base)
    const faultsOf = await judge
    const response = await app.fetch(request)
    const faults = await faultsOf(request, response.clone())
    if (faults.length > 0) {
      const lines = faults.map(({ about, message }) => `${about}: ${message}`)
      throw new Error(`${request.method} ${request.url} ${response.status}:\n${lines.join('\n')}`)
    }
    return response
  }
}

/** What an answer has that the document does not allow, or lacks. */
export interface AnswerFault {
  readonly about: 'status' | 'headers' | 'media type' | 'schema'
  readonly message: string
}

type Fits = (schema: AnySchema, value: unknown) => readonly string[]

// Most worlds have the same document, and reading one takes longer than a test.
const read = new Map<string, { readonly document: Document; readonly fits: Fits }>()

function readDocument(text: string): { readonly document: Document; readonly fits: Fits } {
  const document = JSON.parse(text) as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema(document, 'document')
  const compiled = new Map<AnySchema, ReturnType<Ajv2020['compile']>>()
  const fits: Fits = (schema, value) => {
    const check = compiled.get(schema) ?? ajv.compile(absolute(schema))
    compiled.set(schema, check)
    if (check(value) === true) return []
    return (check.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`)
  }
  const known = { document, fits }
  read.set(text, known)
  return known
}

/** Holds an answer, whose body it reads, against the document. */
export type Judge = (request: Request, response: Response) => Promise<readonly AnswerFault[]>

/** Reads the document of an app, here or in another process, that is mounted under `base`. */
export async function judgeOf(
  app: { readonly request: (path: string) => Response | Promise<Response> },
  base = '',
): Promise<Judge> {
  const answer = await app.request(`${base}/openapi.json`)
  const text = await answer.text()
  const { document, fits } = read.get(text) ?? readDocument(text)
  return async (request, response) => {
    const path = new URL(request.url).pathname.slice(base.length)
    const documented = operationAt(document, request.method, path)?.responses[String(response.status)]
    const outside = operationAt(document, request.method, path) === null ? OUTSIDE[response.status] : undefined
    const expected = documented ?? outside
    if (expected === undefined) return [{ about: 'status', message: 'the document has no such answer' }]
    return [...headerFaults(document, expected, response), ...(await bodyFaults(expected, request, response, fits))]
  }
}

// What is outside of every operation is refused, in the form that all refusals have.
const OUTSIDE: Readonly<Record<number, ResponsePart>> = {
  400: outside({}),
  401: outside({ 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } }),
  404: outside({}),
  405: outside({ Allow: { $ref: '#/components/headers/Allow' } }),
  503: outside({ 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
}

function outside(headers: NonNullable<ResponsePart['headers']>): ResponsePart {
  return { headers, content: { 'application/problem+json': { schema: { $ref: PROBLEM } } } }
}

function operationAt(document: Document, method: string, path: string): Operation | null {
  const name = method === 'HEAD' ? 'get' : method.toLowerCase()
  const found = Object.entries(document.paths).find(([template]) => matches(template, path))
  return found?.[1][name] ?? null
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  )
}

function headerFaults(document: Document, { headers = {} }: ResponsePart, response: Response): readonly AnswerFault[] {
  const missing = ALWAYS.filter((name) => !response.headers.has(name))
  const required = Object.entries(headers).flatMap(([name, header]) => {
    const described = '$ref' in header ? document.components.headers[name] : header
    return described?.['required'] === true ? [name] : []
  })
  const lacking = required.filter((name) => !response.headers.has(name))
  const untold = TOLD.filter((name) => response.headers.has(name) && !Object.hasOwn(headers, name))
  const messages = [
    ...[...missing, ...lacking].map((name) => `the header ${name} is missing`),
    ...untold.map((name) => `the header ${name} is not documented here`),
    ...(response.headers.has('Server') || response.headers.has('X-Powered-By') ? ['the server tells what it is'] : []),
  ]
  return messages.map((message) => ({ about: 'headers', message }))
}

async function bodyFaults(
  { content = {} }: ResponsePart,
  request: Request,
  response: Response,
  fits: Fits,
): Promise<readonly AnswerFault[]> {
  const [mediaType = ''] = (response.headers.get('Content-Type') ?? '').split(';')
  const described = content[mediaType] ?? content['*/*']
  if (described === undefined) {
    return [{ about: 'media type', message: `the media type ${mediaType} is not documented here` }]
  }
  const text = await response.text()
  if (request.method === 'HEAD')
    return text === '' ? [] : [{ about: 'schema', message: 'an answer to HEAD has a body' }]
  const misfits = mediaType.endsWith('json') ? fits(described.schema, JSON.parse(text)) : []
  return misfits.map((message) => ({ about: 'schema', message }))
}

// References lead into the document, wherever they stand.
function absolute(schema: AnySchema): AnySchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as AnySchema
}
