// Server kills: PostgreSQL dies under load, or sends everybody away, again and again while processes work through jobs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { newKeyringText } from '../../../src/runtime/keys/local-keyring.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import type { Books } from '../books.ts'
import { faultsLeft, Jobber } from '../jobbers.ts'

/** At once, as in a power cut; by SIGKILL of its first process; or everybody is sent away and the server goes on. */
export const NEMESES = ['immediate', 'sigkill', 'terminated'] as const
export type Nemesis = (typeof NEMESES)[number]

export interface ServerKillOptions {
  readonly server: PostgresServer
  readonly schema: string
  readonly books: Books
  /** One after the other, each once so many jobs more were done. */
  readonly blows: readonly Nemesis[]
  readonly jobsBetween: number
}

export interface ServerKills {
  readonly blows: ReadonlyMap<Nemesis, number>
  /** Blows after which a caller heard of it. */
  readonly felt: number
  /** What callers heard, by its code. */
  readonly heard: ReadonlyMap<string, number>
  readonly acknowledged: number
  readonly jobs: number
  readonly faults: readonly string[]
}

const PROCESSES = 2

export async function killServers(options: ServerKillOptions): Promise<ServerKills> {
  const { server, schema, books, blows, jobsBetween } = options
  const { url } = server
  const folder = mkdtempSync(join(tmpdir(), 'countersign-server-kills-'))
  const keys = newKeyringText()
  try {
    const each = Math.ceil(((blows.length + 1) * jobsBetween) / PROCESSES)
    const setups = Array.from({ length: PROCESSES }, (_, at) => {
      const jobs = Array.from({ length: each }, (_unused, nth) => `${at}.${nth}`)
      return { url, schema, keys, books: books.url, log: join(folder, `calls-${at}`), jobs, atOnce: 3 }
    })
    let acknowledged = 0
    const heard = new Map<string, number>()
    let deaf = 0
    const jobbers = setups.map((setup) => {
      return new Jobber(setup, (word) => {
        if (word.kind === 'acknowledged') acknowledged += 1
        if (word.kind !== 'heard') return
        heard.set(word.code, (heard.get(word.code) ?? 0) + 1)
        deaf = 0
      })
    })
    const done = (): number => jobbers.reduce((sum, jobber) => sum + jobber.done, 0)
    const given = (): number => acknowledged
    let felt = 0
    const dealt = new Map<Nemesis, number>()
    for (const [at, blow] of blows.entries()) {
      // Between two answers, wherever the others are: the moment is that of the load.
      const wanted = acknowledged + 1
      while (done() < at * jobsBetween || given() < wanted) await pause(1)
      deaf = 1
      await deal(server, blow)
      dealt.set(blow, (dealt.get(blow) ?? 0) + 1)
      while (done() < (at + 1) * jobsBetween) await pause(5)
      felt += 1 - deaf
    }
    await Promise.all(jobbers.map(async (jobber) => jobber.ended))
    const faults = await faultsLeft({
      url,
      schema,
      keys,
      books,
      logs: setups.map(({ log }) => log),
      jobs: setups.flatMap(({ jobs }) => jobs),
      acknowledged: jobbers.flatMap((jobber) => jobber.acknowledged),
    })
    return { blows: dealt, felt, heard, acknowledged, jobs: each * PROCESSES, faults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function deal(server: PostgresServer, blow: Nemesis): Promise<void> {
  if (blow === 'terminated') {
    const client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`)
    await client.end()
    return
  }
  await server.kill(blow === 'immediate' ? 'SIGQUIT' : 'SIGKILL')
  // Its processes end once they notice that their first one is gone; until then the data is theirs.
  for (let tries = 0; ; tries += 1) {
    try {
      await server.start()
      return
    } catch (error) {
      if (tries === 100) throw error
      await pause(100)
    }
  }
}
