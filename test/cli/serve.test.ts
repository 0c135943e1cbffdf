// What `serve` offers with nothing but its name: the line for scripts, the files beside the database, the rights of each token.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { allowedFields } from '../../src/cli/serve/log.ts'
import { errorFields } from '../../src/http/wire/error-fields.ts'
import { countersign, folder } from './run-countersign.ts'
import {
  type Answer,
  approvedRefund,
  control,
  fault,
  refundOf,
  resultIn,
  type ServeUnderTest,
  spawnServe,
  startServe,
  whenDue,
} from './served.ts'

const names = ['requester', 'agent', 'finance1', 'finance2', 'director', 'operator', 'reader'] as const
type Name = (typeof names)[number]

describe('serve', () => {
  it('prints one line of JSON that says all that a script needs', async () => {
    const server = await startServe({ cwd: folder() })

    expect(Object.keys(JSON.parse(server.line) as object)).toEqual(['url', 'inbox', 'provider', 'actions', 'tokens'])
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.provider).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.actions).toEqual(['example.payments/refund@1', 'example.payables/invoice-payment@1'])
    expect(Object.keys(server.tokens)).toEqual(names)
    expect(new Set(Object.values(server.tokens)).size).toBe(names.length)
  })

  it('makes what it needs beside the database, under its name, the keys for its owner alone', async () => {
    const cwd = folder()
    const server = await startServe({ cwd, args: ['--db', 'work.db'] })
    server.child.kill('SIGTERM')
    await server.ended

    expect(readdirSync(cwd).toSorted()).toEqual(['work.db', 'work.db.business', 'work.db.keys', 'work.db.witness'])
    expect(statSync(join(cwd, 'work.db.keys')).mode & 0o777).toBe(0o600)
  })

  it('names every file, and prints three commands that really prepare, approve and execute', async () => {
    const cwd = folder()
    const { lines, stop } = await startForPerson(cwd)
    const commands = lines.filter((line) => line.includes('curl '))

    const { stdout } = await promisify(execFile)('sh', ['-c', commands.join('\necho\n')])
    await stop()

    expect(lines.join('\n')).toContain('countersign.db.keys')
    expect(lines.join('\n')).toContain('countersign.db.business')
    expect(commands).toHaveLength(3)
    const answers = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => resultIn({ body: JSON.parse(line) }))
    expect(answers.map(({ status }) => status)).toEqual(['awaiting_approval', 'approved', 'verification_pending'])
    expect(new Set(answers.map(({ proposal }) => proposal)).size).toBe(1)
  })

  it('has the same tokens again after a restart, and knows what was proposed', async () => {
    const cwd = folder()
    const first = await startServe({ cwd })
    const ref = await approvedRefund(first)
    first.child.kill('SIGTERM')
    await first.ended

    const second = await startServe({ cwd })

    expect(second.tokens).toEqual(first.tokens)
    expect((await second.ask(`/v1/proposals/${ref}`, 'finance1')).body).toMatchObject({ status: 'approved' })
  })

  it('serves with the keys of the environment, and makes no key file then', async () => {
    const cwd = folder()
    await countersign(['keys', 'new', 'elsewhere'], { cwd })
    const COUNTERSIGN_KEYS = readFileSync(join(cwd, 'elsewhere'), 'utf8')

    const server = await startServe({ cwd, env: { COUNTERSIGN_KEYS } })

    expect((await server.ask('/v1/proposals', 'agent', refundOf())).status).toBe(201)
    expect(readdirSync(cwd)).not.toContain('countersign.db.keys')
  })

  it('does not take fresh keys for a database whose keys are lost, and leaves none behind', async () => {
    const cwd = folder()
    const server = await startServe({ cwd })
    server.child.kill('SIGTERM')
    await server.ended
    rmSync(join(cwd, 'countersign.db.keys'))

    const run = await countersign(['serve', '--port', '0'], { cwd, env: { LOG_LEVEL: 'silent' } })

    expect(run).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'countersign: The key file countersign.db.keys is missing, and the database countersign.db has been used with its keys.\n',
    })
    expect(readdirSync(cwd)).not.toContain('countersign.db.keys')
  })

  it('says without a token how it is, what it offers and what it counts', async () => {
    const server = await startServe({ cwd: folder() })
    await server.ask('/v1/proposals', 'agent', refundOf())

    const answers = await Promise.all(
      ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'].map(async (path) => fetch(`${server.url}${path}`)),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await answers[2]?.text()).toContain('countersign_proposals_open 1')
  })

  it('is not ready once its database file is gone, and acknowledges nothing', async () => {
    const cwd = folder()
    const server = await startServe({ cwd })
    rmSync(join(cwd, 'countersign.db'))

    const ready = await fetch(`${server.url}/readyz`)
    const prepared = await server.ask('/v1/proposals', 'agent', refundOf())

    expect([ready.status, ready.headers.get('Retry-After'), prepared.status]).toEqual([503, '5', 503])
    expect(prepared.body).toMatchObject({ code: 'store_unavailable' })
  })

  it('writes its log to standard error, without a token, an amount or an order', async () => {
    const server = await startServe({ cwd: folder() })
    const ref = await approvedRefund(server)
    await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})
    await fetch(`${server.url}/v1/proposals?subject=ORD-1001`, {
      headers: { authorization: 'Bearer secret-of-somebody' },
    })
    server.child.kill('SIGTERM')
    await server.ended

    const lines = server
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['listening', 'request', 'stopping', 'stopped']))
    // Of what the clock says any digits may come.
    const said = JSON.stringify(lines.map(({ time: _time, durationMs: _duration, ...rest }) => rest))
    for (const secret of [...Object.values(server.tokens), 'secret-of-somebody', 'ORD-1001', '10.00', 'damaged']) {
      expect(said).not.toContain(secret)
    }
  })
})

