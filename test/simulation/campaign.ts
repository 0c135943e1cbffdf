// A campaign of simulations: so many seeds from one on, some of them run twice, and what was seen of all of them together.
import { digestHex } from '../../src/proposal/content/digest.ts'
import { Tally } from '../model/run.ts'
import type { Traced } from './schedule.ts'
import { Simulation } from './simulation.ts'

/** Of so many seeds one is run twice. */
const TWICE_IN = 33

/** What broke, and how to see it again. */
export class SeedFailed extends Error {
  readonly seed: number
  readonly trace: readonly Traced[]
  constructor(seed: number, trace: readonly Traced[], cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(
      `seed ${seed}: ${why}\nnode --conditions=countersign-source test/campaigns/simulation.ts --from ${seed} --seeds 1 --trace`,
      { cause },
    )
    this.name = 'SeedFailed'
    this.seed = seed
    this.trace = trace
  }
}

/** Runs the seeds one after the other. @throws SeedFailed at the first one that breaks something */
export async function campaign(from: number, seeds: number, tally: Tally = new Tally()): Promise<Tally> {
  for (let seed = from; seed < from + seeds; seed++) {
    const trace = await runSeed(seed, tally)
    if (seed % TWICE_IN === 0) await again(seed, trace, tally)
  }
  return tally
}

/** Runs one seed and answers its trace. @throws SeedFailed */
export async function runSeed(seed: number, tally: Tally): Promise<readonly Traced[]> {
  const simulation = new Simulation(seed, tally)
  const { schedule } = simulation
  try {
    await simulation.run()
  } catch (error) {
    throw new SeedFailed(seed, schedule.trace, error)
  }
  tally.add('seeds')
  tally.add('virtual seconds', Math.round(schedule.nowMs / 1_000))
  tally.add('things that happened', schedule.trace.length)
  return schedule.trace
}

/** The hash of a trace. Two runs of one seed have the same. Spec: reliability I38. */
function hashOf(trace: readonly Traced[]): string {
  return digestHex(['countersign/simulation/v1', ...trace.map(({ at, event }) => `${at} ${event}`)])
}

async function again(seed: number, trace: readonly Traced[], tally: Tally): Promise<void> {
  const second = await runSeed(seed, new Tally())
  if (hashOf(second) !== hashOf(trace)) {
    const different = second.findIndex(
      ({ at, event }, index) => at !== trace[index]?.at || event !== trace[index].event,
    )
    const why = new Error(`invariant I38 the same seed has the same trace: they differ from line ${different + 1} on`)
    throw new SeedFailed(seed, second, why)
  }
  tally.add('run twice')
}
