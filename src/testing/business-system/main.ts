// The process of the business system: serves one file on loopback, and lives as long as the process that started it.
import { parseArgs } from 'node:util'
import { openDatabase } from './database.ts'
import { FaultQueue } from './faults.ts'
import { Landings } from './landings.ts'
import type { BusinessClock } from './route.ts'
import { createBusinessServer } from './server.ts'
import type { StartReport } from './start-report.ts'

const { values } = parseArgs({
  options: { file: { type: 'string' }, port: { type: 'string' }, now: { type: 'string' } },
})

if (process.send === undefined) {
  console.error('this process is started by startBusinessSystem(), and ends with the process that calls it')
  process.exit(1)
}

// The signals of a terminal or a supervisor reach the whole process group; when to stop is for the parent to say.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

try {
  serve()
} catch (error) {
  fail(error)
}

function serve(): void {
  const database = openDatabase(values.file ?? '', { create: true })
  const world = { database, faults: new FaultQueue(), landings: new Landings(), clock: clockFrom(values.now) }
  const server = createBusinessServer(world)
  server.once('error', fail)
  server.listen(Number(values.port ?? 0), '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    report({ kind: 'ready', url: `http://127.0.0.1:${address.port}` })
  })
  // The channel to the parent ends when it asks for the stop and when it dies, however it dies. Whoever still waits for
  // an answer loses the connection.
  process.once('disconnect', () => {
    server.closeAllConnections()
    database.close()
    process.exit()
  })
}

function clockFrom(now: string | undefined): BusinessClock {
  let standing = now === undefined ? null : Number(now)
  return {
    now: () => standing ?? Date.now(),
    set: (at) => {
      standing = at
    },
  }
}

function fail(error: unknown): void {
  report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }, () => process.exit(1))
}

function report(started: StartReport, sent?: () => void): void {
  process.send?.(started, undefined, undefined, sent)
}