it('the log leaves out every field that is not on its list, whoever hands it in', () => {
  expect(allowedFields({ status: 200, requestId: 'r-1', authorization: 'Bearer x', amount: '10.00' })).toEqual({
    status: 200,
    requestId: 'r-1',
  })
})

it('the log says of an error all that may be said of one, so that a fault can be found', () => {
  const fields = errorFields(new TypeError('private', { cause: new RangeError('private') }))

  expect(fields).toMatchObject({ error: 'TypeError', cause: 'RangeError' })
  expect(fields['at']).toContain('serve.test')
  expect(allowedFields(fields)).toEqual(fields)
})

describe('the example', () => {
  it('has a refund approved by one finance manager, and from 50.00 EUR on by a second one', async () => {
    const server = await startServe({ cwd: folder() })
    const below = await server.ask('/v1/proposals', 'requester', refundOf({ amount: '49.99' }))
    const from = await server.ask(
      '/v1/proposals',
      'requester',
      refundOf({ orderReference: 'ORD-1002', amount: '50.00' }),
    )

    expect(await decisions(server, below, ['finance1'])).toEqual(['approved'])
    expect(await decisions(server, from, ['finance1', 'finance1', 'director', 'finance2'])).toEqual([
      'approval_pending',
      'replayed',
      'approval_pending',
      'approved',
    ])
  })

  it('has an invoice released by two finance managers, and from 10,000.00 EUR on by a director too', async () => {
    const server = await startServe({ cwd: folder() })
    const action = 'example.payables/invoice-payment@1'
    const small = await server.ask('/v1/proposals', 'requester', { action, command: { invoiceReference: 'INV-2050' } })
    const large = await server.ask('/v1/proposals', 'agent', { action, command: { invoiceReference: 'INV-2051' } })

    expect(await decisions(server, small, ['finance1', 'finance2'])).toEqual(['approval_pending', 'approved'])
    expect(await decisions(server, large, ['finance1', 'finance2', 'director'])).toEqual([
      'approval_pending',
      'approval_pending',
      'approved',
    ])
  })

  it('refuses a command about an order or invoice that there is not', async () => {
    const server = await startServe({ cwd: folder() })

    const order = await server.ask('/v1/proposals', 'agent', refundOf({ orderReference: 'ORD-1101' }))
    const invoice = await server.ask('/v1/proposals', 'agent', {
      action: 'example.payables/invoice-payment@1',
      command: { invoiceReference: 'INV-2101' },
    })

    expect([order.status, order.body]).toMatchObject([422, { code: 'preparation_refused', reason: 'unknown_order' }])
    expect([invoice.status, invoice.body]).toMatchObject([
      422,
      { code: 'preparation_refused', reason: 'unknown_invoice' },
    ])
  })

  it('names one effect by order and intent: the same again is answered by the first, another intent is another refund', async () => {
    const server = await startServe({ cwd: folder() })
    const first = await approvedRefund(server)
    await verified(server, first)

    const same = await server.ask('/v1/proposals', 'requester', refundOf())
    const other = await server.ask('/v1/proposals', 'requester', refundOf({ intent: 'late delivery' }))

    expect([same.status, same.body]).toMatchObject([200, { outcome: 'replayed', proposal: first }])
    expect([other.status, other.body]).toMatchObject([201, { outcome: 'prepared' }])
  })

  it('blocks a refund while another one of the same order is in doubt', async () => {
    const server = await startServe({ cwd: folder() })
    const first = await approvedRefund(server)
    const second = await approvedRefund(server, { intent: 'late delivery' })
    await fault(server, 'drop_before_commit')
    await server.ask(`/v1/proposals/${first}/execute`, 'requester', {})

    const blocked = await server.ask(`/v1/proposals/${second}/execute`, 'requester', {})

    expect([blocked.status, blocked.body]).toMatchObject([409, { outcome: 'blocked', reason: 'related_in_doubt' }])
  })
})

