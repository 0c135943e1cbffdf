// The client's methods beside the endpoints: one for each, and nothing that no endpoint has.
import { expect, it } from 'vitest'
import { CountersignClient } from '../../src/client.ts'
import { ENDPOINTS } from '../../src/http/endpoints.ts'

const decision = { commitment: 'c1_x' }

/** A call of every method. */
const CALLS: Readonly<Record<string, (client: CountersignClient) => Promise<unknown>>> = {
  actions: (client) => client.actions(),
  prepare: (client) => client.prepare({ action: 'a.b/c@1', command: {} }),
  list: (client) =>
    client.list({ statuses: ['approved', 'stale'], due: true, needsPerson: true, limit: 7, after: 'x' }),
  read: (client) => client.read('p'),
  approve: (client) => client.approve('p', decision),
  reject: (client) => client.reject('p', decision),
  revokeApproval: (client) => client.revokeApproval('p', 'a'),
  withdraw: (client) => client.withdraw('p'),
  check: (client) => client.check('p'),
  execute: (client) => client.execute('p'),
  reconcile: (client) => client.reconcile('p'),
  resume: (client) => client.resume('p', { reason: 'r' }),
  settle: (client) => client.settle('p', { verdict: 'occurred', reason: 'r', evidenceReference: 'e' }),
  observe: (client) => client.observe({ idempotencyKey: 'k', eventId: 'e' }),
  erase: (client) => client.erase('p', { reason: 'r' }),
  receipts: (client) => client.receipts('p'),
  exportEvidence: (client) => client.exportEvidence('p'),
  events: (client) => client.events({ after: '0', limit: 9 }),
}

it('every endpoint has its method, and every method its endpoint', async () => {
  const seen: string[] = []
  const fetch = async ({ method, url }: Request): Promise<Response> => {
    seen.push(`${method} ${new URL(url).pathname}`)
    return new Response('', { status: 404 })
  }
  const client = new CountersignClient({ url: 'https://a.test', token: 'a-token', fetch })

  for (const call of Object.values(CALLS)) await call(client).catch(() => {})

  const paths = ENDPOINTS.map(({ method, path }) => {
    return `${method.toUpperCase()} ${path.replace(':ref', 'p').replace(':id', 'a')}`
  })
  expect(seen.toSorted()).toEqual(paths.toSorted())
  const methods = Object.getOwnPropertyNames(CountersignClient.prototype).filter((name) => name !== 'constructor')
  expect(Object.keys(CALLS).toSorted()).toEqual(methods.toSorted())
})

it('a list is asked for with the names of the API', async () => {
  let asked = ''
  const fetch = async ({ url }: Request): Promise<Response> => {
    asked = new URL(url).search
    return new Response('', { status: 404 })
  }
  const client = new CountersignClient({ url: 'https://a.test', token: 'a-token', fetch })

  await CALLS['list']?.(client).catch(() => {})

  expect([...new URLSearchParams(asked)].map((entry) => entry.join('='))).toEqual(
    'status=approved status=stale limit=7 due=true needsPerson=true cursor=x'.split(' '),
  )
})
