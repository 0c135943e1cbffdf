// The long form of the crashes on SQLite, run by hand: every moment, real kills and faults of the disk, crashes of recoveries.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { Figures } from '../crashes/figures.ts'
import { sweepMoments } from '../crashes/sqlite/every-moment.ts'
import { type Fault, suffer } from '../crashes/sqlite/real-fault.ts'
import { lengthOf, recordedRun } from '../crashes/sqlite/recorded-run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** Each so many-th moment; 0 for none. */
    every: { type: 'string', default: '1' },
    /** How often the power goes at each of these moments. */
    'power-losses': { type: 'string', default: '0' },
    /** A real kill at each so many-th call of each kind, and a refusal there; 0 for none. */
    'kill-every': { type: 'string', default: '0' },
    'error-every': { type: 'string', default: '0' },
    /** Limits on the length of files, in blocks of 512 bytes, from this step up in this step. */
    'limit-step': { type: 'string', default: '0' },
  },
})
const number = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`${text} is not a whole number`)
  return value
}

const seed = number(values.seed)
const folder = mkdtempSync(join(tmpdir(), 'countersign-crashes-'))
let isBroken = false
try {
  const run = await recordedRun(join(folder, 'recorded'), seed)
  const seen = new Set<string>()
  const moments = async (powerLossSeed: number | null, figures: Figures): Promise<void> => {
    const every = number(values.every)
    if (every > 0) await sweepMoments(run, { folder: join(folder, 'wreck'), every, powerLossSeed, figures, seen })
  }
  await part('ended at a moment', async (figures) => moments(null, figures))
  await part('ended with the power', async (figures) => {
    for (let loss = 0; loss < number(values['power-losses']); loss++) await moments(seed + loss, figures)
  })
  const calls = run.calls.filter(({ path }) => path !== run.performance.book)
  const nths = (name: string, every: number): readonly number[] => {
    const count = calls.filter((call) => call.name === name).length
    return every === 0 ? [] : Array.from({ length: Math.floor(count / every) }, (_, index) => (index + 1) * every)
  }
  const kinds = [...new Set(calls.map(({ name }) => name))]
  await suffered(
    'really killed',
    kinds.flatMap((call) =>
      nths(call, number(values['kill-every'])).map((nth): Fault => ({ kind: 'kill', call, nth })),
    ),
  )
  const errors = [
    ['pwrite64', 'ENOSPC'],
    ['pwrite64', 'EIO'],
    ['fsync', 'EIO'],
  ] as const
  await suffered(
    'refused by the disk',
    errors.flatMap(([call, code]) =>
      nths(call, number(values['error-every'])).flatMap((nth) =>
        [false, true].map((isLasting): Fault => ({ kind: 'error', call, code, nth, isLasting })),
      ),
    ),
  )
  const step = number(values['limit-step'])
  const blocksMax = Math.floor((0.98 * lengthOf(run)) / 512)
  const limits =
    step === 0 ? [] : Array.from({ length: Math.floor(blocksMax / step) }, (_, index) => (index + 1) * step)
  await suffered(
    'no room for a longer file',
    limits.map((blocks): Fault => ({ kind: 'file_limit', blocks })),
  )
} finally {
  rmSync(folder, { recursive: true })
}
if (isBroken) process.exitCode = 1

async function suffered(name: string, faults: readonly Fault[]): Promise<void> {
  await part(name, async (figures) => {
    for (const fault of faults) await suffer(fault, { folder: join(folder, 'fault'), figures })
  })
}

async function part(name: string, act: (figures: Figures) => Promise<void>): Promise<void> {
  const figures = new Figures()
  const beganAt = Date.now()
  await act(figures)
  const seconds = Math.round((Date.now() - beganAt) / 1_000)
  process.stdout.write(`${name}, seed ${seed}, ${seconds} s\n  ${figures.lines().join('\n  ')}\n`)
  if (figures.broken.length > 0) isBroken = true
}
