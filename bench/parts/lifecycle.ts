// Lifecycle: the runtime in process and over HTTP, and with a witness beside it.
import { join } from 'node:path'
import { postgresStore } from 'countersign/postgres'
import { sqliteStore, witnessFile } from 'countersign/sqlite'
import { inFolder } from '../folder.ts'
import { httpLifecycles, httpServer } from '../http-lifecycles.ts'
import { lifecycles } from '../lifecycles.ts'
import type { Loop } from '../loop.ts'
import type { Options } from '../options.ts'
import { postgresPlace } from '../postgres-place.ts'
import { type Found, judgedRatio, type Part } from '../report.ts'
import { type Contender, measure } from '../slices.ts'

const NAMES = {
  sqlite: 'SQLite, in process',
  http: 'SQLite, over HTTP',
  witness: 'SQLite, in process, with a witness',
  postgres: 'PostgreSQL, in process',
} as const

export const lifecycle: Part = {
  name: 'lifecycle',
  run: async (options) => inFolder(async (folder) => run(options, folder)),
}

async function run(options: Options, folder: string): Promise<Found> {
  const place = await postgresPlace()
  const witness = witnessFile(join(folder, 'witness'))
  const contenders: [string, Loop, Pick<Contender, 'cpuMs'>][] = []
  try {
    const server = await httpServer(join(folder, 'http.db'))
    contenders.push(
      [NAMES.sqlite, await lifecycles(await sqliteStore(join(folder, 'sqlite.db'))), {}],
      [NAMES.http, httpLifecycles(server), { cpuMs: server.cpuMs }],
      [NAMES.witness, await lifecycles(await sqliteStore(join(folder, 'witnessed.db'), { witness })), {}],
      [NAMES.postgres, await lifecycles(await postgresStore({ url: await place.database() })), {}],
    )
    const all = options.inFlight.flatMap((inFlight) => {
      return contenders.map(([name, { run, assertOnce }, more]) => ({ name, inFlight, run, assertOnce, ...more }))
    })
    const { figures, noise } = await measure(all, options, folder)
    const judged = [
      ...judgedRatio(figures, [NAMES.http, NAMES.sqlite], 0.75, 1),
      ...judgedRatio(figures, [NAMES.http, NAMES.sqlite], 0.6, 32),
    ]
    return { figures, judged, values: {}, noise }
  } finally {
    for (const [, loop] of contenders) await loop.close()
    await witness.close()
    await place.close()
  }
}
