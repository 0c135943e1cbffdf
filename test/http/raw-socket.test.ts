// What only a socket can send: repeated headers, lengths in conflict, slow and huge bodies, pipelines, bytes that are no text.
import { beforeEach, describe, expect, it } from 'vitest'
import { limits } from '../../src/effect/limits.ts'
import { finance1, requester } from '../runtime/sessions.ts'
import { AUTHORIZED, openRawServer, preparing, type RawResponse, type RawServer, requestText } from './raw-socket.ts'
import { tokenOf } from './world.ts'

let server: RawServer

beforeEach(async () => {
  server = await openRawServer()
})

const statuses = (responses: readonly RawResponse[]): readonly number[] => responses.map(({ status }) => status)

/** Nothing was stored, and the server still answers. */
async function unharmed(): Promise<void> {
  expect(await server.proposals()).toBe(0)
  const [answer] = await server.exchange(requestText('GET /v1/proposals?limit=1', `${AUTHORIZED}Connection: close\r\n`))
  expect(answer?.status).toBe(200)
}

function codeOf(response: RawResponse | undefined): unknown {
  const body: unknown = JSON.parse(response?.body ?? 'null')
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'code') : null
}

describe('a good request', () => {
  it('prepares, so that what follows fails for what it says', async () => {
    expect(statuses(await server.exchange(preparing(server.world)))).toStrictEqual([201])
    expect(await server.proposals()).toBe(1)
  })

  it('may come byte by byte', async () => {
    const connection = server.open()
    connection.socket.setNoDelay(true)
    for (const byte of Buffer.from(preparing(server.world))) connection.socket.write(Uint8Array.of(byte))
    expect(statuses(await connection.received())).toStrictEqual([201])
  })

  it('may come in chunks', async () => {
    const body = JSON.stringify(server.world.input())
    const chunks = `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)};x=y\r\n${body.slice(5)}\r\n0\r\n\r\n`
    const lines = `${AUTHORIZED}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n`
    expect(statuses(await server.exchange(requestText('POST /v1/proposals', lines, chunks)))).toStrictEqual([201])
  })
})

