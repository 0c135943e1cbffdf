// Chance that repeats itself: references that grow, tokens and fractions, all from one seed.
import { parseReference } from '../../src/effect/reference.ts'
import type { Ids } from '../../src/runtime/ports.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The same ids for the same seed; references of the length of a ULID, later ones greater. */
export function seededIds(seed: number): Ids {
  const fraction = mulberry32(seed)
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

/** A small generator of even fractions in [0, 1); good enough for tests, and nothing else. */
function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
