// A server that dies, callers that hang up, several servers at once: one proposal, one effect, and a status that is true.
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withOpenAttempt } from './holding-target.ts'
import { LATER } from './later.ts'
import { folder } from './run-countersign.ts'
import { approvedRefund, control, fault, refundOf, resultIn, type ServeUnderTest, startServe } from './served.ts'

describe('a server that is killed while the business system holds the answer', () => {
  it('leaves an attempt that is found out about after the restart: verified, one effect, nothing sent again', async () => {
    const cwd = folder()
    const server = await startServe({ cwd })
    const ref = await approvedRefund(server)
    await fault(server, 'hang')
    const executing = server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})
    await untilBooked(server)

    server.child.kill('SIGKILL')
    await expect(executing).rejects.toThrow('fetch failed')
    const next = await startServe({ cwd, ...LATER })
    const found = await next.ask(`/v1/proposals/${ref}`, 'reader')
    const reconciled = await next.ask(`/v1/proposals/${ref}/reconcile`, 'operator', {})
    const again = await next.ask(`/v1/proposals/${ref}/execute`, 'requester', {})

    expect(found.body).toMatchObject({ status: 'executing' })
    expect([reconciled.status, reconciled.body]).toMatchObject([
      200,
      { outcome: 'verified', result: { refundId: 'RF-1' } },
    ])
    expect([again.status, again.body]).toMatchObject([200, { outcome: 'verified' }])
    expect(await control(next, '/_effects')).toMatchObject([{ orderReference: 'ORD-1001', amount: '10.00', count: 1 }])
    expect(postsIn(await control(next, '/_requests'))).toHaveLength(1)
  })

  it('is not followed by a second call while the lease of the first is live', async () => {
    const { server, ref, target, restart, executing } = await withOpenAttempt()

    server.child.kill('SIGKILL')
    await expect(executing).rejects.toThrow('fetch failed')
    const next = await restart()

    for (const operation of ['execute', 'reconcile', 'execute']) {
      const answer = await next.ask(`/v1/proposals/${ref}/${operation}`, 'requester-1', {})
      expect([answer.status, answer.body]).toMatchObject([202, { outcome: 'in_progress', status: 'executing' }])
    }
    expect([...target.bookings.values()]).toEqual([1])
  })
})

describe('an attempt that is proven not to have happened', () => {
  it('is released for another one, which is sent under another key and verified: two attempts, one effect', async () => {
    const cwd = folder()
    const server = await startServe({ cwd })
    const ref = await approvedRefund(server)
    await fault(server, 'drop_before_commit')
    const lost = await server.ask(`/v1/proposals/${ref}/execute`, 'requester', {})
    server.child.kill('SIGTERM')
    await server.ended

    const next = await startServe({ cwd, ...LATER })
    // It stands still there, after all that is still to come.
    await control(next, '/_clock', { now: Date.now() + 2 * LATER.aheadMs })
    const absent = await next.ask(`/v1/proposals/${ref}/reconcile`, 'operator', {})
    const sent = await next.ask(`/v1/proposals/${ref}/execute`, 'requester', {})
    const settled = await untilSettled(next, ref, 'operator')

    expect(settled).toBe('verified')
    expect([lost, absent, sent].map(({ body }) => body)).toMatchObject([
      { outcome: 'failed_unknown' },
      { outcome: 'resend_allowed', status: 'approved' },
      { outcome: 'verification_pending', evidence: { attempts: 2 } },
    ])
    expect(await control(next, '/_effects')).toMatchObject([{ count: 1 }])
    const keys = postsIn(await control(next, '/_requests')).map((request): unknown =>
      Reflect.get(request, 'idempotencyKey'),
    )
    expect(new Set(keys).size).toBe(2)
  })
})

describe('a caller who hangs up', () => {
  it('case C004 the attempt goes on; whoever executes again is told that it is in progress, and it ends verified', async () => {
    const { server, ref, target, hangUp } = await withOpenAttempt()

    await hangUp()
    const again = await server.ask(`/v1/proposals/${ref}/execute`, 'requester-2', {})
    target.release()
    const settled = await untilSettled(server, ref, 'requester-1')

    expect([again.status, again.body]).toMatchObject([202, { outcome: 'in_progress', status: 'executing' }])
    expect(settled).toBe('verified')
    expect([...target.bookings.values()]).toEqual([1])
  })
})

describe('several servers on one database', () => {
  it('case C037 one request key makes one proposal, and however often it is executed there is one effect', async () => {
    const cwd = folder()
    // They start at once too, each of them where there is nothing yet.
    const servers = await Promise.all([1, 2, 3].map(async () => startServe({ cwd })))
    const twice = [...servers, ...servers]

    const prepared = await Promise.all(
      twice.map(async (server) => {
        return server.ask('/v1/proposals', 'agent', refundOf(), { headers: headersOf(server, 'agent', 'key-1') })
      }),
    )
    const refs = new Set(prepared.map((answer) => resultIn(answer).proposal))
    const { proposal: ref, commitment } = resultIn(prepared[0] as (typeof prepared)[number])
    const decided = await Promise.all(
      twice.map(async ({ ask }) => ask(`/v1/proposals/${ref}/approve`, 'finance1', { commitment })),
    )
    const executed = await Promise.all(
      twice.map(async ({ ask }) => ask(`/v1/proposals/${ref}/execute`, 'requester', { reconcile: true })),
    )

    expect(refs.size).toBe(1)
    expect(prepared.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(prepared.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(decided.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(new Set(executed.map(({ status }) => status))).toEqual(new Set([202]))
    for (const server of servers) {
      expect(await control(server, '/_effects')).toMatchObject([{ amount: '10.00', count: 1 }])
    }
    expect(postsIn(await control(servers[0] as ServeUnderTest, '/_requests'))).toHaveLength(1)
  })
})

function headersOf({ tokens }: ServeUnderTest, as: string, key: string): Record<string, string> {
  return {
    authorization: `Bearer ${tokens[as] ?? ''}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  }
}

/** The requests that were to move money. */
function postsIn(requests: unknown): readonly object[] {
  return (requests as readonly { readonly method: string }[]).filter(({ method }) => method === 'POST')
}

/** Waits until the business system has booked something. */
async function untilBooked(server: ServeUnderTest): Promise<void> {
  while (((await control(server, '/_effects')) as readonly unknown[]).length === 0);
}

/** Reads back until it is known what became of it. */
async function untilSettled(server: ServeUnderTest, ref: string, as: string): Promise<string> {
  for (;;) {
    const { status } = resultIn(await server.ask(`/v1/proposals/${ref}/reconcile`, as, {}))
    if (status !== 'executing' && status !== 'verification_pending') return status
    await setTimeout(20)
  }
}