describe('evidence F17: a header that may be sent once', () => {
  it.each<[string, string]>([
    ['two Idempotency-Keys', 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n'],
    ['one Idempotency-Key twice', 'Idempotency-Key: a\r\nIdempotency-Key: a\r\n'],
    ['one in quotes and one bare', 'Idempotency-Key: "a"\r\nidempotency-key: a\r\n'],
    ['two tokens', 'Authorization: Bearer evil\r\n'],
    ['the same token twice', `Authorization: Bearer ${tokenOf(requester)}\r\n`],
    ['a token and another scheme', 'authorization: Basic dTpw\r\n'],
    ['a token and nothing', 'Authorization:\r\n'],
    ['two media types', 'Content-Type: text/plain\r\n'],
    ['one media type twice', 'content-type: application/json\r\n'],
    ['two revisions', 'If-Match: "0"\r\nIf-Match: "1"\r\n'],
    ['one revision twice', 'If-Match: "0"\r\nIf-Match: "0"\r\n'],
  ])('is refused when sent twice: %s', async (_, lines) => {
    const responses = await server.exchange(preparing(server.world, lines))
    expect(statuses(responses)).toStrictEqual([400])
    expect(codeOf(responses[0])).toBe('malformed_request')
    await unharmed()
  })

  it('is not lost behind many others, so that a precondition is never dropped', async () => {
    const lines = `${'x:\r\n'.repeat(3_000)}If-Match: nonsense\r\n`
    expect(statuses(await server.exchange(preparing(server.world, lines)))).toStrictEqual([400])
    await unharmed()
  })
})

const JSON_LINES = `${AUTHORIZED}Content-Type: application/json\r\n`

/** A second request that hides in the body of the first: it must never be answered. */
const SMUGGLED = requestText('GET /v1/actions', AUTHORIZED)

describe('evidence T26: a length that can be read in two ways is refused by the server, and nothing after it is read', () => {
  it.each<[string, string]>([
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['one length twice', 'Content-Length: 5\r\nContent-Length: 5\r\n'],
    ['two lengths in one line', 'Content-Length: 5, 5\r\n'],
    ['a negative length', 'Content-Length: -5\r\n'],
    ['a length with a sign', 'Content-Length: +5\r\n'],
    ['a length in hexadecimal', 'Content-Length: 0x5\r\n'],
    ['a length beyond all numbers', 'Content-Length: 99999999999999999999999\r\n'],
    ['a length that is none', 'Content-Length: five\r\n'],
    ['an empty length', 'Content-Length:\r\n'],
    ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\n'],
    ['another coding', 'Transfer-Encoding: xchunked\r\n'],
    ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n'],
    ['a name that is folded', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n'],
    ['a bare line feed', 'Content-Length: 5\nTransfer-Encoding: chunked\r\n'],
    ['a bare carriage return', 'X: a\rTransfer-Encoding: chunked\r\n'],
    ['a byte that is zero', 'X: a\0b\r\nContent-Length: 5\r\n'],
    ['a name with a space', 'X Y: a\r\nContent-Length: 5\r\n'],
  ])('%s', async (_, lines) => {
    const responses = await server.exchange(
      requestText('POST /v1/proposals', JSON_LINES + lines, `0\r\n\r\n${SMUGGLED}`),
    )
    expect(statuses(responses)).toStrictEqual([400])
    await unharmed()
  })

  it.each<[string, string]>([
    ['a size that is none', 'x\r\n{}\r\n0\r\n\r\n'],
    ['a size with a sign', '+2\r\n{}\r\n0\r\n\r\n'],
    ['a size with a prefix', '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a size beyond all numbers', 'fffffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than its size', '2\r\n{}{}\r\n0\r\n\r\n'],
    ['a chunk that ends in a bare line feed', '2\r\n{}\n0\r\n\r\n'],
    ['a size that ends in a bare line feed', '2\n{}\r\n0\r\n\r\n'],
  ])('chunks with %s', async (_, chunks) => {
    const lines = `${JSON_LINES}Transfer-Encoding: chunked\r\n`
    const responses = await server.exchange(requestText('POST /v1/proposals', lines, chunks + SMUGGLED))
    expect(statuses(responses)).toStrictEqual([400])
    await unharmed()
  })
})

describe('threat T26: a body that is too large', () => {
  const size = limits.requestBytes + 1

  it('is refused for the length that it announces, before it comes', async () => {
    const connection = server.open()
    connection.socket.write(requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: ${size}\r\n`))
    await connection.begun(1)
    const [response] = await connection.received()
    expect(response?.status).toBe(413)
    expect(codeOf(response)).toBe('payload_too_large')
    await unharmed()
  })

  it('is refused although somebody asked before sending it', async () => {
    const lines = `${JSON_LINES}Expect: 100-continue\r\nContent-Length: ${size}\r\n`
    const responses = await server.exchange(requestText('POST /v1/proposals', lines))
    expect(statuses(responses)).toStrictEqual([100, 413])
    await unharmed()
  })

  it('is refused while it comes, whatever it announced', async () => {
    const connection = server.open()
    connection.socket.write(requestText('POST /v1/proposals', `${JSON_LINES}Transfer-Encoding: chunked\r\n`))
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    for (let sent = 0; sent <= limits.requestBytes; sent += 65_536) connection.socket.write(chunk)
    // The body has not ended, and never will.
    await connection.begun(1)
    const [response] = await connection.received()
    expect(response?.status).toBe(413)
    await unharmed()
  })

  it('does not stand in the way of the next request, if it is sent whole', async () => {
    const body = ' '.repeat(size)
    const first = requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: ${size}\r\n`, body)
    const second = requestText('GET /v1/proposals', `${AUTHORIZED}Connection: close\r\n`)
    const answered = statuses(await server.exchange(first, second))
    // Read to its end or cut off: what follows is answered as what it is, or not at all.
    expect([[413], [413, 200]]).toContainEqual(answered)
    await unharmed()
  })

  it('is a header block of more than 16 KiB too: 431', async () => {
    const lines = `${AUTHORIZED}X-Long: ${'x'.repeat(17_000)}\r\n`
    expect(statuses(await server.exchange(requestText('GET /v1/proposals', lines)))).toStrictEqual([431])
    await unharmed()
  })

  it('and a path of more than that', async () => {
    const responses = await server.exchange(requestText(`GET /v1/proposals/${'x'.repeat(17_000)}`, AUTHORIZED))
    expect(statuses(responses)).toStrictEqual([431])
    await unharmed()
  })
})

describe('threat T26: a request that does not come to its end', () => {
  // Short ones, so that nobody waits for those that are shipped.
  const short = { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 }

  it.each<[string, string]>([
    ['in its first line', 'POST /v1/propo'],
    ['in its headers', `POST /v1/proposals HTTP/1.1\r\n${JSON_LINES}X: `],
    ['before its body', requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: 100\r\n`)],
    ['in its body', requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: 100\r\n`, '{"action":')],
    ['between chunks', requestText('POST /v1/proposals', `${JSON_LINES}Transfer-Encoding: chunked\r\n`, '2\r\n{}\r\n')],
  ])('%s is ended by the server', async (_, bytes) => {
    const slow = await openRawServer({ limits: short })
    const responses = await slow.exchange(bytes)
    expect(statuses(responses)).toStrictEqual([408])
    expect(await slow.proposals()).toBe(0)
  })

  it.each<[string, string]>([
    ['in its headers', `POST /v1/proposals HTTP/1.1\r\n${JSON_LINES}X: `],
    ['before its body', requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: 100\r\n`)],
    ['in its body', requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: 100\r\n`, '{"action":')],
    ['between chunks', requestText('POST /v1/proposals', `${JSON_LINES}Transfer-Encoding: chunked\r\n`, '2\r\n{}\r\n')],
  ])('%s because the caller hangs up stores nothing', async (_, bytes) => {
    const connection = server.open()
    connection.socket.end(bytes)
    const responses = await connection.received()
    expect(responses.filter(({ status }) => status !== 400)).toStrictEqual([])
    await unharmed()
  })

  it('has limits in what is shipped', async () => {
    const { serverLimits } = await import('../../src/http/wire/server-limits.ts')
    expect(serverLimits).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 })
  })
})

