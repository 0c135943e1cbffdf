// One HTTP exchange with the business system: a request sent, its answer read as JSON, a refusal kept apart.
import { z } from 'zod'

/**
 * The business system answered, and not with what was asked for. `code` is that of its problem document, or
 * `malformed_answer` if its answer could not be read.
 */
export class BusinessSystemError extends Error {
  override readonly name = 'BusinessSystemError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface Outgoing {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

const problemSchema = z.object({ title: z.string(), code: z.string(), detail: z.string().optional() })

/**
 * Sends a request and reads the answer by the schema.
 *
 * @throws BusinessSystemError for every answer above 299 and every answer that the schema does not read; what `fetch`
 * throws (no connection, a lost one, the signal) passes through.
 */
export async function exchange<Body>(url: URL, schema: z.ZodType<Body>, outgoing: Outgoing = {}): Promise<Body> {
  const { method = 'GET', headers = {}, body, signal } = outgoing
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  })
  const text = await response.text()
  if (!response.ok) throw refusal(response.status, text)
  const parsed = schema.safeParse(parseJson(text))
  if (!parsed.success) throw malformedAnswer(response.status)
  return parsed.data
}

function refusal(status: number, text: string): BusinessSystemError {
  const parsed = problemSchema.safeParse(parseJson(text))
  if (!parsed.success) return malformedAnswer(status)
  const { code, title, detail } = parsed.data
  return new BusinessSystemError(status, code, detail === undefined ? title : `${title}: ${detail}`)
}

function malformedAnswer(status: number): BusinessSystemError {
  return new BusinessSystemError(status, 'malformed_answer', `The business system's answer (${status}) cannot be read`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
