// A campaign: so many runs of drawn commands, each in its own tenant, in memory or in databases and memory at once.
import { fc } from '@fast-check/vitest'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { PatientClock } from '../store/patient-clock.ts'
import { commandRuns } from './commands.ts'
import { heads } from './commands/heads.ts'
import { dumpOf } from './dump.ts'
import { Expected } from './expected.ts'
import type { DatabaseGround } from './database-ground.ts'
import { memoryGround, type Time } from './grounds.ts'
import { PROFILES, type ProfileName } from './payment.ts'
import { Run, Tally, WorldsDiffer } from './run.ts'
import { type Setting, START, World } from './world.ts'

/** How a campaign is carried out. */
export interface CampaignOptions {
  readonly runs: number
  /** Without a seed every campaign draws other runs; a failure names its seed and path. */
  readonly seed?: number
  readonly path?: string
  readonly replayPath?: string
}

const setting: fc.Arbitrary<Setting> = fc.record({
  profile: fc.constantFrom(...(Object.keys(PROFILES) as ProfileName[])),
  enforcesPrecondition: fc.boolean(),
  seed: fc.nat(),
})

/** Runs in memory. Answers what was seen of all of them together. */
export async function memoryCampaign(options: CampaignOptions): Promise<Tally> {
  const tally = new Tally()
  const keyring = ephemeralKeyring()
  await assertRuns(options, async (setting) => {
    const clock = new PatientClock(START)
    const world = new World({ ground: memoryGround(clock), tenant: 'acme', setting, keyring, clock })
    await world.open()
    return new Run([world], tally)
  })
  return tally
}

/** Runs in databases and in memory at once: every answer, and what all of them then hold, must be the same. */
export async function twinCampaign(
  options: CampaignOptions,
  databases: readonly ((time: Time) => Promise<DatabaseGround>)[],
): Promise<Tally> {
  const tally = new Tally()
  const keyring = ephemeralKeyring()
  const grounds: DatabaseGround[] = []
  // Each world has a clock of its own, and a database that of the run that is under way.
  const clocks = databases.map(() => new PatientClock(START))
  let tenants = 0
  try {
    for (const [index, open] of databases.entries()) {
      grounds.push(await open({ now: () => clocks[index]?.now() ?? START }))
    }
    await assertRuns(options, async (setting) => {
      tenants += 1
      const parts = { tenant: `tenant-${tenants}`, setting, keyring }
      const worlds = grounds.map((ground, index) => {
        const clock = new PatientClock(START)
        clocks[index] = clock
        return new World({ ...parts, ground, clock })
      })
      const clock = new PatientClock(START)
      worlds.push(new World({ ...parts, ground: memoryGround(clock), clock }))
      for (const world of worlds) await world.open()
      return new Run(worlds, tally)
    })
  } finally {
    for (const ground of grounds) await ground.close()
  }
  return tally
}

async function assertRuns(options: CampaignOptions, open: (setting: Setting) => Promise<Run>): Promise<void> {
  const { runs, replayPath, ...repeated } = options
  const property = fc.asyncProperty(setting, heads, commandRuns(replayPath), async (drawn, head, commands) => {
    const run = await open(drawn)
    try {
      await fc.asyncModelRun(() => ({ model: new Expected(run.world), real: run }), [...head, ...commands])
      await compare(run)
    } finally {
      await run.leave()
    }
  })
  await fc.assert(property, { numRuns: runs, ...repeated })
}

async function compare({ worlds }: Run): Promise<void> {
  if (worlds.length === 1) return
  const dumps: string[] = []
  for (const world of worlds) dumps.push(await dumpOf(world))
  if (new Set(dumps).size > 1) throw new WorldsDiffer('all of them', dumps)
}
