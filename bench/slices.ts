// Contenders measured in slices that alternate, so that a busy moment of the machine meets all of them alike.
import process from 'node:process'
import { NoiseGate, type Noise } from './noise.ts'
import type { Options } from './options.ts'
import { median, percentile, spread } from './statistics.ts'

/** Something that does one unit of work at a time, and can be asked whether every unit had its effect exactly once. */
export interface Contender {
  readonly name: string
  readonly inFlight: number
  readonly run: () => Promise<unknown>
  /** Called after every slice. */
  readonly assertOnce: () => Promise<void>
  /** Milliseconds of processor time so far, where it is another process that works. */
  readonly cpuMs?: () => Promise<number>
}

/** What a contender did, slice by slice, and what each of its units took. */
export interface Figures {
  readonly name: string
  readonly inFlight: number
  readonly perSecond: number
  /** Half the distance between the slowest and the fastest slice. */
  readonly spread: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMsPerUnit: number
  readonly units: number
  /** Units per second, in the order of the rounds. */
  readonly slices: readonly number[]
  /** Likewise what the median unit took, in milliseconds. */
  readonly p50s: readonly number[]
}

/** Measures all contenders in rounds; before them each has a short slice that is not counted. */
export async function measure(
  contenders: readonly Contender[],
  { rounds, sliceMs }: Pick<Options, 'rounds' | 'sliceMs'>,
  folder: string,
): Promise<{ readonly figures: readonly Figures[]; readonly noise: Noise }> {
  const gate = new NoiseGate(folder)
  const slices = new Map<Contender, Slice[]>(contenders.map((contender) => [contender, []]))
  for (const contender of contenders) await slice(contender, Math.min(sliceMs, 500))
  for (let round = 0; round < rounds; round += 1) {
    await gate.look()
    for (const [contender, done] of slices) done.push(await slice(contender, sliceMs))
  }
  return { figures: [...slices].map(([contender, done]) => figuresOf(contender, done)), noise: gate.result() }
}

interface Slice {
  readonly perSecond: number
  readonly ms: readonly number[]
  readonly cpuMs: number
}

async function slice({ run, inFlight, assertOnce, cpuMs = ownCpuMs }: Contender, sliceMs: number): Promise<Slice> {
  const ms: number[] = []
  const cpuBefore = await cpuMs()
  const began = performance.now()
  const lane = async (): Promise<void> => {
    for (let now = began; now - began < sliceMs; ) {
      await run()
      const ended = performance.now()
      ms.push(ended - now)
      now = ended
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const elapsed = performance.now() - began
  const cpuSpent = (await cpuMs()) - cpuBefore
  await assertOnce()
  return { perSecond: (ms.length / elapsed) * 1_000, ms, cpuMs: cpuSpent }
}

async function ownCpuMs(): Promise<number> {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function figuresOf({ name, inFlight }: Contender, done: readonly Slice[]): Figures {
  const slices = done.map(({ perSecond }) => perSecond)
  const ms = done.flatMap((one) => one.ms)
  const cpuMs = done.reduce((sum, one) => sum + one.cpuMs, 0)
  return {
    name,
    inFlight,
    perSecond: median(slices),
    spread: spread(slices),
    p50Ms: percentile(ms, 50),
    p99Ms: percentile(ms, 99),
    cpuMsPerUnit: cpuMs / ms.length,
    units: ms.length,
    slices,
    p50s: done.map((one) => percentile(one.ms, 50)),
  }
}
