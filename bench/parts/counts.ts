// Counts: commits, syncs, statements, round trips and bytes of a lifecycle, which do not swing with the machine.
import { join } from 'node:path'
import { postgresCounts } from '../counts/postgres-counts.ts'
import { sqliteCounts } from '../counts/sqlite-counts.ts'
import { type TracedCounts, tracedCounts } from '../counts/traced-counts.ts'
import { TRACED } from '../counts/traced-names.ts'
import { inFolder } from '../folder.ts'
import { recordedLifecycle } from '../loops/recorded-lifecycle.ts'
import { walCounts } from '../counts/wal-counts.ts'
import { postgresPlace } from '../postgres-place.ts'
import type { Found, Judged, Part } from '../report.ts'

/** Enough for a checkpoint or two, which every so many pages of the log bring. */
const UNITS = 192

export const counts: Part = { name: 'counts', run: async () => inFolder(run) }

async function run(folder: string): Promise<Found> {
  const values: Record<string, number | null> = {}
  const judged: Judged[] = []
  const atMost = (measure: string, value: number | null, bar: number): void => {
    if (value !== null) judged.push({ measure, value, spread: 0, bar: { kind: 'at most', value: bar }, isCount: true })
  }
  const place = await postgresPlace(['full_page_writes=off'])
  try {
    const recorded = await recordedLifecycle()
    for (const inFlight of [1, 32]) {
      const sqlite = await sqliteCounts(join(folder, `counted-${inFlight}.db`), inFlight, UNITS)
      const postgres = await postgresCounts(await place.database(), 'countersign', inFlight, UNITS)
      const traced: Record<string, TracedCounts | null> = {}
      for (const name of TRACED) traced[name] = await tracedCounts(name, folder, inFlight, UNITS)
      const wal = await walCounts(place, recorded, inFlight, UNITS)

      const commits = inFlight === 1 ? 5 : 0.25
      atMost(`SQLite commits at ${inFlight}`, sqlite.commits, commits)
      atMost(`PostgreSQL commits at ${inFlight}`, postgres.commits, commits)
      if (inFlight === 1) atMost('SQLite syncs at 1', traced['countersign']?.syncs ?? null, 5.3)
      atMost(`SQLite statements at ${inFlight}`, sqlite.statements, 14)
      atMost(`PostgreSQL statements at ${inFlight}`, postgres.statements, 14)
      atMost(`PostgreSQL round trips at ${inFlight}`, postgres.roundTrips, 5)
      const loop = traced[inFlight === 1 ? 'serial' : 'group']?.diskBytes ?? null
      const own = traced['countersign']?.diskBytes ?? null
      atMost(`SQLite bytes at ${inFlight} over the loop`, own === null || loop === null ? null : own / loop, 1.3)
      atMost(`PostgreSQL log bytes at ${inFlight} over the loop`, wal.countersign / wal.loop, 1.3)

      values[`SQLite transaction control at ${inFlight}`] = sqlite.control
      values[`PostgreSQL transaction control at ${inFlight}`] = postgres.control
      values[`PostgreSQL bytes on the wire at ${inFlight}`] = postgres.wireBytes
      values[`PostgreSQL log bytes at ${inFlight}`] = wal.countersign
      values[`PostgreSQL log bytes of the loop at ${inFlight}`] = wal.loop
      values[`PostgreSQL syncs of the log at ${inFlight}`] = wal.syncs
      for (const name of TRACED) {
        values[`SQLite syncs of ${name} at ${inFlight}`] = traced[name]?.syncs ?? null
        values[`SQLite bytes of ${name} at ${inFlight}`] = traced[name]?.diskBytes ?? null
      }
    }
    return { figures: [], judged, values, noise: null }
  } finally {
    await place.close()
  }
}
