// The seed of a suite that runs under the command line, which has no other way to hand one to a function without arguments.
import process from 'node:process'

/** The environment variable through which the command line hands over its `--seed`. */
export const SEED_VARIABLE = 'COUNTERSIGN_SEED'

const DEFAULT_SEED = 1

/**
 * The seed that a suite should run with: that of `countersign test --seed N`, else 1.
 *
 * @throws TypeError if the variable holds something else than a whole number.
 */
export function suiteSeed(): number {
  const text = process.env[SEED_VARIABLE]
  if (text === undefined || text === '') return DEFAULT_SEED
  const seed = Number(text)
  if (!/^[0-9]{1,16}$/.test(text) || !Number.isSafeInteger(seed)) {
    throw new TypeError(`${SEED_VARIABLE} holds a whole number, zero or more`)
  }
  return seed
}
