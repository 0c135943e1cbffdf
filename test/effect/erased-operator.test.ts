// The name that stands where an operator's stood: nobody's name, and never a principal's.
import { expect, it } from 'vitest'
import { ERASED_OPERATOR } from '../../src/effect/erased-operator.ts'

it('what stands for an erased operator is no name that a principal can have', () => {
  expect(ERASED_OPERATOR).not.toMatch(/^(?:user|service|agent):/)
  expect(ERASED_OPERATOR).not.toBe('')
})
