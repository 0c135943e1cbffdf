// What is refused for its form, endpoint by endpoint: nothing is looked up, nothing is stored, nobody is told apart.
import { describe, expect, it } from 'vitest'
import { AuthenticationUnavailable, Unauthenticated } from '../../src/http/wire/http-refusals.ts'
import { requester, stranger } from '../runtime/sessions.ts'
import { aboutProposal, examplesFor, withBody } from './every-endpoint.ts'
import { openHttp, type Sending } from './world.ts'

const examples = examplesFor('01J0000000000000000000000A')
const bodies = examples.filter(withBody)

describe.each(examples)('$title', ({ endpoint, method, path, json }) => {
  const sending: Sending = json === undefined ? {} : { json }

  it('asks who is calling before anything else', async () => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(null, method, path, sending)

    expect(answer.status).toBe(401)
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="countersign"')
    expect(answer.json).toMatchObject({ code: 'unauthenticated', status: 401, type: '/problems/unauthenticated' })
  })

  it('tells nobody what is wrong with a request, and not even that the method is', async () => {
    const world = await openHttp({ store: 'memory' })

    const broken = await world.send(null, method, `${path}?x=1`, { headers: { 'If-Match': '*' }, ...sending })
    const other = await world.send(null, 'DELETE', path)

    expect([broken.status, other.status]).toEqual([401, 401])
  })

  it('tells nothing of why credentials are refused', async () => {
    const refusing = (): never => {
      throw new Unauthenticated('refused')
    }
    const world = await openHttp({ store: 'memory', app: { authenticate: refusing } })

    const answer = await world.send(requester, method, path, sending)

    expect(answer.status).toBe(401)
    expect(answer.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
    expect(Object.keys(answer.json).sort()).toEqual(['code', 'instance', 'status', 'title', 'type'])
  })

  it('says when it cannot find out who is calling, and when to ask again', async () => {
    const away = (): never => {
      throw new AuthenticationUnavailable()
    }
    const world = await openHttp({ store: 'memory', app: { authenticate: away } })

    const answer = await world.send(requester, method, path, sending)

    expect(answer.status).toBe(503)
    expect(answer.json).toMatchObject({ code: 'authentication_unavailable' })
    expect(answer.headers.get('Retry-After')).toBe('5')
  })

  it('keeps an authentication that breaks to itself', async () => {
    const errors: unknown[] = []
    const broken = (): never => {
      throw new Error('CANARY in the words of the host')
    }
    const app = { authenticate: broken, onInternalError: (error: unknown) => errors.push(error) }
    const world = await openHttp({ store: 'memory', app })

    const answer = await world.send(requester, method, path, sending)

    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('CANARY')
    expect(answer.json).toMatchObject({ code: 'internal' })
    expect(errors).toMatchObject([{ message: 'CANARY in the words of the host' }])
  })

  it('takes no session of another form for a caller', async () => {
    const world = await openHttp({ store: 'memory', app: { authenticate: () => ({ ...requester, tenant: ' ' }) } })

    expect((await world.send(requester, method, path, sending)).json).toMatchObject({ code: 'internal' })
  })

  it('refuses a parameter that it does not have', async () => {
    const world = await openHttp({ store: 'memory' })

    for (const query of ['tenant=globex', 'principal=user:rita', '__proto__=1', 'constructor=1']) {
      const answer = await world.send(requester, method, `${path}?${query}`, sending)
      expect([query, answer.status]).toEqual([query, 422])
      expect(answer.json).toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '', code: 'unrecognized_keys' }],
      })
      expect(answer.text).not.toContain('globex')
    }
  })

  it.each(['*', 'W/"1"', '"1", "2"', '1', '""x', '"1'])('refuses If-Match: %s', async (tag) => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(requester, method, path, { ...sending, headers: { 'If-Match': tag } })

    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'malformed_request' })
  })

  it('takes a precondition only where there is a revision', async () => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(requester, method, path, { ...sending, headers: { 'If-Match': '"7"' } })

    expect(answer.status === 400).toBe(endpoint.takesIfMatch !== true)
  })

  it('names the methods that its path takes', async () => {
    const world = await openHttp({ store: 'memory' })
    const others = examples.filter((one) => one.endpoint.path === endpoint.path).map((one) => one.method)
    const allow = others.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : ['POST']))

    for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      if (allow.includes(other)) continue
      const answer = await world.send(requester, other, path)
      expect([other, answer.status]).toEqual([other, 405])
      expect(answer.headers.get('Allow')?.split(', ').sort()).toEqual(allow.toSorted())
    }
  })
})

