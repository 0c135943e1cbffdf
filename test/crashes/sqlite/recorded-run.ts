// A run of the script that nothing disturbs, with everything that it did to its files.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newKeyringText } from '../../../src/runtime/keys/local-keyring.ts'
import { Disk, type DiskCall, diskCallsIn } from './disk-calls.ts'
import { type Performance, performUnderStrace } from './strace.ts'

/** When every script begins. */
const START: number = Date.UTC(2030, 0, 1, 12)

/** Where and how a script is played. */
export function performanceIn(folder: string, seed: number): Performance {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  return { database: join(data, 'store.db'), book: join(folder, 'book'), keys: newKeyringText(), startAt: START, seed }
}

export interface RecordedRun {
  readonly performance: Performance
  /** Everything in order, on the database's files and on the ledger's. */
  readonly calls: readonly DiskCall[]
}

/** @throws Error unless the calls, done again in memory, lead to the very files that the process left. */
export async function recordedRun(folder: string, seed: number): Promise<RecordedRun> {
  const performance = performanceIn(folder, seed)
  const log = join(folder, 'log')
  const { code } = await performUnderStrace(performance, { inject: null, log })
  if (code !== 0) throw new Error(`the script ended with ${code}`)
  const calls = diskCallsIn(readFileSync(log, 'latin1'))
  rmSync(log)
  demandRebuilt([...databaseFiles(performance), performance.book], calls)
  return { performance, calls }
}

/** How long the database becomes, in bytes: the log may reach a limit and be begun again, so that nobody notices. */
export function lengthOf({ performance, calls }: RecordedRun): number {
  const ends = calls.map((call) => {
    return call.path === performance.database && call.name === 'pwrite64' ? call.at + call.data.length : 0
  })
  return Math.max(...ends)
}

/** Those of which every byte is written by calls: the index of the log is mapped into memory. */
export function databaseFiles({ database }: Pick<Performance, 'database'>): readonly string[] {
  return [database, `${database}-wal`, `${database}-journal`]
}

/** @throws Error unless the files that are rebuilt from the calls are those that are there, byte for byte */
export function demandRebuilt(paths: readonly string[], calls: readonly DiskCall[]): void {
  const disk = new Disk()
  for (const call of calls) disk.apply(call)
  for (const path of paths) {
    const there = existsSync(path) ? readFileSync(path) : null
    const rebuilt = disk.content(path)
    const isSame = there === null || rebuilt === null ? there === rebuilt : there.equals(rebuilt)
    if (!isSame) throw new Error(`${path} is not what the calls of its process lead to`)
  }
}
