// Which observations speak against an attempt.
import { describe, expect, it } from 'vitest'
import { denialsOf } from '../../src/effect/denial.ts'
import type { Observation } from '../../src/effect/effect.ts'
import { attempt, effect, observation } from './builders.ts'

describe('an attempt is denied', () => {
  it.each<[string, Partial<Observation>, boolean]>([
    ['by an absence that covers it', {}, true],
    ['by the first it covers', { covers: { from: 2, to: 3 } }, true],
    ['by the last it covers', { covers: { from: 1, to: 2 } }, true],
    ['not by one that ends before it', { covers: { from: 1, to: 1 } }, false],
    ['not by one that begins after it', { covers: { from: 3, to: 3 } }, false],
    ['not by one at another target (rules R11)', { target: 'bank' }, false],
    ['not by one that proved nothing', { verdict: 'UNKNOWN' }, false],
    ['not by a confirmation', { verdict: 'CONFIRMED' }, false],
  ])('%s', (_, fields, denied) => {
    const seen = observation({ verdict: 'FAILED', covers: { from: 2, to: 2 }, ...fields })

    expect(denialsOf({ observations: [seen] }, attempt({ number: 2 }))).toEqual(denied ? [seen] : [])
  })

  it('by all that deny it, in their order', () => {
    const absences = [
      observation({ verdict: 'FAILED' }),
      observation(),
      observation({ verdict: 'FAILED', proof: 'terminal' }),
    ]

    const denials = denialsOf(effect([attempt()], absences), attempt())

    expect(denials.map(({ sequence }) => sequence)).toEqual([1, 3])
  })
})
