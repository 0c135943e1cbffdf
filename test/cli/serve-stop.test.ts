// How `serve` stops: open attempts settle, nothing new is taken, a second signal ends it, and the store tells the truth.
import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { holdingTarget, serveHeld, withOpenAttempt } from './holding-target.ts'
import { folder } from './run-countersign.ts'
import type { ServeUnderTest } from './served.ts'

it.each(['SIGTERM', 'SIGINT'] as const)(
  'a %s stops it from accepting; the open attempt settles and is answered, and the exit code is 0',
  async (signal) => {
    const { server, ref, target, executing, restart } = await withOpenAttempt()

    server.child.kill(signal)
    await untilRefused(server)
    expect(server.child.exitCode).toBeNull()
    target.release()

    expect(await executing).toMatchObject({ status: 202, body: { outcome: 'verification_pending' } })
    expect(await server.ended).toEqual({ code: 0, signal: null })
    const next = await restart({ isLater: true })
    expect((await next.ask(`/v1/proposals/${ref}/reconcile`, 'requester-1', {})).body).toMatchObject({
      status: 'verified',
    })
    expect([...target.bookings.values()]).toEqual([1])
  },
)

it('an attempt whose caller has hung up settles too before it stops', async () => {
  const { server, ref, target, hangUp, restart } = await withOpenAttempt()
  await hangUp()

  server.child.kill('SIGTERM')
  await untilRefused(server)
  target.release()

  expect(await server.ended).toEqual({ code: 0, signal: null })
  const next = await restart()
  expect((await next.ask(`/v1/proposals/${ref}`, 'requester-1')).body).toMatchObject({ status: 'verification_pending' })
})

it('a second signal ends it at once; the attempt is on record, and nothing is sent again', async () => {
  const { server, ref, target, executing, restart } = await withOpenAttempt()

  server.child.kill('SIGTERM')
  await untilRefused(server)
  server.child.kill('SIGTERM')

  expect(await server.ended).toEqual({ code: 143, signal: null })
  await expect(executing).rejects.toThrow('fetch failed')
  const next = await restart()
  expect(await next.ask(`/v1/proposals/${ref}/execute`, 'requester-1', {})).toMatchObject({
    status: 202,
    body: { outcome: 'in_progress', status: 'executing' },
  })
  expect([...target.bookings.values()]).toEqual([1])
})

it('stops with code 0 when the limit is over, and says what is left open', async () => {
  const { server, ref, restart, executing } = await withOpenAttempt({ args: ['--stop-limit', '0'] })

  server.child.kill('SIGTERM')

  expect(await server.ended).toEqual({ code: 0, signal: null })
  await expect(executing).rejects.toThrow('fetch failed')
  expect(server.log()).toContain('"open":1')
  const next = await restart()
  expect((await next.ask(`/v1/proposals/${ref}`, 'requester-1')).body).toMatchObject({ status: 'executing' })
})

it('a connection that is kept open for nothing does not hold it up', async () => {
  const server = await serveHeld(folder(), await holdingTarget())
  const { hostname, port } = new URL(server.url)
  const idle = connect(Number(port), hostname)
  await once(idle, 'connect')
  idle.write('GET /v1/proposals HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')

  server.child.kill('SIGTERM')

  expect(await server.ended).toEqual({ code: 0, signal: null })
  idle.destroy()
})

it.each([
  ['on which nothing was sent, as browsers open in advance', ''],
  ['on which half a request was sent', 'GET /v1/proposals HTTP/1.1\r\nHost: x\r\n'],
])('a connection %s does not hold it up', async (_, bytes) => {
  const server = await serveHeld(folder(), await holdingTarget())
  const { hostname, port } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  await once(silent, 'connect')
  silent.write(bytes)
  // By the time that this is answered, the server has seen the other one.
  await server.ask('/healthz', 'requester-1')

  server.child.kill('SIGTERM')

  expect(await server.ended).toEqual({ code: 0, signal: null })
  expect(server.log()).not.toContain('the limit is over')
  silent.destroy()
})

/** Waits until no new connection is taken. */
async function untilRefused({ url }: ServeUnderTest): Promise<void> {
  const { hostname, port } = new URL(url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const isTaken = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (!isTaken) return
  }
}