describe.each(bodies)('the body of $title', ({ endpoint, method, path, json }) => {
  const fitting = JSON.stringify(json)

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json-patch+json', 415],
    ['text/json', 415],
    ['application/json, text/plain', 400],
  ])('is not taken as %s', async (type, status) => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(requester, method, path, { text: fitting, headers: { 'Content-Type': type } })

    expect(answer.status).toBe(status)
  })

  it.each([
    ['half of it', '{"a":'],
    ['something behind it', '{} {}'],
    ['a key twice', '{"x":1,"x":2}'],
    ['a prototype', '{"__proto__":{"tenant":"globex"}}'],
    ['a number that no double holds', '{"x":9007199254740993}'],
    ['a fraction', '{"x":0.1}'],
    ['half a character', '{"x":"\\ud800"}'],
    ['a byte order mark', '\uFEFF{}'],
  ])('is no JSON with %s', async (_what, text) => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(requester, method, path, { text })

    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'malformed_request' })
  })

  it('is not longer than allowed', async () => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(requester, method, path, { text: `{"x":"${'x'.repeat(600 * 1_024)}"}` })

    expect(answer.status).toBe(413)
    expect(answer.json).toMatchObject({ code: 'payload_too_large' })
  })

  it('has no field of its own making, and the answer repeats none', async () => {
    const world = await openHttp({ store: 'memory' })
    const strange = ['tenant', 'principal', 'requester', 'status', 'approvals', 'revision', 'ifRevision', 'requestKey']

    for (const name of strange) {
      const given = { ...(json as object), [name]: 'CANARY' }
      const answer = await world.send(requester, method, path, { json: given })
      expect([name, answer.status]).toEqual([name, 422])
      expect(answer.json).toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '', code: 'unrecognized_keys', message: 'has a field that is not known here' }],
      })
      expect(answer.text).not.toContain('CANARY')
    }
  })

  it.each(['null', '[]', '"text"', '7', 'true'])('is an object and not %s', async (text) => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.send(requester, method, path, { text })

    expect(answer.status).toBe(endpoint.needsCommitment === true ? 428 : 422)
  })

  it('may be left out where it needs no field', async () => {
    const world = await openHttp({ store: 'memory' })
    const optional = endpoint.body?.safeParse({}).success === true

    const answer = await world.send(requester, method, path)

    expect([404, 200].includes(answer.status)).toBe(optional)
  })
})

describe('identity', () => {
  it('comes from the credentials and from no other header', async () => {
    const world = await openHttp({ store: 'memory' })
    const { proposal } = await world.prepared()
    const names = [
      'X-Tenant',
      'X-Tenant-Id',
      'X-User',
      'X-User-Id',
      'X-Principal',
      'X-Roles',
      'X-Forwarded-User',
      'X-Forwarded-Email',
      'X-Remote-User',
      'Remote-User',
      'X-Auth-Request-User',
      'X-Original-URL',
      'X-Rewrite-URL',
      'X-HTTP-Method-Override',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Forwarded-For',
      'Forwarded',
      'Host',
      'Cookie',
      'Proxy-Authorization',
    ]
    const headers = Object.fromEntries(names.map((name) => [name, 'tenant=acme; user=rita; roles=operator']))

    const plain = await world.get(stranger, `/v1/proposals/${proposal}`, { 'X-Request-Id': 'same' })
    const forged = await world.get(stranger, `/v1/proposals/${proposal}`, { ...headers, 'X-Request-Id': 'same' })
    const nobody = await world.get(null, `/v1/proposals/${proposal}`, headers)

    expect([forged.status, forged.text]).toEqual([plain.status, plain.text])
    expect([plain.status, nobody.status]).toEqual([404, 401])
  })

  it('is refused where the credentials are sent twice', async () => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.get(null, '/v1/proposals', { Authorization: 'Bearer good, Bearer evil' })

    expect(answer.status).toBe(400)
  })
})

describe('paths', () => {
  it.each(['/v1', '/v1/', '/v1/nothing', '/v1/proposals/', '/v1/proposals/a/b/c/d', '/v1/actions/1'])(
    '%s is nothing, and who is nobody is not even told that',
    async (path) => {
      const world = await openHttp({ store: 'memory' })

      expect((await world.get(null, path)).status).toBe(401)
      const answer = await world.get(requester, path)
      expect(answer.status).toBe(404)
      expect(answer.json['code']).toMatch(/^(?:unknown_path|not_found)$/)
    },
  )

  it.each(['/', '/nothing', '/admin', '/.env', '/docs/../package.json', '/docs/index.html', '/problems/nothing'])(
    '%s is nothing',
    async (path) => {
      const world = await openHttp({ store: 'memory' })

      const answer = await world.get(null, path)

      expect(answer.status).toBe(404)
      expect(answer.json).toMatchObject({ code: 'unknown_path' })
    },
  )
})

describe('references that are none', () => {
  it.each(['%E0%A4%A', '%00', '%2e%2e', '%2F', '%', '%C0%80', 'a%20', '%ED%A0%80', '*', ':ref', '{ref}'])(
    '%s names nothing',
    async (ref) => {
      const world = await openHttp({ store: 'sqlite' })

      const answers = [
        await world.get(requester, `/v1/proposals/${ref}/receipts`),
        await world.post(requester, `/v1/proposals/${ref}/execute`),
      ]

      expect(answers.map(({ status }) => status)).toEqual([404, 404])
    },
  )
})

describe('HEAD', () => {
  it.each(examples.filter((one) => one.method === 'GET' && !aboutProposal(one)))(
    'of $title is a GET without a body',
    async ({ path }) => {
      const world = await openHttp({ store: 'memory' })

      const answer = await world.send(requester, 'HEAD', path)

      expect([answer.status, answer.text]).toEqual([200, ''])
    },
  )
})