interface Request {
  readonly path: string
  /** Makes it a POST. */
  readonly body?: (commitment: string) => unknown
}

/** What each act lets one ask for; `{ref}` is a proposal of the requester's that waits for approval. */
const acts: Readonly<Record<string, readonly Request[]>> = {
  prepare: [{ path: '/v1/proposals', body: (commitment) => refundOf({ intent: commitment }) }],
  list: [{ path: '/v1/proposals' }],
  read: [{ path: '/v1/proposals/{ref}' }, { path: '/v1/proposals/{ref}/receipts' }],
  decide: [
    { path: '/v1/proposals/{ref}/approve', body: (commitment) => ({ commitment }) },
    { path: '/v1/proposals/{ref}/reject', body: (commitment) => ({ commitment, comment: 'no' }) },
  ],
  execute: [{ path: '/v1/proposals/{ref}/execute', body: () => ({}) }],
  check: [{ path: '/v1/proposals/{ref}/check', body: () => ({}) }],
  withdraw: [{ path: '/v1/proposals/{ref}/withdraw', body: () => ({}) }],
  reconcile: [{ path: '/v1/proposals/{ref}/reconcile', body: () => ({}) }],
  operate: [
    { path: '/v1/proposals/{ref}/resume', body: () => ({ reason: 'looked' }) },
    {
      path: '/v1/proposals/{ref}/settle',
      body: () => ({ verdict: 'occurred', reason: 'looked', evidenceReference: 'statement-1' }),
    },
  ],
  observe: [{ path: '/v1/observations', body: () => ({ idempotencyKey: `ik_${'a'.repeat(52)}`, eventId: 'event-1' }) }],
  erase: [{ path: '/v1/proposals/{ref}/erase', body: () => ({ reason: 'asked' }) }],
  evidence: [{ path: '/v1/proposals/{ref}/evidence' }],
  events: [{ path: '/v1/events' }],
}

describe('a token of the example', () => {
  const rights: Readonly<Record<Name, readonly string[]>> = {
    requester: ['prepare', 'execute', 'withdraw', 'read', 'list'],
    agent: ['prepare', 'execute', 'read', 'list'],
    finance1: ['decide', 'check', 'read', 'list'],
    finance2: ['decide', 'check', 'read', 'list'],
    director: ['decide', 'read', 'list'],
    operator: ['operate', 'reconcile', 'erase', 'check', 'read', 'list'],
    reader: ['evidence', 'events', 'read', 'list'],
  }
  it.each(names)('%s may do what its part is, and nothing else', async (name) => {
    const server = await startServe({ cwd: folder() })
    const allowed: string[] = []

    for (const [act, requests] of Object.entries(acts)) {
      const answers: Answer[] = []
      for (const { path, body } of requests) {
        const fresh = await server.ask('/v1/proposals', 'requester', refundOf({ intent: `${path} by ${name}` }))
        const { proposal, commitment } = resultIn(fresh)
        answers.push(await server.ask(path.replace('{ref}', proposal), name, body?.(commitment)))
      }
      // All requests of an act are refused, or none is: that the state does not take them is another matter.
      if (answers.every(isRefused)) continue
      const others = answers.filter(({ status }) => status !== 409 && status >= 300)
      expect({ act, others }).toEqual({ act, others: [] })
      allowed.push(act)
    }

    expect(allowed.toSorted()).toEqual(rights[name].toSorted())
  })
})

