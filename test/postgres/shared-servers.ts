// The servers that all tests of a run share: each is started when a test first asks for it, and stopped after the last.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { TestProject } from 'vitest/node'
import { MAJORS, type Major, newServer, type PostgresServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test asks for the address of a server, by its major. */
    readonly postgresStarter: string
  }
}

const started = new Map<Major, Promise<PostgresServer>>()
let starter: Server | null = null

/** Called by vitest once, before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const server = createServer((request, response) => {
    const major = MAJORS.find((known) => request.url === `/${known}`)
    if (major === undefined) {
      response.writeHead(404).end()
      return
    }
    const running = started.get(major) ?? newServer(major)
    started.set(major, running)
    running.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  starter = server
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  project.provide('postgresStarter', `http://127.0.0.1:${address.port}`)
}

/** Called by vitest once, after the last test. */
export async function teardown(): Promise<void> {
  starter?.closeAllConnections()
  starter?.close()
  await Promise.all([...started.values()].map(async (running) => (await running).remove()))
}
