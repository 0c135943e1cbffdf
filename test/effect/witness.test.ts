// What a witness outside a store says of the store: whether it was put back, is another one, or cannot be judged.
import { describe, expect, it } from 'vitest'
import { fc } from '@fast-check/vitest'
import { furthest, restoreFinding, type Witnessed } from '../../src/effect/witness.ts'

const whole: Witnessed = { storeId: 'store-1', place: null, restores: 1, admissions: 7, erasures: 2 }

function known(fields: Partial<Witnessed>): Witnessed {
  return { ...whole, ...fields }
}

describe('rules R15: what the witness says of a store', () => {
  it.each<[string, Witnessed, Witnessed | null, string | null]>([
    ['as it was last seen', whole, whole, null],
    ['with one admission more', known({ admissions: 8 }), whole, null],
    ['with one erasure more', known({ erasures: 3 }), whole, null],
    ['with one admission less', known({ admissions: 6 }), whole, 'behind'],
    ['with one erasure less', known({ erasures: 1 }), whole, 'behind'],
    ['with fewer admissions and more erasures', known({ admissions: 6, erasures: 9 }), whole, 'behind'],
    ['before a restore that was acknowledged', known({ restores: 0, admissions: 9 }), whole, 'behind'],
    ['after a restore that the witness has not heard of', known({ restores: 2, admissions: 0 }), whole, null],
    ['another one', known({ storeId: 'store-2', admissions: 9 }), whole, 'changed'],
    ['on another server', known({ place: 'server-2' }), known({ place: 'server-1' }), 'changed'],
    [
      'on another server, and behind',
      known({ place: 'server-2', admissions: 6 }),
      known({ place: 'server-1' }),
      'behind',
    ],
    ['new, without a witness', known({ restores: 0, admissions: 0, erasures: 0 }), null, null],
    ['with admissions, without a witness', known({ erasures: 0 }), null, 'missing'],
    ['with erasures, without a witness', known({ admissions: 0 }), null, 'missing'],
  ])('rules R15 a store %s', (_, store, witness, finding) => {
    expect(restoreFinding(store, witness)).toBe(finding)
  })
})

describe('the furthest of what is known', () => {
  it.each<[string, Witnessed | null, Witnessed]>([
    ['nothing else is known', null, whole],
    ['the other is of another store', known({ storeId: 'store-2', admissions: 99 }), whole],
    ['the other was before a restore', known({ restores: 0, admissions: 99 }), whole],
    ['the other was after a restore', known({ restores: 2, admissions: 0 }), known({ restores: 2, admissions: 0 })],
    ['each has a higher count', known({ admissions: 9, erasures: 1 }), known({ admissions: 9 })],
  ])('where %s', (_, other, expected) => {
    expect(furthest(whole, other)).toStrictEqual(expected)
  })

  it('is never behind either of two of one store, in whichever order they are told', () => {
    const count = fc.nat({ max: 3 })
    const any = fc.record({
      storeId: fc.constant('store-1'),
      place: fc.constant(null),
      restores: count,
      admissions: count,
      erasures: count,
    })
    fc.assert(
      fc.property(any, any, (one, other) => {
        const both = furthest(one, other)
        expect(furthest(other, one)).toStrictEqual(both)
        expect(restoreFinding(both, one)).toBeNull()
        expect(restoreFinding(both, other)).toBeNull()
      }),
    )
  })
})