describe('the development controls', () => {
  it.each([
    ['commit_then_drop', ['failed_unknown', 'verified'], 1],
    ['drop_before_commit', ['failed_unknown', 'verification_pending'], 0],
    ['refuse_before_commit', ['failed_known', 'failed_known'], 0],
    ['late_landing', ['failed_unknown', 'verification_pending', 'verified'], 1],
    ['double_effect', ['verification_pending', 'verification_unresolved'], 2],
  ] as const)('%s: %j, effects: %i', async (name, statuses, effects) => {
    const server = await startServe({ cwd: folder() })
    const ref = await approvedRefund(server)
    await fault(server, name)

    const seen = [(await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})).body]
    while (seen.length < statuses.length) {
      await whenDue(server, ref, 'requester')
      seen.push((await server.ask(`/v1/proposals/${ref}/reconcile`, 'operator', {})).body)
    }

    expect(seen).toMatchObject(statuses.map((status) => ({ status })))
    const books = (await control(server, '/_effects')) as readonly { readonly count: number }[]
    expect(books.reduce((sum, { count }) => sum + count, 0)).toBe(effects)
  })

  it('_ledger changes the business state behind the back of the runtime, which refuses for drift', async () => {
    const server = await startServe({ cwd: folder() })
    const ref = await approvedRefund(server)

    await control(server, '/_ledger', { orderReference: 'ORD-1001', refunded: '25.00' })
    const executed = await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})

    expect([executed.status, executed.body]).toMatchObject([409, { outcome: 'stale', status: 'stale' }])
    expect(await control(server, '/_effects')).toEqual([])
  })

  it('_effects and _requests show what the business system has booked, and every request that it has seen', async () => {
    const server = await startServe({ cwd: folder() })
    const ref = await approvedRefund(server)
    await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})

    const [effect] = (await control(server, '/_effects')) as readonly object[]
    const requests = (await control(server, '/_requests')) as readonly {
      readonly method: string
      readonly path: string
    }[]

    expect(effect).toEqual({
      idempotencyKey: expect.stringMatching(/^ik_/) as string,
      orderReference: 'ORD-1001',
      amount: '10.00',
      count: 1,
    })
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /orders/ORD-1001',
      'GET /orders/ORD-1001',
      'POST /refunds',
    ])
  })
})

/** Refused, or answered by a list from which everything is left out. */
function isRefused({ status, body }: Answer): boolean {
  return status === 403 || status === 404 || z.looseObject({ items: z.tuple([]) }).safeParse(body).success
}

/** What each of these people's approvals came to, one after the other. */
async function decisions(server: ServeUnderTest, prepared: Answer, by: readonly Name[]): Promise<readonly unknown[]> {
  const { proposal, commitment } = resultIn(prepared)
  const outcomes: unknown[] = []
  for (const name of by) {
    const { body } = await server.ask(`/v1/proposals/${proposal}/approve`, name, { commitment })
    outcomes.push(body !== null && typeof body === 'object' ? Reflect.get(body, 'outcome') : body)
  }
  return outcomes
}

/** Executes and reads back until it is verified. */
async function verified(server: ServeUnderTest, ref: string): Promise<void> {
  await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})
  await whenDue(server, ref, 'requester')
  expect((await server.ask(`/v1/proposals/${ref}/reconcile`, 'operator', {})).body).toMatchObject({
    status: 'verified',
  })
}

/** Without `--json`: all that is printed up to the last line. */
async function startForPerson(
  cwd: string,
): Promise<{ readonly lines: readonly string[]; readonly stop: () => Promise<void> }> {
  const { child, ended } = spawnServe({ cwd, args: ['--port', '0'] })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('Ctrl-C')) break
  }
  return {
    lines,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
