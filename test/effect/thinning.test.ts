// Thinning: up to the limit everything is kept, beyond it only what says something new.
import { describe, expect, it } from 'vitest'
import type { Effect, Observation } from '../../src/effect/effect.ts'
import { unclaimed } from '../../src/effect/effect-changes.ts'
import { limits } from '../../src/effect/limits.ts'
import { isWorthKeeping } from '../../src/effect/thinning.ts'
import { attempt, ending, observation, ref } from './builders.ts'

const known = observation({ flags: ['late'], externalReference: ref('rf-1') })
const nothingNew = observation()

describe('below the limit', () => {
  it.each<[string, Observation]>([
    ['what says nothing new', nothingNew],
    ['what a provider announced', observation({ source: 'event', externalReference: ref('evt_1') })],
  ])('%s is kept', (_, seen) => {
    expect(isWorthKeeping(effectWith(limits.observationsKeptFully - 1), seen)).toBe(true)
  })
})

describe('beyond the limit', () => {
  const full = effectWith(limits.observationsKeptFully)

  it.each<[string, Observation, boolean]>([
    ['what says nothing new', nothingNew, false],
    ['a known flag and a known reference', known, false],
    ['a flag that nobody raised', observation({ flags: ['late', 'duplicate'] }), true],
    ['a reference that nobody named', observation({ externalReference: ref('rf-2') }), true],
    ['a confirmation', observation({ verdict: 'CONFIRMED' }), true],
    ['an absence', observation({ verdict: 'FAILED' }), true],
    ['an event, whatever it is called', observation({ source: 'event', externalReference: ref('evt_1') }), false],
  ])('%s', (_, seen, expected) => {
    expect(isWorthKeeping(full, seen)).toBe(expected)
  })

  it('what confirms again is not kept again', () => {
    const confirmed = observation({ verdict: 'CONFIRMED' })
    const after = { ...full, observations: [...full.observations, { ...confirmed, sequence: 9_001 }] }

    expect(isWorthKeeping(after, confirmed)).toBe(false)
    expect(isWorthKeeping(after, observation({ verdict: 'FAILED' }))).toBe(true)
  })
})

function effectWith(count: number): Effect {
  const key = { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') }
  return {
    ...unclaimed(key),
    attempts: [attempt({ ending: ending('failed_unknown') })],
    observations: Array.from({ length: count }, (_, index) => ({ ...known, sequence: index + 1 })),
  }
}
