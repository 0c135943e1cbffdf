// Answers that are none: redirects, other media types, truncated and altered bodies, and servers that ask to wait.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AnswerLost, CountersignClient, MalformedAnswer, StoreUnavailable, Unreachable } from '../../src/client.ts'
import { refused } from '../runtime/harness.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PROBLEM_TYPE = { 'Content-Type': 'application/problem+json' }
const SECRET = 'sesame-secret'

const RESULT = {
  outcome: 'approved',
  reason: null,
  proposal: 'p-1',
  status: 'approved',
  revision: 1,
  commitment: 'c1_x',
  nextStep: 'execute',
  waitUntil: null,
  evidence: null,
  attention: [],
  replacedBy: null,
  supersededBy: null,
  result: null,
}

interface Canned {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Server {
  readonly url: string
  readonly seen: IncomingMessage[]
}

/** A server that answers one thing after another, and the last one from then on. */
async function serving(...answers: readonly Canned[]): Promise<Server> {
  const seen: IncomingMessage[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    seen.push(request)
    const canned = answers[Math.min(seen.length, answers.length) - 1]
    request.resume().on('end', () => {
      response.writeHead(canned?.status ?? 500, canned?.headers).end(canned?.body)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** An address of loopback at which nothing listens any more. */
async function nowhere(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return `http://127.0.0.1:${port}`
}

function clientOf({ url }: Server): { readonly client: CountersignClient; readonly waits: number[] } {
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  return { waits, client: new CountersignClient({ url, token: SECRET, wait }) }
}

const approve = async (client: CountersignClient): Promise<unknown> => client.approve('p-1', { commitment: 'c1_x' })

describe('an answer that is none', () => {
  it.each([301, 302, 303, 307, 308])(
    'a redirect with %i is refused, and its target gets no request',
    async (status) => {
      const target = await serving({ status: 200, headers: JSON_TYPE, body: JSON.stringify(RESULT) })
      const server = await serving({
        status,
        headers: { Location: `${target.url}/v1/proposals/p-1/approve` },
        body: '',
      })

      const error = await refused(approve(clientOf(server).client))

      expect(error).toBeInstanceOf(MalformedAnswer)
      expect(error).toMatchObject({ code: 'malformed_answer', status })
      expect(server.seen).toHaveLength(1)
      expect(target.seen).toHaveLength(0)
    },
  )

  it.each([
    ['a page where there is nothing', { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<p>nothing' }],
    ['JSON of a refusal that is no problem', { status: 403, headers: JSON_TYPE, body: '{"code":"not_permitted"}' }],
    ['a problem of another API', { status: 400, headers: PROBLEM_TYPE, body: '{"code":"too_many_cooks"}' }],
    ['a problem without its members', { status: 412, headers: PROBLEM_TYPE, body: '{"code":"revision_mismatch"}' }],
    ['a problem that is a list', { status: 400, headers: PROBLEM_TYPE, body: '[]' }],
    [
      'a result without a field',
      { status: 200, headers: JSON_TYPE, body: JSON.stringify({ ...RESULT, status: undefined }) },
    ],
    [
      'an outcome that nobody knows',
      { status: 200, headers: JSON_TYPE, body: JSON.stringify({ ...RESULT, outcome: SECRET }) },
    ],
    ['null', { status: 200, headers: JSON_TYPE, body: 'null' }],
  ])('%s is refused at once', async (_, canned) => {
    const server = await serving(canned)

    const error = await refused(approve(clientOf(server).client))

    expect(error).toBeInstanceOf(MalformedAnswer)
    expect(error.message).not.toContain(SECRET)
    expect(server.seen).toHaveLength(1)
  })

  it.each([
    ['truncated JSON', { status: 200, headers: JSON_TYPE, body: '{"outcome":"appr' }],
    ['no JSON', { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'ok' }],
    ['no body', { status: 204, headers: {}, body: '' }],
    ['a gateway that lost its server', { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<p>bad' }],
    ['a gateway that did not wait', { status: 504, headers: {}, body: '' }],
    ['a request that took too long', { status: 408, headers: {}, body: '' }],
  ])('%s is an answer that is lost: what may be repeated is', async (_, canned) => {
    const good = { status: 200, headers: JSON_TYPE, body: JSON.stringify(RESULT) }
    const once = await serving(canned, good)
    const always = await serving(canned)

    expect(await approve(clientOf(once).client)).toEqual(RESULT)
    expect(once.seen).toHaveLength(2)
    expect(await refused(approve(clientOf(always).client))).toBeInstanceOf(AnswerLost)
    expect(await refused(clientOf(always).client.read('p-1'))).toBeInstanceOf(Unreachable)
    expect(always.seen).toHaveLength(8)
  })

  it('a field that a newer server added is let through', async () => {
    const body = JSON.stringify({ ...RESULT, weather: 'fair' })
    const server = await serving({ status: 200, headers: JSON_TYPE, body })

    expect(await approve(clientOf(server).client)).toMatchObject({ outcome: 'approved', weather: 'fair' })
  })

  it('an outcome that is a conflict is a value', async () => {
    const body = JSON.stringify({ ...RESULT, outcome: 'blocked', reason: 'resolve_failed' })
    const server = await serving({ status: 409, headers: JSON_TYPE, body })

    expect(await clientOf(server).client.execute('p-1')).toMatchObject({ outcome: 'blocked', reason: 'resolve_failed' })
  })
})

describe('a server that asks to wait', () => {
  const unavailable = (retryAfter?: string): Canned => ({
    status: 503,
    headers: { ...PROBLEM_TYPE, ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }) },
    body: JSON.stringify({ code: 'store_unavailable', title: 't', status: 503 }),
  })
  const good = { status: 200, headers: JSON_TYPE, body: JSON.stringify(RESULT) }

  it.each([
    ['2', [2_000]],
    ['0', [0]],
    ['10', [10_000]],
    [undefined, [200]],
    ['Wed, 21 Oct 2099 07:28:00 GMT', [200]],
    ['-1', [200]],
    ['1.5', [200]],
  ] as const)('Retry-After %s is waited for so many milliseconds: %j', async (retryAfter, expected) => {
    const server = await serving(unavailable(retryAfter), good)
    const { client, waits } = clientOf(server)

    await approve(client)

    expect(waits).toEqual(expected)
  })

  it.each(['11', '3600', '999999'])('Retry-After %s is too long: the refusal is told at once', async (retryAfter) => {
    const server = await serving(unavailable(retryAfter), good)
    const { client, waits } = clientOf(server)

    expect(await refused(approve(client))).toBeInstanceOf(StoreUnavailable)
    expect(waits).toEqual([])
  })

  it('an execution is not sent again, whatever the server asks', async () => {
    const server = await serving(unavailable('1'), good)

    expect(await refused(clientOf(server).client.execute('p-1'))).toBeInstanceOf(StoreUnavailable)
    expect(server.seen).toHaveLength(1)
  })

  it('what may have been stored by an earlier request is not called refused by a later one', async () => {
    const lost = { status: 502, headers: {}, body: '' }
    const server = await serving(lost, unavailable('1'))

    expect(await refused(approve(clientOf(server).client))).toMatchObject({
      code: 'answer_lost',
      cause: { code: 'store_unavailable' },
    })
  })
})

describe('a server that is not there', () => {
  it('has done nothing, also an execution is tried again', async () => {
    const waits: number[] = []
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms)
    }
    const client = new CountersignClient({ url: await nowhere(), token: SECRET, wait, repeats: 2 })

    const error = await refused(client.execute('p-1'))

    expect(error).toBeInstanceOf(Unreachable)
    expect(waits).toEqual([200, 400])
    expect(JSON.stringify(error) + error.message + (error.stack ?? '')).not.toContain(SECRET)
  })
})

describe('a server that never answers', () => {
  const silent = async ({ signal }: Request): Promise<Response> => {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('timed out', { cause: signal.reason })))
    })
  }
  const options = { url: 'https://countersign.test', token: SECRET, fetch: silent, repeats: 0 }

  it('is waited for as long as the options say, an execution and a reconciliation by a limit of their own', async () => {
    const quick = new CountersignClient({ ...options, timeoutMs: 1 })
    const executing = new CountersignClient({ ...options, timeoutMs: 1, executeTimeoutMs: 2 })

    expect(await refused(quick.read('p-1'))).toBeInstanceOf(Unreachable)
    expect(await refused(approve(quick))).toBeInstanceOf(AnswerLost)
    expect(await refused(executing.reconcile('p-1'))).toBeInstanceOf(AnswerLost)
    expect(await refused(executing.execute('p-1'))).toMatchObject({ code: 'answer_lost', latest: null })
  })
})

describe('the caller', () => {
  it('may stop waiting, with a reason of its own', async () => {
    const stop = new AbortController()
    const fetch = async (request: Request): Promise<Response> => {
      stop.abort(new Error('enough'))
      request.signal.throwIfAborted()
      throw new Error('never')
    }
    const client = new CountersignClient({ url: 'https://countersign.test', token: SECRET, fetch })

    await expect(client.read('p-1', {}, { signal: stop.signal })).rejects.toThrow('enough')
  })

  it.each(['', '.', '..', ' p', 'p\n', 'x'.repeat(300), '\uD800'])(
    'sends nothing for %j, which names no proposal',
    async (ref) => {
      const server = await serving({ status: 200, headers: JSON_TYPE, body: JSON.stringify(RESULT) })
      const { client } = clientOf(server)

      expect(await refused(client.approve(ref, { commitment: 'c1_x' }))).toMatchObject({ code: 'not_found' })
      expect(server.seen).toHaveLength(0)
    },
  )

  it('a reference cannot leave its place in the path', async () => {
    const server = await serving({ status: 200, headers: JSON_TYPE, body: JSON.stringify(RESULT) })

    await clientOf(server).client.withdraw('../x?y#z%2e')

    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/proposals/..%2Fx%3Fy%23z%252e/withdraw'])
  })
})
