// The seed of a suite: what the command line hands over, and what is no seed.
import process from 'node:process'
import { afterEach, expect, it } from 'vitest'
import { SEED_VARIABLE, suiteSeed } from '../../../src/testing/safety/suite-seed.ts'

afterEach(() => {
  delete process.env[SEED_VARIABLE]
})

it.each([
  ['42', 42],
  ['0', 0],
  ['', 1],
])('of %j is %d', (text, seed) => {
  process.env[SEED_VARIABLE] = text

  expect(suiteSeed()).toBe(seed)
})

it('is 1 where nobody hands one over', () => {
  expect(suiteSeed()).toBe(1)
})

it.each(['-1', '1.5', 'one', '9007199254740993', '1e3', ' 1'])('%j is none', (text) => {
  process.env[SEED_VARIABLE] = text

  expect(() => suiteSeed()).toThrow(TypeError)
})
