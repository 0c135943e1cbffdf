// The target of the held action: it books what it is sent at once, and answers when the test says so.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { repositoryRoot } from '../../tools/repository.ts'
import { LATER } from './later.ts'
import { folder } from './run-countersign.ts'
import { type Answer, resultIn, type ServeUnderTest, startServe } from './served.ts'

export interface HoldingTarget {
  readonly url: string
  /** How often each key was booked. */
  readonly bookings: ReadonlyMap<string, number>
  /** Resolves once something has been booked and waits for its answer. */
  readonly booked: Promise<void>
  /** Answers all that wait, and from then on everything at once. */
  readonly release: () => void
}

/** Listens until the test is over. */
export async function holdingTarget(): Promise<HoldingTarget> {
  const bookings = new Map<string, number>()
  const waiting: ServerResponse[] = []
  const { promise: booked, resolve } = Promise.withResolvers<void>()
  let isReleased = false
  const server = createServer((request, response) => {
    const key = request.url ?? ''
    const count = bookings.get(key) ?? 0
    if (request.method === 'GET') {
      response.end(String(count))
      return
    }
    bookings.set(key, count + 1)
    if (isReleased) response.end()
    else waiting.push(response)
    resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { readonly port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    bookings,
    booked,
    release: () => {
      isReleased = true
      for (const response of waiting) response.end()
    },
  }
}

/** How a server is started. */
export interface ServeStart {
  readonly args?: readonly string[]
  /** As if minutes had passed since: no lease of before is live any more. */
  readonly isLater?: boolean
}

/** Serves the held action from a folder, in development. */
export async function serveHeld(
  cwd: string,
  target: HoldingTarget,
  { args = [], isLater = false }: ServeStart = {},
): Promise<ServeUnderTest> {
  const action = pathToFileURL(join(repositoryRoot, 'test/cli/held-action.ts')).href
  const text = `import { HeldAction } from '${action}'\nexport default { actions: [new HeldAction()] }\n`
  writeFileSync(join(cwd, 'actions.ts'), text)
  const options = ['--dev', '--actions', 'actions.ts', ...args]
  const script = isLater ? LATER : {}
  return startServe({ cwd, args: options, env: { HELD_TARGET: target.url }, ...script })
}

/** Prepares as a requester and approves as a manager; answers the reference. */
export async function approvedHeld(server: ServeUnderTest): Promise<string> {
  const command = { action: 'test.payments/held@1', command: { intent: 'once' } }
  const { proposal, commitment } = resultIn(await server.ask('/v1/proposals', 'requester-1', command))
  await server.ask(`/v1/proposals/${proposal}/approve`, 'manager-1', { commitment })
  return proposal
}

/** A server with an attempt under way, which the target has booked and not answered. */
export interface OpenAttempt {
  readonly target: HoldingTarget
  readonly server: ServeUnderTest
  readonly ref: string
  /** The answer to whoever executes. */
  readonly executing: Promise<Answer>
  /** Whoever executes breaks the connection. */
  readonly hangUp: () => Promise<void>
  /** Another server on the same database. */
  readonly restart: (start?: ServeStart) => Promise<ServeUnderTest>
}

export async function withOpenAttempt(start: ServeStart = {}): Promise<OpenAttempt> {
  const cwd = folder()
  const target = await holdingTarget()
  const server = await serveHeld(cwd, target, start)
  const ref = await approvedHeld(server)
  const caller = new AbortController()
  const executing = server.ask(`/v1/proposals/${ref}/execute`, 'requester-1', {}, { signal: caller.signal })
  // Some stories are over before anybody listens to it.
  executing.catch(() => {})
  await target.booked
  return {
    target,
    server,
    ref,
    executing,
    hangUp: async () => {
      caller.abort()
      await executing.catch(() => {})
    },
    restart: async (start) => serveHeld(cwd, target, start),
  }
}