describe('a pipeline', () => {
  it('is answered one by one, each with an id of its own', async () => {
    const get = requestText('GET /v1/proposals?limit=1', AUTHORIZED)
    const last = requestText('GET /nowhere', `${AUTHORIZED}Connection: close\r\n`)
    const responses = await server.exchange(get + get + last)
    expect(statuses(responses)).toStrictEqual([200, 200, 404])
    const ids = responses.map(({ head }) => /^x-request-id: (.+)$/im.exec(head)?.[1])
    expect(new Set(ids).size).toBe(3)
  })

  it('threat T27: of the same command with one key prepares one proposal', async () => {
    const input = server.world.input()
    const body = JSON.stringify(input)
    const lines = `${JSON_LINES}Content-Length: ${body.length}\r\nIdempotency-Key: pipeline-1\r\n`
    const one = requestText('POST /v1/proposals', lines, body)
    const last = requestText('POST /v1/proposals', `${lines}Connection: close\r\n`, body)
    const responses = await server.exchange(one + one + last)
    expect(statuses(responses)).toStrictEqual([201, 200, 200])
    expect(await server.proposals()).toBe(1)
  })

  it('ends at the first request that is none', async () => {
    const get = requestText('GET /v1/proposals?limit=1', AUTHORIZED)
    const responses = await server.exchange(`${get}NONSENSE\r\n\r\n${get}`)
    // The server may end the connection before it has answered the first.
    expect([[400], [200, 400]]).toContainEqual(statuses(responses))
  })
})

