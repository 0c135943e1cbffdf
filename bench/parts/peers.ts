// Peers: the smallest honest equivalent of a lifecycle in comparable systems, in one run with the runtime.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { postgresStore } from 'countersign/postgres'
import { sqliteStore } from 'countersign/sqlite'
import { inFolder } from '../folder.ts'
import { lifecycles } from '../lifecycles.ts'
import type { Loop } from '../loop.ts'
import type { Options } from '../options.ts'
import { postgresPlace } from '../postgres-place.ts'
import { type Found, type Judged, judgedRatio, type Part } from '../report.ts'
import { measure } from '../slices.ts'

/** What a peer says of itself. */
interface Peer {
  readonly name: string
  /** Where what it has acknowledged outlives a power cut; null if nowhere. */
  readonly durableOn: 'SQLite' | 'PostgreSQL' | null
  readonly durability: string
  /** What it does not do. */
  readonly lacks: string
}

interface PeerModule {
  readonly peer: Peer
  readonly open: (place: { readonly file: string; readonly url: string }) => Promise<Loop>
}

const MODULES = [
  'xstate',
  'langgraph-sqlite',
  'langgraph-sqlite-durable',
  'langgraph-postgres',
  'mastra',
  'dbos',
  'pg-boss',
  'graphile-worker',
  'ai-sdk',
] as const

const NAMES = { SQLite: 'countersign on SQLite', PostgreSQL: 'countersign on PostgreSQL' } as const

export const peers: Part = { name: 'peers', run: async (options) => inFolder(async (folder) => run(options, folder)) }

async function run(options: Options, folder: string): Promise<Found> {
  if (!existsSync(new URL('../peers/node_modules', import.meta.url))) {
    throw new Error('The peers are not installed: npm ci --prefix bench/peers')
  }
  const place = await postgresPlace()
  const loops: [string, Loop][] = []
  try {
    const opened: Peer[] = []
    loops.push(
      [NAMES.SQLite, await lifecycles(await sqliteStore(join(folder, 'countersign.db')))],
      [NAMES.PostgreSQL, await lifecycles(await postgresStore({ url: await place.database() }))],
    )
    for (const name of MODULES) {
      // Their packages are not of this repository's dependencies, so the compiler knows nothing of them.
      const { peer, open } = (await import(new URL(`../peers/${name}.mjs`, import.meta.url).href)) as PeerModule
      loops.push([peer.name, await open({ file: join(folder, `${name}.db`), url: await place.database() })])
      opened.push(peer)
    }
    const contenders = options.inFlight.flatMap((inFlight) => {
      return loops.map(([name, { run, assertOnce }]) => ({ name, inFlight, run, assertOnce }))
    })
    const { figures, noise } = await measure(contenders, options, folder)
    const judged = opened.flatMap((peer) => judgedAgainst(peer, figures))
    const values = opened.map(({ name, durability, lacks }): [string, string] => [name, `${durability}; ${lacks}`])
    return { figures, judged, values: Object.fromEntries(values), noise }
  } finally {
    for (const [, { close }] of loops) await close()
    await place.close()
  }
}

/** Those on PostgreSQL are held against PostgreSQL; where the bar names one it has a figure of its own. */
const POSTGRES_BARS: ReadonlyMap<string, { readonly one: number | null; readonly many: number }> = new Map([
  ['DBOS', { one: 4, many: 10 }],
  ['LangGraph on PostgreSQL', { one: 7, many: 4.5 }],
  ['pg-boss', { one: 2, many: 4.5 }],
  ['graphile-worker', { one: null, many: 4.5 }],
])

function judgedAgainst({ name, durableOn }: Peer, figures: Found['figures']): readonly Judged[] {
  if (durableOn === null) return []
  const sqlite = [
    ...judgedRatio(figures, [NAMES.SQLite, name], 2, 1),
    ...judgedRatio(figures, [NAMES.SQLite, name], 7, 32),
  ]
  const bars = POSTGRES_BARS.get(name)
  if (bars === undefined) return sqlite
  return [
    ...sqlite,
    ...(bars.one === null ? [] : judgedRatio(figures, [NAMES.PostgreSQL, name], bars.one, 1)),
    ...judgedRatio(figures, [NAMES.PostgreSQL, name], bars.many, 32),
  ]
}
