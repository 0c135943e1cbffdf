// Limit: the runtime beside loops that write the rows of our own schema, in slices that alternate.
import { join } from 'node:path'
import { postgresStore } from 'countersign/postgres'
import { sqliteStore } from 'countersign/sqlite'
import { inFolder } from '../folder.ts'
import { lifecycles } from '../lifecycles.ts'
import type { Loop } from '../loop.ts'
import { postgresBatchLoop } from '../loops/postgres-batch-loop.ts'
import { postgresStepLoop } from '../loops/postgres-step-loop.ts'
import { recordedLifecycle } from '../loops/recorded-lifecycle.ts'
import { sqliteGroupLoop, sqliteSerialLoop } from '../loops/sqlite-loops.ts'
import type { Options } from '../options.ts'
import { postgresPlace } from '../postgres-place.ts'
import { type Found, judgedRatio, type Part } from '../report.ts'
import { type Contender, measure } from '../slices.ts'

const NAMES = {
  serial: 'SQLite, a transaction each',
  group: 'SQLite, group commit',
  sqlite: 'countersign on SQLite',
  step: 'PostgreSQL, a statement a step',
  batch: 'PostgreSQL, batched arrays',
  postgres: 'countersign on PostgreSQL',
} as const

export const limit: Part = {
  name: 'limit',
  run: async (options) => inFolder(async (folder) => run(options, folder)),
}

async function run(options: Options, folder: string): Promise<Found> {
  const place = await postgresPlace()
  const contenders: [string, Loop][] = []
  try {
    const recorded = await recordedLifecycle()
    const { triggers } = options
    contenders.push(
      [NAMES.serial, await sqliteSerialLoop(join(folder, 'serial.db'), recorded, triggers)],
      [NAMES.group, await sqliteGroupLoop(join(folder, 'group.db'), recorded, triggers)],
      [NAMES.sqlite, await lifecycles(await sqliteStore(join(folder, 'countersign.db')))],
      [NAMES.step, await postgresStepLoop(await place.database(), recorded)],
      [NAMES.batch, await postgresBatchLoop(await place.database(), recorded)],
      [NAMES.postgres, await lifecycles(await postgresStore({ url: await place.database() }))],
    )
    // Those that are held against each other stand side by side.
    const all = options.inFlight.flatMap((inFlight) => {
      return contenders.map(
        ([name, loop]): Contender => ({ name, inFlight, run: loop.run, assertOnce: loop.assertOnce }),
      )
    })
    const { figures, noise } = await measure(all, options, folder)
    const judged = [
      ...judgedRatio(figures, [NAMES.sqlite, NAMES.serial], 0.75, 1),
      ...judgedRatio(figures, [NAMES.sqlite, NAMES.group], 0.55, 32),
      ...judgedRatio(figures, [NAMES.sqlite, NAMES.serial], 4, 32),
      ...judgedRatio(figures, [NAMES.postgres, NAMES.step], 0.8, 1),
      ...judgedRatio(figures, [NAMES.postgres, NAMES.batch], 0.6, 32),
    ]
    return { figures, judged, values: {}, noise }
  } finally {
    for (const [, loop] of contenders) await loop.close()
    await place.close()
  }
}
