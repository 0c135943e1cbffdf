// Effects as a store could hold them, for properties: attempts of two proposals at two targets, seen and settled anyhow.
import { fc } from '@fast-check/vitest'
import type { Attempt, AttemptEnding, Effect, Evidence, Observation, Settlement } from '../../../src/effect/effect.ts'
import { attempt, ending, observation, settlement } from '../../effect/builders.ts'
import { claimed, P1, P2 } from './sample.ts'

const endings: readonly AttemptEnding[] = [
  ending('accepted'),
  ending('failed_unknown'),
  ending('lease_lapsed'),
  ending('failed_known'),
  ending('stale_no_effect'),
  ending('not_sent'),
]
const target = fc.constantFrom('psp', 'bank')
const flags = fc.subarray([
  'effect_mismatch',
  'predates_attempt',
  'duplicate',
  'reference_differs',
  'reversed',
] as const)

/** An effect with one to three attempts, of which the last may be open; its owner made the last one. */
export const anyEffect: fc.Arbitrary<Effect> = fc
  .array(anyAttempt(), { minLength: 1, maxLength: 3 })
  .chain((attempts) => {
    const observations = fc.array(anyObservation(attempts.length), { maxLength: 4 })
    const settled = fc.option(anySettlement(attempts.length))
    return fc.tuple(fc.constant(attempts), observations, settled, fc.boolean())
  })
  .map(([attempts, observations, settled, isOpen]) => {
    const last = attempts.length - 1
    const open = attempts.map((one, index) => (isOpen && index === last ? { ...one, ending: null } : one))
    return claimed(open, observations, settled, { owner: attempts[last]?.proposal ?? null })
  })

function anyAttempt(): fc.Arbitrary<Attempt> {
  return fc.record({ proposal: fc.constantFrom(P1, P2), target, ending: fc.constantFrom(...endings) }).map(attempt)
}

function anyObservation(attempts: number): fc.Arbitrary<Observation> {
  const number = fc.integer({ min: 1, max: attempts })
  const covers = fc.tuple(number, number).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
  const verdict = fc.constantFrom<Evidence[]>('CONFIRMED', 'FAILED', 'UNKNOWN')
  return fc.record({ verdict, covers, target, flags: fc.oneof(fc.constant([]), flags) }).map(observation)
}

function anySettlement(attempts: number): fc.Arbitrary<Settlement> {
  const verdict = fc.constantFrom<Settlement['verdict'][]>('occurred', 'did_not_occur', 'closed_unknown')
  const upTo = fc.record({
    upToSequence: fc.integer({ min: 0, max: 4 }),
    upToAttempt: fc.integer({ min: 1, max: attempts }),
  })
  return fc.tuple(verdict, upTo).map(([what, fields]) => settlement(what, fields))
}
