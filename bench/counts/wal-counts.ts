// Counts of a PostgreSQL server that nobody else uses: what it writes to its log, and how often it syncs it.
import { setTimeout as pause } from 'node:timers/promises'
import { postgresStore } from 'countersign/postgres'
import { lifecycles } from '../lifecycles.ts'
import type { Loop } from '../loop.ts'
import { postgresBatchLoop } from '../loops/postgres-batch-loop.ts'
import { postgresStepLoop } from '../loops/postgres-step-loop.ts'
import type { RecordedLifecycle } from '../loops/recorded-lifecycle.ts'
import { oneQuery, type PostgresPlace } from '../postgres-place.ts'
import { inLanes } from './in-lanes.ts'

/** A server process tells what it has done at most a second later. */
const STATISTICS_MS = 1_500

/** What one lifecycle takes, on the average. */
export interface WalCounts {
  /** Bytes of the log. */
  readonly countersign: number
  readonly loop: number
  /** Of the log, by the runtime. */
  readonly syncs: number
}

export async function walCounts(
  place: PostgresPlace,
  recorded: RecordedLifecycle,
  inFlight: number,
  units: number,
): Promise<WalCounts> {
  const [own, other] = [await place.database(), await place.database()]
  const makeLoop = inFlight === 1 ? postgresStepLoop : postgresBatchLoop
  const countersign = await counted(own, await lifecycles(await postgresStore({ url: own })), inFlight, units)
  const loop = await counted(other, await makeLoop(other, recorded), inFlight, units)
  return { countersign: countersign.bytes, loop: loop.bytes, syncs: countersign.syncs }
}

interface Log {
  readonly bytes: number
  readonly syncs: number
}

async function counted(url: string, loop: Loop, inFlight: number, units: number): Promise<Log> {
  await inLanes(inFlight, inFlight, loop.run)
  const before = await log(url)
  await inLanes(units, inFlight, loop.run)
  const after = await log(url)
  await loop.assertOnce()
  await loop.close()
  return { bytes: (after.bytes - before.bytes) / units, syncs: (after.syncs - before.syncs) / units }
}

async function log(url: string): Promise<Log> {
  const [found] = await oneQuery<{ bytes: string }>(url, `select pg_current_wal_insert_lsn() - '0/0' as bytes`)
  await pause(STATISTICS_MS)
  const [told] = await oneQuery<{ syncs: string }>(
    url,
    `select coalesce(sum(fsyncs), 0) as syncs from pg_stat_io where object = 'wal'`,
  )
  return { bytes: Number(found?.bytes), syncs: Number(told?.syncs) }
}