describe('bytes that are no text', () => {
  it.each<[string, readonly number[]]>([
    ['a byte that no UTF-8 has', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0xbd]],
    ['half a character', [0xf0, 0x9f]],
  ])('evidence F15: %s in a body are refused with 400', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"action":"'), Buffer.from(bytes), Buffer.from('"}')])
    const lines = `${JSON_LINES}Content-Length: ${body.length}\r\nConnection: close\r\n`
    const responses = await server.exchange(requestText('POST /v1/proposals', lines), body)
    expect(statuses(responses)).toStrictEqual([400])
    expect(codeOf(responses[0])).toBe('malformed_request')
    await unharmed()
  })

  it('in an Idempotency-Key too', async () => {
    const text = preparing(server.world, 'Idempotency-Key: caf\u00E9\r\n')
    const responses = await server.exchange(Buffer.from(text, 'latin1'))
    expect(statuses(responses)).toStrictEqual([400])
    await unharmed()
  })

  it('in an X-Request-Id are not sent back', async () => {
    const text = requestText(
      'GET /v1/proposals?limit=1',
      `${AUTHORIZED}X-Request-Id: caf\u00E9\r\nConnection: close\r\n`,
    )
    const [response] = await server.exchange(Buffer.from(text, 'latin1'))
    expect(response?.status).toBe(200)
    expect(response?.head).not.toContain('caf')
  })

  it.each([
    '/v1/proposals/%ff',
    '/v1/proposals/%00',
    '/v1/proposals/%',
    '/v1/proposals/caf\u00E9',
    '/v1/%70roposals/x',
  ])('in a path, as in %s, find nothing', async (path) => {
    const text = requestText(`GET ${path}`, `${AUTHORIZED}Connection: close\r\n`)
    const [response] = await server.exchange(Buffer.from(text, 'latin1'))
    expect([400, 404]).toContain(response?.status)
  })
})

describe('a request line', () => {
  it.each<[string, string, number]>([
    ['of a method that nobody knows', 'BREW /v1/proposals HTTP/1.1', 400],
    ['of the next version', 'PRI * HTTP/2.0', 400],
    ['of a version that is none', 'GET /v1/proposals HTTP/7.3', 400],
    ['of TLS', '\u0016\u0003\u0001', 400],
    ['of TRACE', 'TRACE /v1/proposals HTTP/1.1', 405],
    ['of DELETE', 'DELETE /v1/proposals HTTP/1.1', 405],
    ['of OPTIONS for all', 'OPTIONS * HTTP/1.1', 400],
  ])('%s', async (_, line, status) => {
    const responses = await server.exchange(`${line}\r\n${AUTHORIZED}Connection: close\r\n\r\n`)
    expect(statuses(responses)).toStrictEqual([status])
    await unharmed()
  })

  it.each<[string, string, string, readonly number[]]>([
    ['of the version before', 'GET /v1/proposals HTTP/1.0', '', [200]],
    ['that wants to become another protocol', 'GET /v1/proposals HTTP/1.1', 'Upgrade: websocket\r\n', [200]],
    ['that expects what nobody knows', 'GET /v1/proposals HTTP/1.1', 'Expect: miracles\r\n', [417]],
  ])('%s', async (_, line, more, answered) => {
    const responses = await server.exchange(`${line}\r\n${AUTHORIZED}${more}Connection: close\r\n\r\n`)
    expect(statuses(responses)).toStrictEqual(answered)
  })

  it('without a Host is refused', async () => {
    const lines = AUTHORIZED.replace(/^Host: .*\r\n/, '')
    expect(statuses(await server.exchange(requestText('GET /v1/proposals', lines)))).toStrictEqual([400])
  })

  it.each(['evil.example', 'evil.example:99999', 'a b', 'evil.example/v1/x?', '"', 'evil@x', '[::1'])(
    'threat T35: with the Host %s leads nowhere else',
    async (host) => {
      const lines = AUTHORIZED.replace('Host: localhost', `Host: ${host}`)
      const [response] = await server.exchange(requestText('GET /v1/proposals/none', `${lines}Connection: close\r\n`))
      expect([400, 404]).toContain(response?.status)
      expect(`${response?.head}${response?.body}`).not.toContain('evil')
    },
  )

  it('threat T35: whose path is an address of another host leads nowhere else', async () => {
    const lines = `${AUTHORIZED}Connection: close\r\n`
    const [response] = await server.exchange(requestText('GET http://evil.example/v1/proposals/none', lines))
    expect([400, 404]).toContain(response?.status)
    expect(`${response?.head}${response?.body}`).not.toContain('evil')
  })

  it.each([
    '//evil.example/x',
    '//evil.example/v1/proposals/none',
    '//evil.example/v1/x/y',
    '/..//evil.example/v1/proposals/none',
    '/evil.example/v1/a/b/c/d',
    '/v1//evil.example/x',
    '/v1',
    '/v1/',
    '/v1/a/v1/b',
  ])('threat T35: whose path is %s is answered with a link that leads to a page of ours', async (path) => {
    const [response] = await server.exchange(requestText(`GET ${path}`, `${AUTHORIZED}Connection: close\r\n`))
    expect(response?.status).toBe(404)
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ type: '/problems/unknown_path' })
    const page = requestText('GET /problems/unknown_path', 'Host: localhost\r\nConnection: close\r\n')
    expect(statuses(await server.exchange(page))).toStrictEqual([200])
  })

  it('threat T35: with headers of proxies and of others says nothing about who calls', async () => {
    const spoofed = [
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: https',
      'Forwarded: for=x',
      'X-Real-IP: ::1',
    ]
    const identities = [
      'X-Tenant: globex',
      'X-User: u-director',
      'X-Roles: director',
      'X-Original-URL: /v1/actions',
      'X-HTTP-Method-Override: GET',
      'Cookie: session=x',
    ]
    const more = [...spoofed, ...identities].map((line) => `${line}\r\n`).join('')
    const [response] = await server.exchange(preparing(server.world, more))
    expect(response?.status).toBe(201)
    expect(`${response?.head}${response?.body}`).not.toMatch(/evil|globex|director/)
    const without = requestText('GET /v1/proposals', `Host: localhost\r\n${more}Connection: close\r\n`)
    expect(statuses(await server.exchange(without))).toStrictEqual([401])
  })
})

