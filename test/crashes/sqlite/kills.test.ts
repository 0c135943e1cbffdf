// Crashes on SQLite, at every write, sync, open, truncation and removal of a whole lifecycle, migration and erasure included.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Figures } from '../figures.ts'
import { entriesIn } from '../ledger.ts'
import { Disk } from './disk-calls.ts'
import { sweepMoments } from './every-moment.ts'
import { type Fault, suffer } from './real-fault.ts'
import { lengthOf, recordedRun, type RecordedRun } from './recorded-run.ts'

const TIME_LIMIT_MS = 600_000
const folder = mkdtempSync(join(tmpdir(), 'countersign-crashes-'))
const seen = new Set<string>()
let run: RecordedRun

beforeAll(async () => {
  run = await recordedRun(join(folder, 'recorded'), 1)
}, TIME_LIMIT_MS)
afterAll(() => rmSync(folder, { recursive: true }))

/** How often the script calls what on the database's files. */
function callsOf(name: string): number {
  return run.calls.filter((call) => call.name === name && call.path !== run.performance.book).length
}

describe('the script, if nothing disturbs it', () => {
  it('is refused nothing, and syncs, writes, opens, truncates and removes', () => {
    const disk = new Disk()
    for (const call of run.calls) disk.apply(call)
    const entries = entriesIn(disk.content(run.performance.book)?.toString('latin1') ?? '')

    expect(entries.filter(({ kind }) => kind === 'refused')).toEqual([])
    for (const name of ['pwrite64', 'fsync', 'ftruncate', 'openat', 'unlink']) expect(callsOf(name)).toBeGreaterThan(0)
  })
})

describe('a process that ends at some moment', () => {
  it(
    'leaves before every single call a whole file with all that was acknowledged, from which every proposal comes to its end',
    async () => {
      const figures = new Figures()

      await sweepMoments(run, { folder: join(folder, 'wreck'), every: 1, powerLossSeed: null, figures, seen })

      expect(figures.broken).toEqual([])
      for (const name of ['pwrite64', 'fsync', 'ftruncate', 'openat', 'unlink']) {
        expect(figures.reached.get(name)).toBe(callsOf(name))
      }
    },
    TIME_LIMIT_MS,
  )

  it(
    'does so likewise where the power goes with it and half of what was not synced is lost',
    async () => {
      const figures = new Figures()

      await sweepMoments(run, { folder: join(folder, 'wreck'), every: 14, powerLossSeed: 1, figures, seen })

      expect(figures.broken).toEqual([])
      expect(figures.reached.get('fsync')).toBeGreaterThan(0)
      expect(figures.reached.get('pwrite64')).toBeGreaterThan(50)
    },
    TIME_LIMIT_MS,
  )

  it(
    'leaves just those files when it is really killed there',
    async () => {
      const figures = new Figures()
      const parts = { pwrite64: 3, fsync: 1, openat: 1, ftruncate: 1, unlink: 1 } as const
      const faults = Object.entries(parts).flatMap(([call, count]) =>
        Array.from({ length: count }, (_, index): Fault => {
          const nth = Math.ceil(((index + 0.6) * callsOf(call)) / count)
          return { kind: 'kill', call, nth }
        }),
      )

      await inPairs(faults, figures)

      expect(figures.broken).toEqual([])
      expect(Object.fromEntries(figures.reached)).toEqual(parts)
    },
    TIME_LIMIT_MS,
  )
})

describe('a disk that fails', () => {
  it(
    'loses nothing that was acknowledged, once or from then on, nor does one that is full',
    async () => {
      const figures = new Figures()
      const spread = (call: string, code: string): readonly Fault[] =>
        [0.3, 0.8].flatMap((part) =>
          [false, true].map((isLasting) => ({
            kind: 'error',
            call,
            code,
            nth: Math.ceil(part * callsOf(call)),
            isLasting,
          })),
        )
      const limits = [0.9, 0.98].map(
        (part): Fault => ({ kind: 'file_limit', blocks: Math.floor((part * lengthOf(run)) / 512) }),
      )

      await inPairs([...spread('pwrite64', 'ENOSPC'), ...spread('fsync', 'EIO'), ...limits], figures)

      expect(figures.broken).toEqual([])
      expect(Object.fromEntries(figures.reached)).toEqual({
        'pwrite64 ENOSPC once': 2,
        'pwrite64 ENOSPC from then on': 2,
        'fsync EIO once': 2,
        'fsync EIO from then on': 2,
        'file limit': 2,
      })
    },
    TIME_LIMIT_MS,
  )
})

/** Two processes at a time. */
async function inPairs(faults: readonly Fault[], figures: Figures): Promise<void> {
  const waiting = [...faults.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await suffer(next[1], { folder: join(folder, `fault-${next[0]}`), figures })
    }
  }
  await Promise.all([work(), work()])
}
