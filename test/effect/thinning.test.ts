// Thinning: evidence is always stored while it says something, and beyond the limit only then.
import { describe, expect, it } from 'vitest'
import { unclaimed } from '../../src/effect/effect-changes.ts'
import type { Effect, Observation } from '../../src/effect/effect.ts'
import { limits } from '../../src/effect/limits.ts'
import { isWorthKeeping } from '../../src/effect/thinning.ts'
import { attempt, observation, ref } from './builders.ts'

const KEPT_FULLY = limits.observationsKeptFully

/** An effect with so many looks that found nothing, the last of which is given. */
function effectWith(count: number, last: Partial<Observation> = {}): Effect {
  const seen = Array.from({ length: count }, (_, index) => observation({ sequence: index + 1 }))
  const key = { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') }
  return {
    ...unclaimed(key),
    attempts: [attempt()],
    observations: [...seen.slice(0, -1), observation({ ...last, sequence: count })],
  }
}

describe('policy-and-protection 3: observations', () => {
  it('are all kept below the limit', () => {
    expect(isWorthKeeping(effectWith(KEPT_FULLY - 1), observation())).toBe(true)
  })

  it('that say what was said before are not kept beyond it', () => {
    expect(isWorthKeeping(effectWith(KEPT_FULLY), observation())).toBe(false)
  })

  it.each<{ what: string; fields: Partial<Observation> }>([
    { what: 'a confirmation', fields: { verdict: 'CONFIRMED' } },
    { what: 'a proven absence', fields: { verdict: 'FAILED', proof: 'terminal' } },
    { what: 'a flag that nobody saw before', fields: { flags: ['duplicate'] } },
    { what: 'a reference that nobody saw before', fields: { externalReference: ref('rf-2') } },
    { what: 'one of the two reads of the proof settled', fields: { proof: 'settled' } },
  ])('are kept beyond it if they are $what', ({ fields }) => {
    expect(isWorthKeeping(effectWith(KEPT_FULLY), observation(fields))).toBe(true)
  })

  it('are never kept beyond it if a provider announced them, whatever it calls them', () => {
    const event = observation({ source: 'event', externalReference: ref('evt_1') })

    expect(isWorthKeeping(effectWith(KEPT_FULLY - 1), event)).toBe(true)
    expect(isWorthKeeping(effectWith(KEPT_FULLY), event)).toBe(false)
  })

  it.each<{ what: string; fields: Partial<Observation> }>([
    { what: 'flag', fields: { flags: ['duplicate'] } },
    { what: 'reference', fields: { externalReference: ref('rf-2') } },
    { what: 'verdict', fields: { verdict: 'CONFIRMED' } },
  ])('are not kept again for a $what that is stored', ({ fields }) => {
    expect(isWorthKeeping(effectWith(KEPT_FULLY, fields), observation(fields))).toBe(false)
  })
})
