// The shape of a schema: plain data that says what the schema allows.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { money } from '../../src/proposal/money.ts'
import { readSchema } from '../../src/proposal/definition/schema-shape.ts'

const string = { kind: 'string' }
const nothing = { kind: 'values', values: [null] }
const field = (shape: unknown, optional = false): unknown => ({ optional, shape })

describe('the shape of a schema', () => {
  it('has every kind', () => {
    const schema = z.strictObject({
      text: z.iso.date(),
      count: z.number().int(),
      flag: z.boolean(),
      amount: money(),
      nothing: z.null(),
      literal: z.literal(['a', 1, true, null]),
      level: z.enum({ Low: 0, High: 1 }),
      list: z.array(z.string()),
      nullable: z.string().nullable(),
      either: z.union([z.string(), z.int()]),
      frozen: z.string().readonly(),
      optional: z.exactOptional(z.string()),
      open: z.any(),
    })
    const moneyFields = { amount: field(string), currency: field(string) }

    expect(readSchema(schema)).toEqual({
      refusals: [{ path: ['open'], rule: 'no_any' }],
      shape: {
        kind: 'object',
        money: false,
        fields: {
          text: field(string),
          count: field({ kind: 'integer' }),
          flag: field({ kind: 'boolean' }),
          amount: field({ kind: 'object', money: true, fields: moneyFields }),
          nothing: field(nothing),
          literal: field({ kind: 'values', values: ['a', 1, true, null] }),
          level: field({ kind: 'values', values: [0, 1] }),
          list: field({ kind: 'list', element: string }),
          nullable: field({ kind: 'union', options: [string, nothing] }),
          either: field({ kind: 'union', options: [string, { kind: 'integer' }] }),
          frozen: field(string),
          optional: field(string, true),
          open: field({ kind: 'refused' }),
        },
      },
    })
  })

  it.each([
    ['looks like money', z.strictObject({ amount: z.string(), currency: z.string() })],
    ['was money before a field came', money().extend({ note: z.string() })],
  ])('is not money where it %s', (_title, schema) => {
    expect(readSchema(schema).shape).toMatchObject({ kind: 'object', money: false })
  })

  it('keeps a field named __proto__ a field', () => {
    const { shape } = readSchema(z.strictObject({ ['__proto__']: z.any() }))

    expect(Object.getPrototypeOf(shape.kind === 'object' && shape.fields)).toBe(Object.prototype)
  })
})
