// A long campaign of the simulation, run by hand: `node test/campaigns/simulation.ts --from 1 --seeds 50000`.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { Tally } from '../model/run.ts'
import { campaign, runSeed, SeedFailed } from '../simulation/campaign.ts'
import type { Traced } from '../simulation/schedule.ts'

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    /** Prints everything that happened, in order. */
    trace: { type: 'boolean', default: false },
    /** Goes on after a seed that breaks something, and says at the end how many did. */
    'go-on': { type: 'boolean', default: false },
  },
})

const from = Number(values.from)
const seeds = Number(values.seeds)
const tally = new Tally()
const beganAt = Date.now()
let failed = 0

for (let seed = from; seed < from + seeds; seed++) {
  try {
    if (values.trace) print(await runSeed(seed, tally))
    else await campaign(seed, 1, tally)
  } catch (error) {
    if (!(error instanceof SeedFailed)) throw error
    if (values.trace) print(error.trace)
    failed += 1
    process.stdout.write(`${error.message}\n`)
    if (values.trace) process.stdout.write(`${error.cause instanceof Error ? error.cause.stack : ''}\n`)
    if (!values['go-on']) break
  }
}

const seconds = Math.round((Date.now() - beganAt) / 1_000)
const { user } = process.cpuUsage()
process.stdout.write(
  `${seeds} seeds from ${from} in ${seconds} s (${Math.round(user / 1_000_000)} s of processor): ${failed} failed\n`,
)
for (const [what, count] of [...tally.counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(`  ${what}: ${count}\n`)
process.exitCode = failed === 0 ? 0 : 1

function print(trace: readonly Traced[]): void {
  for (const { at, event } of trace) process.stdout.write(`${at} ${event}\n`)
}
