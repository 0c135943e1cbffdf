// Names of principals: unambiguous, and read back as the principal that they name.
import { expect, it } from 'vitest'
import { isReference, type Reference } from '../../src/effect/reference.ts'
import { type Principal, principalName, principalOf, samePrincipal } from '../../src/proposal/principal.ts'

const reference = (text: string): Reference => {
  if (!isReference(text)) throw new Error('not a reference')
  return text
}

it.each<Principal>([
  { kind: 'user', id: reference('fiona') },
  { kind: 'service', id: reference('a:b:c') },
  { kind: 'agent', id: reference('user:fiona') },
])('the name of a principal reads back as that principal: $kind $id', (principal) => {
  expect(principalOf(principalName(principal))).toEqual(principal)
})

it('threat T7: ids are compared byte for byte, and kinds are never mixed', () => {
  const fiona: Principal = { kind: 'user', id: reference('fiona') }

  expect(samePrincipal(fiona, { ...fiona })).toBe(true)
  expect(samePrincipal(fiona, { kind: 'user', id: reference('Fiona') })).toBe(false)
  expect(samePrincipal(fiona, { kind: 'agent', id: fiona.id })).toBe(false)
})
