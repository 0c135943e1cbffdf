// The body of a request, read strictly: its media type, its size, its encoding, then its JSON.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { limits } from '../../effect/limits.ts'
import { LimitExceeded } from '../../proposal/errors.ts'
import { MalformedRequest, PayloadTooLarge, UnsupportedMediaType } from './http-refusals.ts'
import { singletonHeader } from './singleton-header.ts'
import { parseStrictJson, type StrictJsonRefusal, type StrictJsonRule } from './strict-json.ts'

/** Parameters may be spaced and quoted; no other parameter and no other charset means anything here. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i

const SENTENCES: Readonly<Record<StrictJsonRule, string>> = {
  syntax: 'This is not JSON.',
  duplicate_key: 'A key stands in an object twice.',
  prototype_key: 'A key of this name is not taken.',
  not_integer: 'A number must be written as an integer; amounts are decimal strings.',
  unsafe_integer: 'An integer must be at most 2^53 - 1 in size.',
  negative_zero: 'Zero has no sign.',
  lone_surrogate: 'A string must be well-formed Unicode.',
}

/**
 * What the body says, or undefined if there is none.
 * Spec: http "Rules", reliability F15, T20 to T26.
 * @throws MalformedRequest 400, PayloadTooLarge 413 while it is read, UnsupportedMediaType 415, LimitExceeded 422
 */
export async function readJsonBody(
  request: Request,
  maxBytes: number = limits.requestBytes,
): Promise<JsonValue | undefined> {
  const type = singletonHeader(request.headers, 'Content-Type')
  if (type !== null && !JSON_TYPE.test(type)) throw new UnsupportedMediaType('A body must be application/json.')
  if (singletonHeader(request.headers, 'Content-Encoding') !== null) {
    throw new UnsupportedMediaType('A body must not be compressed.')
  }
  const bytes = await readBytes(request, maxBytes)
  if (bytes.length === 0) return undefined
  if (type === null) throw new UnsupportedMediaType('A body must be application/json.')
  const json = parseStrictJson(decoded(bytes))
  if (json.ok) return json.value
  throw refused(json)
}

/** The bytes of a body, at most so many. @throws PayloadTooLarge while it is read, MalformedRequest if it breaks off */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  // What was announced is believed only to refuse; what counts is what comes.
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) throw new PayloadTooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const chunk = await nextChunk(reader)
    if (chunk === null) return Buffer.concat(chunks)
    size += chunk.length
    if (size > maxBytes) {
      // Not awaited: whoever still sends may take as long as it likes to hear of it.
      reader.cancel().catch(() => null)
      throw new PayloadTooLarge()
    }
    chunks.push(chunk)
  }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read()
    return done ? null : value
  } catch {
    throw new MalformedRequest('The body broke off.')
  }
}

/** A byte order mark is kept by the decoder, and refused by the parser. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new MalformedRequest('The body is not valid UTF-8.')
  }
}

function refused(json: StrictJsonRefusal): MalformedRequest | LimitExceeded {
  if (json.limit !== null) return new LimitExceeded(json.limit)
  return new MalformedRequest('The body is not strict JSON.', [
    { path: json.pointer, rule: json.rule, message: SENTENCES[json.rule] },
  ])
}
