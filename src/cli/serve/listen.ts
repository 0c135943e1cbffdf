// Listens: puts an app on a socket, and takes it off again without breaking what is under way.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { serverLimits, serverProperties } from '../../http/wire/server-limits.ts'
import { Unavailable } from '../errors.ts'
import { Connections } from './connections.ts'
import { needed } from './needed.ts'

const UNUSED_LOOK_MS = 20

/** A server that takes requests. */
export interface Listening {
  readonly url: string
  /** Takes no new connection. Answers under way are still written; resolves when the last connection is over. */
  stopAccepting(): Promise<void>
  /** Breaks every connection that is left. */
  close(): void
}

/** Listens and answers once requests are taken; port 0 is any free one. @throws Unavailable with one sentence */
export async function listen(
  handler: (request: Request) => Promise<Response>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const { createAdaptorServer } = await needed(async () => import('@hono/node-server'))
  const server = createAdaptorServer({ fetch: handler, serverOptions: serverLimits }) as Server
  Object.assign(server, serverProperties)
  const connections = new Connections(server)
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new Unavailable(refusal(error, host, port), { cause: error })
  }
  return {
    url: urlOf(server, host),
    stopAccepting: async () => {
      const closed = once(server, 'close')
      server.close()
      // A connection that is busy now would be kept open for further requests once it is answered.
      const closing = setInterval(() => connections.breakUnused(), UNUSED_LOOK_MS)
      await closed
      clearInterval(closing)
    },
    close: () => server.closeAllConnections(),
  }
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function refusal(error: unknown, host: string, port: number): string {
  switch (error instanceof Error && 'code' in error ? error.code : null) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is taken by another program; choose another one with --port.`
    case 'EACCES':
      return `Port ${port} of ${host} may not be used by this user; choose another one with --port.`
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `The host ${host} is no address of this machine.`
    default:
      return `Nothing can listen on port ${port} of ${host}.`
  }
}
