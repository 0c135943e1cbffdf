// Processes: one, two and four of them on one PostgreSQL database, with the same number of lifecycles in flight.
import { newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import { inFolder } from '../folder.ts'
import { assertWritten } from '../loops/written.ts'
import type { Options } from '../options.ts'
import { postgresPlace } from '../postgres-place.ts'
import { type Found, judgedRatio, type Part } from '../report.ts'
import { Child } from '../servers/child.ts'
import { type Contender, measure } from '../slices.ts'

const COUNTS = [1, 2, 4] as const
const IN_FLIGHT = 32
/** Of what the busiest process does, that the idlest one does at least. */
const FAIR = 0.8

export const processes: Part = {
  name: 'processes',
  run: async (options) => inFolder(async (folder) => run(options, folder)),
}

async function run(options: Options, folder: string): Promise<Found> {
  const place = await postgresPlace()
  const teams: Team[] = []
  try {
    for (const count of COUNTS) teams.push(await team(await place.database(), count))
    const { figures, noise } = await measure(
      teams.map(({ contender }) => contender),
      options,
      folder,
    )
    // "Never falls" within what two slices of one and the same differ by on a quiet machine.
    const judged = [
      ...judgedRatio(figures, [named(2), named(1)], 0.95, IN_FLIGHT),
      ...judgedRatio(figures, [named(4), named(2)], 0.95, IN_FLIGHT),
      ...teams.map(({ contender, shares }) => {
        const done = shares()
        const value = Math.min(...done) / Math.max(...done)
        const bar = { kind: 'at least', value: FAIR } as const
        return { measure: `share of the idlest of ${contender.name}`, value, spread: 0, bar, isCount: false }
      }),
    ]
    return { figures, judged, values: {}, noise }
  } finally {
    for (const { close } of teams) await close()
    await place.close()
  }
}

function named(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`
}

interface Team {
  readonly contender: Contender
  /** How many lifecycles each process has done. */
  readonly shares: () => readonly number[]
  readonly close: () => Promise<void>
}

async function team(url: string, count: number): Promise<Team> {
  const keyring = newKeyringText()
  const members: { readonly child: Child; done: number }[] = []
  for (let started = 0; started < count; started += 1) {
    const { child } = await Child.start('./lifecycle-process.ts', [url, keyring])
    members.push({ child, done: 0 })
  }
  // Each has its own lanes: what one does does not depend on how fast another is.
  const free = Array.from({ length: IN_FLIGHT }, (_, lane) => members[lane % count])
  return {
    contender: {
      name: named(count),
      inFlight: IN_FLIGHT,
      async run() {
        const member = free.pop()
        if (member === undefined) throw new Error('More are in flight than there are lanes')
        await member.child.ask('run')
        member.done += 1
        free.push(member)
      },
      async assertOnce() {
        for (const { child } of members) await child.ask('once')
        await assertWritten(
          url,
          members.reduce((sum, { done }) => sum + done, 0),
        )
      },
      async cpuMs() {
        const spent = await Promise.all(members.map(async ({ child }) => Number(await child.ask('cpu'))))
        return spent.reduce((sum, one) => sum + one, 0)
      },
    },
    shares: () => members.map(({ done }) => done),
    close: async () => {
      for (const { child } of members) await child.end()
    },
  }
}
