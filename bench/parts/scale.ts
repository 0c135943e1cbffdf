// Scale: what a lifecycle, a look for due work, a page of the queue and a read take as the store grows.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Store } from 'countersign'
import { postgresStore } from 'countersign/postgres'
import { sqliteStore } from 'countersign/sqlite'
import { parseReference } from '../../src/effect/reference.ts'
import { inFolder } from '../folder.ts'
import { finance, lifecyclesOf, openTransfers, support, type Transfers, transferNamed } from '../lifecycles.ts'
import type { Options } from '../options.ts'
import { postgresPlace } from '../postgres-place.ts'
import { type Found, type Judged, type Part, timesRatio } from '../report.ts'
import { fillPostgres } from '../scale/fill-postgres.ts'
import { fillSqlite } from '../scale/fill-sqlite.ts'
import { templates } from '../scale/templates.ts'
import { type Contender, measure } from '../slices.ts'

const PAGE = 50
const WHAT = ['lifecycle', 'due', 'queue page', 'read'] as const
const GROWTH_MAX = 1.3

export const scale: Part = { name: 'scale', run: async (options) => inFolder(async (folder) => run(options, folder)) }

async function run(options: Options, folder: string): Promise<Found> {
  const place = await postgresPlace()
  const stores: Store[] = []
  try {
    const kinds = await templates()
    const contenders: Contender[] = []
    const opened = async (engine: string, size: number, store: Store): Promise<void> => {
      stores.push(store)
      contenders.push(...(await contendersOf(`on ${engine}, ${size}`, store)))
    }
    for (const size of options.sizes) {
      const file = join(folder, `${size}.db`)
      await fillSqlite(file, kinds, size)
      await opened('SQLite', size, await sqliteStore(file, { onCorruptRow }))
      const url = await place.database()
      await fillPostgres(url, kinds, size)
      await opened('PostgreSQL', size, await postgresStore({ url, onCorruptRow }))
    }
    // Short slices, as every lifecycle makes the store grow.
    const { figures, noise } = await measure(
      contenders,
      { ...options, sliceMs: Math.ceil(options.sliceMs / 4) },
      folder,
    )
    const [least, most] = [Math.min(...options.sizes), Math.max(...options.sizes)]
    const judged = ['SQLite', 'PostgreSQL'].flatMap((engine) => {
      return WHAT.flatMap((what): readonly Judged[] => {
        const found = timesRatio(figures, [`${what} on ${engine}, ${most}`, `${what} on ${engine}, ${least}`])
        if (found === null || most === least) return []
        const measure = `p50 of ${what} on ${engine}, ${most} proposals over ${least}`
        return [{ measure, ...found, bar: { kind: 'at most', value: GROWTH_MAX }, isCount: false }]
      })
    })
    return { figures, judged, values: {}, noise }
  } finally {
    for (const store of stores) await store.close()
    await place.close()
  }
}

// A row that cannot be read is left out of a page: here it would be one that was filled in wrongly.
function onCorruptRow(error: Error): void {
  throw error
}

/** Every kind that was filled in is read as a real one would be, but for its content. */
async function assertSound({ runtime }: Transfers): Promise<void> {
  for (const status of [
    'verified',
    'rejected',
    'withdrawn',
    'awaiting_approval',
    'approved',
    'verification_pending',
  ] as const) {
    const { items } = await runtime.list(finance, { statuses: [status], order: 'oldest', limit: 1 })
    const [first] = items
    assert(first !== undefined, status)
    const view = await runtime.read(finance, first.proposal)
    assert.equal(view.kind, 'proposal')
  }
}

async function contendersOf(where: string, store: Store): Promise<readonly Contender[]> {
  const opened = await openTransfers(store)
  const { runtime } = opened
  await assertSound(opened)
  const loop = lifecyclesOf(store, opened)
  const tenant = parseReference(support.tenant, 'tenant')
  // Those that were filled in were sealed under keys that are gone, so those that are read were made here.
  const refs: string[] = []
  for (let made = 0; made < PAGE; made += 1) {
    refs.push((await runtime.prepare(support, transferNamed(`to be read ${made}`))).proposal)
  }
  let reads = 0
  const runs: Readonly<Record<(typeof WHAT)[number], Contender['run']>> = {
    lifecycle: loop.run,
    async due() {
      for (const kind of ['expiry', 'verification', 'lease'] as const)
        await runtime.work.due(tenant, { kind }, null, PAGE)
    },
    async 'queue page'() {
      const { items } = await runtime.list(finance, { statuses: ['awaiting_approval'], order: 'oldest', limit: PAGE })
      assert.equal(items.length, PAGE)
    },
    async read() {
      reads += 1
      await runtime.read(support, refs[reads % refs.length] ?? '')
    },
  }
  return WHAT.map((what) => ({ name: `${what} ${where}`, inFlight: 1, run: runs[what], assertOnce: loop.assertOnce }))
}
