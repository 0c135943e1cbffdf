// What a client is made with: addresses that credentials may be sent to, tokens that are tokens, and whole numbers.
import { describe, expect, it } from 'vitest'
import { type ClientOptions, CountersignClient } from '../../src/client.ts'

const SECRET = 'sesame-secret'

/** Where a request of a client goes, and with which headers. */
async function sentBy(options: Partial<ClientOptions>): Promise<Request> {
  let sent: Request | null = null
  const fetch = async (request: Request): Promise<Response> => {
    sent = request
    return Response.json({ items: [] })
  }
  await new CountersignClient({ url: 'https://a.test', token: SECRET, fetch, ...options }).actions()
  if (sent === null) throw new Error('nothing was sent')
  return sent
}

describe('the address', () => {
  it.each([
    ['https://a.test', 'https://a.test/v1/actions'],
    ['https://a.test/', 'https://a.test/v1/actions'],
    ['https://a.test:8443/approvals//', 'https://a.test:8443/approvals/v1/actions'],
    ['http://localhost:4000', 'http://localhost:4000/v1/actions'],
    ['http://127.0.0.1:4000/x', 'http://127.0.0.1:4000/x/v1/actions'],
    ['http://[::1]:4000', 'http://[::1]:4000/v1/actions'],
  ])('%s leads to %s', async (url, expected) => {
    expect((await sentBy({ url })).url).toBe(expected)
  })

  it.each([
    '',
    'a.test',
    '/v1',
    'ftp://a.test',
    'javascript:alert(1)',
    `https://user:${SECRET}@a.test`,
    `https://${SECRET}@a.test`,
    'https://a.test?x=1',
    'https://a.test?',
    'https://a.test/#x',
    'http://a.test',
    'http://localhost.a.test',
    'http://127.0.0.1.a.test',
    'http://10.0.0.1',
  ])('%s is refused without being repeated', (url) => {
    const make = (): CountersignClient => new CountersignClient({ url, token: SECRET })

    expect(make).toThrow(/^The address of the server must /)
    expect(make).not.toThrow(SECRET)
  })

  it('may be plain http to another machine where somebody says so', async () => {
    expect((await sentBy({ url: 'http://a.test', allowPlainHttp: true })).url).toBe('http://a.test/v1/actions')
  })
})

describe('the token', () => {
  it('is sent as a bearer, got anew for every request', async () => {
    let asked = 0
    const token = async (): Promise<string> => {
      asked += 1
      return `token-${asked}`
    }
    const seen: (string | null)[] = []
    const fetch = async ({ headers }: Request): Promise<Response> => {
      seen.push(headers.get('Authorization'))
      return Response.json({ items: [] })
    }
    const client = new CountersignClient({ url: 'https://a.test', token, fetch })

    await client.actions()
    await client.actions()

    expect(seen).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it.each(['two words', 'line\nbreak', 'umläut', ''])('%j is refused before anything is sent', async (token) => {
    await expect(sentBy({ token: () => token })).rejects.toThrow(TypeError)
  })
})

describe('figures', () => {
  it.each([
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { executeTimeoutMs: 1.5 },
    { repeats: -1 },
    { waitMaxMs: Number.POSITIVE_INFINITY },
  ])('%j is refused', (options) => {
    expect(() => new CountersignClient({ url: 'https://a.test', token: SECRET, ...options })).toThrow(
      `The option ${Object.keys(options)[0] ?? ''} must be a whole number`,
    )
  })
})

describe('what is sent', () => {
  it('a preparation has a key of its own each time, quoted, or the one that was given', async () => {
    const keys: (string | null)[] = []
    const fetch = async ({ headers }: Request): Promise<Response> => {
      keys.push(headers.get('Idempotency-Key'))
      return new Response('{}', { status: 422, headers: { 'Content-Type': 'text/plain' } })
    }
    const client = new CountersignClient({ url: 'https://a.test', token: SECRET, fetch })
    const input = { action: 'example.payments/refund@1', command: {} }

    for (const more of [{}, {}, { requestKey: 'order-"7"\\8' }]) {
      await client.prepare({ ...input, ...more }).catch(() => {})
    }

    expect(keys[0]).toMatch(/^"[0-9a-f]{32}"$/)
    expect(keys[1]).not.toBe(keys[0])
    expect(keys[2]).toBe('"order-\\"7\\"\\\\8"')
  })

  it.each(['', 'two words', 'a,b', 'ключ', 'x'.repeat(256), 'line\nbreak'])(
    'a key %j is refused before',
    async (requestKey) => {
      const client = new CountersignClient({
        url: 'https://a.test',
        token: SECRET,
        fetch: async () => Response.error(),
      })

      const preparing = client.prepare({ action: 'example.payments/refund@1', command: {}, requestKey })

      await expect(preparing).rejects.toMatchObject({ code: 'malformed_reference', path: '/requestKey' })
    },
  )

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'a command with %s is refused: JSON would make null of it',
    async (limit) => {
      const client = new CountersignClient({
        url: 'https://a.test',
        token: SECRET,
        fetch: async () => Response.error(),
      })

      const preparing = client.prepare({ action: 'example.payments/refund@1', command: { deep: [{ limit }] } })

      await expect(preparing).rejects.toThrow(TypeError)
    },
  )
})
