// Six processes on one store that execute the same proposals at the same moment: one claim and one call for each effect.
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../store/postgres-fixture.ts'
import { type Entrant, type Race, race } from './race.ts'

const EFFECTS = 24
const MINUTE_MS = 60_000

// As while servers are replaced: of half of them the definition is another one.
const SIX: readonly Entrant[] = [1, 1, 1, 2, 2, 2].map((revision) => ({ contract: { revision } }))
// Of three machines, as PostgreSQL's clock judges; whoever shares a file shares a clock.
const OFFSETS_MS = [-4, 0, 4, -4, 0, 4].map((minutes) => minutes * MINUTE_MS)
const SIX_APART: readonly Entrant[] = SIX.map((one, at) => ({ ...one, offsetMs: OFFSETS_MS[at] ?? 0 }))

const STORES = {
  'on one SQLite file': async (): Promise<Race> => race({ url: null, schema: '', entrants: SIX, effects: EFFECTS }),
  async 'on one PostgreSQL database, their clocks minutes apart'(): Promise<Race> {
    const { url, schema, close } = await openPostgres()
    onTestFinished(close)
    return race({ url, schema, entrants: SIX_APART, effects: EFFECTS })
  },
}

describe('rule R9: six processes of two definitions', () => {
  it.each(Object.entries(STORES))(
    'rule R9: %s race for effects, and each is claimed, called and booked once, by one who has approved just that',
    { timeout: 600_000 },
    async (_name, run) => {
      const { claims, calls, bookings, faults, foreign, told, contended, callsOf } = await run()

      // Invariants I1 and I4, in the store, at the door of the host, and in the books of another process.
      expect({ claims, calls, bookings, faults }).toEqual({
        claims: EFFECTS,
        calls: EFFECTS,
        bookings: EFFECTS,
        faults: [],
      })
      // Nobody called for what was approved under another definition.
      expect(foreign).toBe(0)
      expect(told.get('blocked definition_changed')).toBeGreaterThan(0)
      // They met: more than one had found the way free, and not always the same one won.
      expect(contended).toBeGreaterThan(0)
      expect(callsOf.filter((count) => count > 0).length).toBeGreaterThan(1)
    },
  )
})
