// Chance that repeats itself: references that grow, tokens and fractions, all from one seed.
import { parseReference } from '../effect/reference.ts'
import type { Ids } from '../runtime/ports.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The same ids for the same seed; references of the length of a ULID, later ones greater. */
export function seededIds(seed: number): Ids {
  const fraction = lehmer(seed)
  const characters = (count: number): string =>
    Array.from({ length: count }, () => ALPHABET.charAt(Math.floor(fraction() * ALPHABET.length))).join('')
  let serial = 0
  return {
    reference: () => {
      serial += 1
      return parseReference(serial.toString(10).padStart(10, '0') + characters(16), '')
    },
    token: () => characters(26),
    fraction,
  }
}

/** A small generator of even fractions in [0, 1) (Lehmer's); good enough for tests, and nothing else. */
function lehmer(seed: number): () => number {
  const modulus = 2 ** 31 - 1
  let state = (seed % (modulus - 1)) + 1
  return () => {
    state = (state * 48_271) % modulus
    return state / modulus
  }
}
