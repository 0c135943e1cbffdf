// The document: valid OpenAPI 3.1, the routes and nothing but the routes, every code, the same wherever the app is mounted.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { OUTCOMES } from '../../src/proposal/codes.ts'
import { createApp, prometheusMeters } from '../../src/http.ts'
import { ENDPOINTS } from '../../src/http/endpoints.ts'
import { PROBLEMS } from '../../src/http/wire/http-refusals.ts'
import { unsound } from '../runtime/harness.ts'
import { finance1, requester } from '../runtime/sessions.ts'
import { validated } from './validated-app.ts'
import { authenticate, type HttpWorld, openHttp, received, tokenOf } from './world.ts'

type Part = Readonly<Record<string, unknown>>
type Paths = Readonly<Record<string, Readonly<Record<string, Part>>>>

async function documented(): Promise<{ readonly world: HttpWorld; readonly document: Part; readonly paths: Paths }> {
  const world = await openHttp({ store: 'memory', app: { meters: prometheusMeters() } })
  const document = (await world.get(null, '/openapi.json')).json
  return { world, document, paths: document['paths'] as Paths }
}

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { document } = await documented()

    const answer = await new Validator().validate(structuredClone(document))

    expect(answer.errors ?? []).toEqual([])
    expect([answer.valid, document['openapi']]).toEqual([true, '3.1.0'])
  })

  it('has every route of the app, and no other', async () => {
    const { world, paths } = await documented()
    const routes = world.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)

    const described = Object.entries(paths).flatMap(([path, operations]) => {
      return Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
    })

    expect(described.toSorted()).toEqual([...new Set(routes)].toSorted())
    expect(described.length).toBe(ENDPOINTS.length + 7)
  })

  it('answers each operation that it describes, and refuses every other method', async () => {
    const { world, paths } = await documented()

    for (const [path, operations] of Object.entries(paths)) {
      for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
        const at = path.replaceAll(/\{\w+\}/g, 'x')
        const { status } = await world.send(requester, method.toUpperCase(), at)
        expect([method, path, status === 405]).toEqual([method, path, !Object.hasOwn(operations, method)])
      }
    }
  })

  it('names each operation once, with a verb', async () => {
    const { paths } = await documented()
    const names = Object.values(paths).flatMap((one) =>
      Object.values(one).map(({ operationId }) => String(operationId)),
    )
    const verbs =
      /^(?:list|prepare|read|approve|reject|revoke|withdraw|check|execute|reconcile|resume|settle|observe|erase|export|show|explain|load)[A-Z]\w+$/

    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !verbs.test(name))).toEqual([])
  })

  it('has every code that an answer can have', async () => {
    const { paths } = await documented()
    const enums = [...JSON.stringify(paths).matchAll(/"enum":\[([^\]]*)\]/g)].flatMap(([, list = '']) => {
      return JSON.parse(`[${list}]`) as string[]
    })
    // What does not exist belongs to no operation, and guarded calls are not made over HTTP.
    const outside = new Set(['method_not_allowed', 'effect_kind_conflict'])
    const known = new Set(enums)

    expect(Object.keys(PROBLEMS).filter((code) => !known.has(code) && !outside.has(code))).toEqual([])
    expect(Object.keys(OUTCOMES).filter((code) => !known.has(code) && code !== 'checked')).toEqual([])
  })

  it('asks for credentials wherever there is something to tell, and nowhere else', async () => {
    const { document, paths } = await documented()
    const open = Object.entries(paths).filter(([, operations]) => {
      return Object.values(operations).some(({ security }) => JSON.stringify(security) === '[]')
    })

    expect(document['security']).toEqual([{ bearer: [] }])
    expect(open.map(([path]) => path).filter((path) => path.startsWith('/v1'))).toEqual([])
    expect(open).toHaveLength(7)
  })

  it('leads nowhere outside', async () => {
    const { document } = await documented()

    expect(JSON.stringify(document)).not.toMatch(/https?:\/\//)
  })
})

