// A campaign: so many runs of drawn commands, each in its own tenant, on one store or on both at once.
import { fc } from '@fast-check/vitest'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { commandRuns } from './commands.ts'
import { heads } from './commands/heads.ts'
import { dumpOf } from './dump.ts'
import { Expected } from './expected.ts'
import { memoryGround, sqliteGround } from './grounds.ts'
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
    const clock = new VirtualClock(START)
    const world = new World({ ground: memoryGround(clock), tenant: 'acme', setting, keyring, clock })
    await world.open()
    return new Run([world], tally)
  })
  return tally
}

/** Runs on a database file and in memory at once: every answer, and what both then hold, must be the same. */
export async function twinCampaign(options: CampaignOptions): Promise<Tally> {
  const tally = new Tally()
  const keyring = ephemeralKeyring()
  let clock = new VirtualClock(START)
  const ground = await sqliteGround({ now: () => clock.now() })
  let tenants = 0
  try {
    await assertRuns(options, async (setting) => {
      tenants += 1
      clock = new VirtualClock(START)
      const twin = new VirtualClock(START)
      const parts = { tenant: `tenant-${tenants}`, setting, keyring }
      const worlds = [
        new World({ ...parts, ground, clock }),
        new World({ ...parts, ground: memoryGround(twin), clock: twin }),
      ]
      for (const world of worlds) await world.open()
      return new Run(worlds, tally)
    })
  } finally {
    await ground.close()
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
