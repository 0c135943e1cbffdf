// A pointer into a schema: what is there, whether it is always there, and how much of a path the schema knows.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { money } from '../../src/proposal/money.ts'
import { knownPath, pathKind, placeAt, type SchemaPlace } from '../../src/proposal/definition/schema-pointer.ts'
import { readSchema } from '../../src/proposal/definition/schema-shape.ts'

const schema = z.strictObject({
  amount: money(),
  fee: money().nullable(),
  refunded: z.exactOptional(money()),
  price: z.union([money(), money({ negative: true })]),
  amountOrNote: z.union([money(), z.string()]),
  nothing: z.null(),
  lines: z.array(z.strictObject({ price: money() })),
  tags: z.array(z.string()).nullable(),
  'a/b~c': z.strictObject({ '': z.string() }),
  owner: z.strictObject({ name: z.string() }).nullable(),
  payment: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('card'), total: money() }),
    z.strictObject({ kind: z.literal('bank'), total: money(), iban: z.exactOptional(z.string()) }),
  ]),
})
const { shape } = readSchema(schema)

describe('placeAt', () => {
  it.each<[string, SchemaPlace]>([
    ['', { kind: 'other', always: true }],
    ['/amount', { kind: 'money', always: true }],
    ['/amount/currency', { kind: 'other', always: true }],
    ['/fee', { kind: 'money', always: true }],
    ['/fee/amount', { kind: 'other', always: false }],
    ['/refunded', { kind: 'money', always: false }],
    ['/price', { kind: 'money', always: true }],
    ['/amountOrNote', { kind: 'other', always: true }],
    ['/nothing', { kind: 'other', always: true }],
    ['/lines', { kind: 'list', always: true }],
    ['/tags', { kind: 'list', always: true }],
    ['/a~1b~0c/', { kind: 'other', always: true }],
    ['/owner', { kind: 'other', always: true }],
    ['/owner/name', { kind: 'other', always: false }],
    ['/payment/kind', { kind: 'other', always: true }],
    ['/payment/total', { kind: 'money', always: true }],
    ['/payment/iban', { kind: 'other', always: false }],
    ['/lines/0', { kind: 'missing' }],
    ['/lines/*/price', { kind: 'missing' }],
    ['/amount/amount/0', { kind: 'missing' }],
    ['/unknown', { kind: 'missing' }],
    ['/constructor', { kind: 'missing' }],
    ['/a/b~c', { kind: 'missing' }],
    ['amount', { kind: 'missing' }],
  ])('%j', (pointer, place) => {
    expect(placeAt(shape, pointer)).toEqual(place)
  })
})

describe('pathKind', () => {
  it.each([
    ['/amount', 'money'],
    ['/lines', 'other'],
    ['/owner', 'other'],
    ['/unknown', 'missing'],
  ])('%s is %s', (pointer, kind) => {
    expect(pathKind(schema, pointer)).toBe(kind)
  })
})

describe('knownPath', () => {
  it.each<[readonly PropertyKey[], readonly string[]]>([
    [[], []],
    [
      ['amount', 'currency'],
      ['amount', 'currency'],
    ],
    [
      ['lines', 3, 'price', 'amount'],
      ['lines', '3', 'price', 'amount'],
    ],
    [
      ['lines', '3'],
      ['lines', '3'],
    ],
    [['lines', 'price'], ['lines']],
    [
      ['payment', 'iban'],
      ['payment', 'iban'],
    ],
    [
      ['owner', 'name', 'first'],
      ['owner', 'name'],
    ],
    [
      ['lines', 0, '4111 1111 1111 1111', 'price'],
      ['lines', '0'],
    ],
    [['Bob Smith'], []],
    [[Symbol('x')], []],
  ])('%j ends where the schema knows no more', (path, known) => {
    expect(knownPath(shape, path)).toEqual(known)
  })
})
