// Drawn faults: whatever meets a guarded call and the looks after it, no status ever says what is not so.
import { fc, it } from '@fast-check/vitest'
import { expect } from 'vitest'
import { RetryPolicy } from '../../../src/effect/calls/retry-policy.ts'
import { ChargeFault, LookUpFault, type LookUpFaultName } from '../../../src/testing/faults.ts'
import { DAY_MS, ofCall } from './worlds.ts'

/** A replica that answers in good health what is not so is believed: no caller could tell. */
const isHonest = (fault: LookUpFaultName): boolean => fault !== 'replica_disagrees'

const drawn = fc.record({
  charge: fc.array(fc.constantFrom(...Object.values(ChargeFault)), { maxLength: 3 }),
  lookUp: fc.array(fc.constantFrom(...Object.values(LookUpFault).filter(isHonest)), { maxLength: 4 }),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  looks: fc.integer({ min: 0, max: 3 }),
})

it.prop([drawn], { seed: 20_301, numRuns: 300 })(
  'CONFIRMED has an effect, FAILED has none and never gets one, and nothing is called again by a repetition',
  async ({ charge, lookUp, maxAttempts, looks }) => {
    const world = await ofCall({ charge, lookUp }, async (cast, stage) => {
      const { provider } = stage
      const retryPolicy = new RetryPolicy({ maxAttempts, retryOnFailed: true })
      const made = await cast.charge({ retryPolicy, verifier: cast.verifier })
      const claims = [{ status: made.status, effects: provider.effects }]
      for (let look = 0; look < looks; look += 1) {
        await stage.wait(60_000)
        claims.push({ status: (await cast.reconcile(made)).status, effects: provider.effects })
      }
      await stage.wait(DAY_MS)
      const calls = provider.chargeCalls
      const again = await cast.charge({ retryPolicy, verifier: cast.verifier })
      claims.push({ status: again.status, effects: provider.effects })
      return { claims, repeated: provider.chargeCalls - calls, attempts: made.receipt.attempts.length }
    })

    const { claims, repeated, attempts } = world.told
    for (const { status, effects } of claims) {
      if (status === 'CONFIRMED') expect(effects).toBeGreaterThan(0)
      if (status === 'FAILED') expect([effects, world.effects]).toEqual([0, 0])
    }
    expect(repeated).toBe(0)
    expect(world.calls).toBe(attempts)
    expect(attempts).toBeLessThanOrEqual(maxAttempts)
    // Only a provider that does everything twice by itself ever does it twice.
    expect(world.effects).toBeLessThanOrEqual(charge.includes('double_effect') ? 2 : 1)
  },
)