describe('mounted below a path', () => {
  it('answers as it does at the root, and says where it is', async () => {
    const world = await openHttp({ store: 'memory' })
    const host = new Hono()
    host.get('/', (context) => context.text('the host'))
    host.route('/money/approvals', createApp({ runtime: world.runtime, authenticate }))
    const fetch = validated(host, '/money/approvals')
    const send = async (method: string, path: string, json?: unknown) => {
      const headers = { Authorization: `Bearer ${tokenOf(requester)}`, 'Content-Type': 'application/json' }
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      return received(
        await fetch(new Request(`http://countersign.test/money/approvals${path}`, { method, headers, ...body })),
      )
    }

    const prepared = await send('POST', '/v1/proposals', world.input())
    const location = prepared.headers.get('Location') ?? ''
    const page = await send('GET', '/v1/proposals?limit=1')
    const nothing = await send('GET', '/v1/nothing')
    const missing = await send('GET', '/v1/proposals/unknown')
    const wrong = await send('PUT', '/v1/proposals')

    expect(location).toBe(`/money/approvals/v1/proposals/${String(prepared.json['proposal'])}`)
    expect((await send('GET', location.slice('/money/approvals'.length))).status).toBe(200)
    expect(page.headers.get('Link')).toMatch(/^<\/money\/approvals\/v1\/proposals\?limit=1&cursor=/)
    expect([nothing.status, missing.status, wrong.status]).toEqual([404, 404, 405])
    expect(missing.json['type']).toBe('/money/approvals/problems/not_found')
    expect((await send('GET', '/problems/not_found')).text).toContain('not_found')
    expect((await send('GET', '/openapi.json')).json['servers']).toEqual([{ url: '/money/approvals' }])
    expect((await send('GET', '/docs')).text).toContain('src="/money/approvals/docs/swagger-ui-bundle.js"')
    expect((await send('GET', '/docs/start.js')).text).toContain('"/money/approvals/openapi.json"')
    expect(await (await host.request('/')).text()).toBe('the host')
  })

  it('keeps its errors in their frame, and the host its own', async () => {
    const world = await openHttp({ store: 'memory' })
    const host = new Hono()
    host.onError((_error, context) => context.text('the host’s own', 500))
    const breaking = (): never => {
      throw unsound<Error>('not even an error')
    }
    host.route('/below', createApp({ runtime: world.runtime, authenticate: breaking }))

    const answer = await received(await host.request('/below/v1/proposals'))

    expect([answer.status, answer.json['code']]).toEqual([500, 'internal'])
    expect(answer.headers.get('X-Request-Id')).toMatch(/^\S+$/)
  })
})

describe('the page of the documentation', () => {
  it('loads its own files and nothing else, and runs no inline script', async () => {
    const { world } = await documented()

    const page = await world.get(null, '/docs')
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, at = '']) => at)

    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(loaded).toEqual([
      '/docs/favicon-32x32.png',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/start.js',
    ])
    for (const at of loaded) expect([at, (await world.get(null, at)).status]).toEqual([at, 200])
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=|https?:/)
    const policy = page.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*|,/)
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    expect((await world.get(null, '/docs/start.js')).text).not.toMatch(/https?:/)
  })

  it.each(['package.json', 'index.html', '..%2Fpackage.json', 'swagger-ui.css.map', '__proto__', 'constructor'])(
    'serves no %s',
    async (name) => {
      const { world } = await documented()

      expect((await world.get(null, `/docs/${name}`)).status).toBe(404)
    },
  )
})

describe('the page of a problem', () => {
  it.each(Object.keys(PROBLEMS))('%s is explained where its type leads', async (code) => {
    const world = await openHttp({ store: 'memory' })

    const page = await world.get(null, `/problems/${code}`)

    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toContain(`<code>${code}</code>`)
    // One policy: of two, joined, a browser would obey both, and the page would have no style.
    expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none';[^,]* style-src 'sha256-[^,]*$/)
  })
})

describe('the registered actions', () => {
  it('are told with schemas that their own commands fit', async () => {
    const world = await openHttp({ store: 'memory' })

    const { json } = await world.get(finance1, '/v1/actions')

    expect(json).toMatchObject({
      items: [
        {
          action: 'example.payments/refund@1',
          schemas: { command: { type: 'object', additionalProperties: false } },
          policy: { kind: 'rules' },
          permitted: ['decide', 'read', 'list', 'check'],
        },
      ],
    })
  })
})
