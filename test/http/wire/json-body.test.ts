// The body of a request: which media types, encodings, sizes and bytes are read, and what each other one is refused as.
import { describe, expect, it } from 'vitest'
import { limits } from '../../../src/effect/limits.ts'
import { problemOf } from '../../../src/http/wire/problem.ts'
import { readJsonBody } from '../../../src/http/wire/json-body.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }

function post(
  body: string | Uint8Array | ReadableStream<Uint8Array> | null,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Request {
  return new Request('http://localhost/', { method: 'POST', headers, body, duplex: 'half' })
}

/** A body that comes piece by piece; `pulled` counts the pieces, `cancelled` says whether somebody gave up on it. */
function pieces(
  count: number,
  bytes: number,
): { body: ReadableStream<Uint8Array>; seen: { pulled: number; cancelled: boolean } } {
  const seen = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.pulled === count) {
        controller.close()
        return
      }
      seen.pulled += 1
      controller.enqueue(new Uint8Array(bytes).fill(0x20))
    },
    cancel() {
      seen.cancelled = true
    },
  })
  return { body, seen }
}

async function refusal(request: Request, maxBytes?: number): Promise<{ status: number; code: string; body: object }> {
  const error: unknown = await readJsonBody(request, maxBytes).then(
    () => null,
    (reason: unknown) => reason,
  )
  const { status, body } = problemOf(error, 'r1')
  return { status, code: body.code, body }
}

describe('a body is read', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ;\tcharset="utf-8" ',
  ])('as %s', async (type) => {
    expect(await readJsonBody(post('{"a":["é"]}', { 'Content-Type': type }))).toStrictEqual({ a: ['é'] })
  })

  it('or is none: without a type, and with the right one', async () => {
    expect(await readJsonBody(post(null, {}))).toBeUndefined()
    expect(await readJsonBody(post('', JSON_TYPE))).toBeUndefined()
    expect(await readJsonBody(post(new Uint8Array(), {}))).toBeUndefined()
  })

  it('although a character is split between two chunks', async () => {
    const bytes = Buffer.from('"😀"')
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    expect(await readJsonBody(post(body))).toBe('😀')
  })
})

describe('evidence F15: a body of another media type is refused with 415', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    'application/jsonp',
    'application/json5',
    'application/json-patch+json',
    'application/json/',
    'xapplication/json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json; charset=utf-8; charset=utf-7',
    'application/json; profile=x',
    'application/json; boundary=x; charset=utf-8',
    'application/json;',
    'json',
  ])('%s', async (type) => {
    expect(await refusal(post('{}', { 'Content-Type': type }))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
  })

  it('no type at all', async () => {
    expect(await refusal(post(Buffer.from('{}'), {}))).toMatchObject({ status: 415 })
  })

  it('another type, although the body is empty', async () => {
    expect(await refusal(post('', { 'Content-Type': 'text/plain' }))).toMatchObject({ status: 415 })
  })

  it.each(['gzip', 'br', 'identity', ''])('compressed as "%s"', async (encoding) => {
    expect(await refusal(post('{}', { ...JSON_TYPE, 'Content-Encoding': encoding }))).toMatchObject({ status: 415 })
  })

  it('evidence F17: two types are refused with 400', async () => {
    const request = post('{}', { 'Content-Type': 'application/json, text/plain' })
    expect(await refusal(request)).toMatchObject({ status: 400, code: 'malformed_request' })
  })
})

describe('bytes that are no strict JSON are refused with 400', () => {
  it.each<[string, Uint8Array]>([
    ['evidence F15: a byte that no UTF-8 has', Buffer.from([0x22, 0xff, 0x22])],
    ['evidence F15: an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['evidence F15: an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0x22])],
    ['evidence F15: half a character at the end', Buffer.from([0x22, 0xf0, 0x9f, 0x98])],
    ['evidence F15: UTF-16', Buffer.from('{}', 'utf16le')],
    ['a byte order mark', Buffer.from('\uFEFF{}')],
    ['spaces only', Buffer.from('  ')],
    ['half an object', Buffer.from('{"a":')],
    ['two objects', Buffer.from('{}{}')],
    ['threat T22: a key twice', Buffer.from('{"decision":"reject","decision":"approve"}')],
    ['case C024: an integer that would be rounded', Buffer.from('{"order":9007199254740993}')],
    ['threat T24: __proto__', Buffer.from('{"__proto__":{}}')],
  ])('%s', async (_, bytes) => {
    expect(await refusal(post(bytes))).toMatchObject({ status: 400, code: 'malformed_request' })
  })

  it('says where and which rule, and repeats nothing that was sent', async () => {
    const sent = '{"command":{"amount":1.5,"note":"canary-1"}}'
    const { body } = await refusal(post(sent))
    expect(body).toMatchObject({
      detail: 'The body is not strict JSON.',
      errors: [{ pointer: '/command/amount', code: 'not_integer' }],
    })
    expect(JSON.stringify(body)).not.toContain('1.5')
  })

  it('threat T40: a name that the caller made up is not repeated', async () => {
    const { body } = await refusal(post('{"a":{"canary 4711":{"b":1.5}}}'))
    expect(body).toMatchObject({ errors: [{ pointer: '/a' }] })
    expect(JSON.stringify(body)).not.toContain('canary')
  })

  it('a body that breaks off', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('canary: the connection'))
      },
    })
    const { status, body: problem } = await refusal(post(body))
    expect(status).toBe(400)
    expect(JSON.stringify(problem)).not.toContain('canary')
  })
})

describe('threat T26: the size of a body', () => {
  const sized = (bytes: number): Request => post(`[${' '.repeat(bytes - 2)}]`)

  it('may be the limit and one below', async () => {
    expect(await readJsonBody(sized(limits.requestBytes - 1))).toStrictEqual([])
    expect(await readJsonBody(sized(limits.requestBytes))).toStrictEqual([])
  })

  it('may not be one more', async () => {
    expect(await refusal(sized(limits.requestBytes + 1))).toMatchObject({ status: 413, code: 'payload_too_large' })
  })

  it('is judged by what was announced, before anything is read', async () => {
    const { body, seen } = pieces(1_000, 1_000)
    const request = post(body, { ...JSON_TYPE, 'Content-Length': '1000000' })
    expect(await refusal(request, 10_000)).toMatchObject({ status: 413 })
    // A stream fetches its first piece by itself.
    expect(seen.pulled).toBeLessThanOrEqual(1)
  })

  it('is judged while it is read, whatever was announced, and the rest is not read', async () => {
    const { body, seen } = pieces(1_000, 1_000)
    expect(await refusal(post(body, { ...JSON_TYPE, 'Content-Length': '10' }), 10_000)).toMatchObject({ status: 413 })
    expect(seen.pulled).toBeLessThan(20)
    expect(seen.cancelled).toBe(true)
  })

  it('does not excuse what is in it: a value over a limit is refused with 422 and the name of the limit', async () => {
    const { status, body } = await refusal(post('['.repeat(100)))
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'limit_exceeded', limit: 'jsonDepth' })
  })
})