describe('with the globals of the adapter, which are its default', () => {
  it('the same is refused and taken', async () => {
    const overriding = await openRawServer({ overrideGlobalObjects: true })
    const { world } = overriding
    const status = async (text: string): Promise<readonly number[]> => statuses(await overriding.exchange(text))
    expect(await status(preparing(world))).toStrictEqual([201])
    expect(await status(preparing(world, 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n'))).toStrictEqual([400])
    expect(await status(preparing(world, 'Content-Type: text/plain\r\n'))).toStrictEqual([400])
    expect(await status(preparing(world, 'Content-Encoding: gzip\r\n'))).toStrictEqual([415])
    const { length } = ' '.repeat(limits.requestBytes + 1)
    const huge = requestText('POST /v1/proposals', `${JSON_LINES}Content-Length: ${length}\r\n`)
    expect(await status(huge)).toStrictEqual([413])
  })

  it('an approval names what was seen, or is refused', async () => {
    const overriding = await openRawServer({ overrideGlobalObjects: true })
    const { world } = overriding
    const [prepared] = await overriding.exchange(preparing(world))
    const ref = /^location: (.+)$/im.exec(prepared?.head ?? '')?.[1] ?? ''
    const lines = `Host: localhost\r\nAuthorization: Bearer ${tokenOf(finance1)}\r\nContent-Type: application/json\r\n`
    const approving = (more: string): string =>
      requestText(`POST ${ref}/approve`, `${lines}${more}Content-Length: 2\r\nConnection: close\r\n`, '{}')
    expect(statuses(await overriding.exchange(approving('')))).toStrictEqual([428])
    expect(statuses(await overriding.exchange(approving('If-Match: *\r\n')))).toStrictEqual([400])
  })

  it.each(['/docs', '/docs/start.js', '/problems/not_found', '/healthz', '/v1/proposals', '/nothing'])(
    'GET %s is answered with every header once, so that a page has one policy',
    async (path) => {
      const overriding = await openRawServer({ overrideGlobalObjects: true })
      const asked = requestText(`GET ${path}`, `${AUTHORIZED}Connection: close\r\n`)
      const [answer] = await overriding.exchange(asked)
      const names = (answer?.head ?? '').match(/^[\w-]+(?=:)/gm)?.map((name) => name.toLowerCase()) ?? []
      expect(names).toContain('content-security-policy')
      expect(names).toStrictEqual([...new Set(names)])
    },
  )
})
