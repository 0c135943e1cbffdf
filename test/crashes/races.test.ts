// Processes on one file that execute the same proposals at the same moment: one claim and one call for each effect.
import { expect, it } from 'vitest'
import { race } from './race.ts'

const EFFECTS = 24

it('rule R9: processes of two definitions, as while servers are replaced, race for effects, and each is called once', {
  timeout: 600_000,
}, async () => {
  const entrants = [{}, {}, { contract: { revision: 2 } }]

  const run = await race({ url: null, schema: '', entrants, effects: EFFECTS })

  // Invariants I1 and I4, in the store, at the door of the host, and in the books of another process.
  expect(run).toMatchObject({ claims: EFFECTS, calls: EFFECTS, bookings: EFFECTS, faults: [] })
  // Nobody called for what was approved under another definition.
  expect(run.foreign).toBe(0)
  expect(run.told.get('blocked definition_changed')).toBeGreaterThan(0)
  // They met: more than one had found the way free, and not always the same one won.
  expect(run.contended).toBeGreaterThan(0)
  expect(run.callsOf.filter((calls) => calls > 0).length).toBeGreaterThan(1)
})
