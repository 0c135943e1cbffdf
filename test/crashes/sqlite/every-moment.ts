// Every moment of a recorded run at which its process may be killed, rebuilt as files and recovered from.
import { mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { seededIds } from '../../../src/testing/seeded-ids.ts'
import type { Figures } from '../figures.ts'
import { entriesIn, Ledger } from '../ledger.ts'
import { lookAt, lostFrom, recover } from '../recovery.ts'
import { Disk } from './disk-calls.ts'
import { databaseFiles, type RecordedRun } from './recorded-run.ts'

/** Which moments, and what they leave. */
export interface Moments {
  /** A folder that is made and removed for each. */
  readonly folder: string
  /** Each so many-th one; 1 for all. */
  readonly every: number
  /** Whether the power goes, too: then of what was not synced a part that is drawn from this seed stays. */
  readonly powerLossSeed: number | null
  readonly figures: Figures
  /** What has been recovered from already; shared by those who sweep one run. */
  readonly seen: Set<string>
}

/**
 * Before each call on the database's files. What a process leaves when it is killed before its n-th call is what its calls
 * before that have done, so each moment is there without a process of its own. The file is looked at each time; recovery
 * sees only what can be read of it and what the business system did, so it is gone through once for each of these.
 */
export async function sweepMoments(
  { performance: { database, book, keys }, calls }: RecordedRun,
  { folder, every, powerLossSeed, figures, seen }: Moments,
): Promise<void> {
  const disk = new Disk()
  const chance = seededIds(powerLossSeed ?? 0)
  let moment = 0
  for (const call of calls) {
    if (call.path !== book) {
      moment += 1
      if (moment % every === 0) await inspect(call.name)
    }
    disk.apply(call)
  }

  async function inspect(name: string): Promise<void> {
    mkdirSync(folder)
    const paths = [...databaseFiles({ database }), `${database}-shm`]
    if (powerLossSeed === null) disk.writeTo(folder, paths)
    else disk.writeAfterPowerLoss(folder, paths, () => chance.fraction() < 0.5)
    const wreck = join(folder, basename(database))
    // Every entry was synced before anything else was done.
    const entries = entriesIn(disk.content(book)?.toString('latin1') ?? '')
    const where = `call ${moment}, ${name}${powerLossSeed === null ? '' : `, power lost by ${powerLossSeed}`}`
    figures.reach(name)
    const looked = lookAt(wreck)
    figures.blame(where, looked.broken)
    const ledger = new Ledger(null, entries)
    const sight = `${looked.seen} ${ledger.deeds}`
    const told = `${sight} ${entries.length}`
    if (!seen.has(sight)) figures.recovered(where, await recover({ database: wreck, ledger, keys }))
    else if (!seen.has(told)) figures.blame(where, await lostFrom(wreck, entries))
    seen.add(sight).add(told)
    rmSync(folder, { recursive: true })
  }
}
