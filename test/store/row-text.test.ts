// Text in a column: it is read only if it is exactly what would be written, so that it says one thing and nothing else.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { StoredDataCorrupt } from '../../src/proposal/errors.ts'
import { canonicalText } from '../../src/store/canonical-text.ts'
import { RowReader } from '../../src/store/rows/row-reader.ts'

function read(text: string): unknown {
  return new RowReader({ policy: text }, 'proposals', ['acme', 'p-1']).json('policy', (value) => value)
}

/** Puts a value at the bottom of so many objects and lists. */
function nested(depth: number, text: string): string {
  return depth === 0 ? text : nested(depth - 1, depth % 2 === 0 ? `{"a":${text}}` : `[${text}]`)
}

describe('what a column may say', () => {
  test.prop([fc.integer({ min: 0, max: 20 }), fc.constantFrom('"approve"', '"reject"', 'null', '[]')], { numRuns: 50 })(
    'threat T22 a key that comes twice is found at any depth',
    (depth, value) => {
      const once = nested(depth, '{"decision":"reject"}')

      expect(canonicalText(read(once))).toBe(once)
      expect(() => read(nested(depth, `{"decision":"reject","decision":${value}}`))).toThrow(StoredDataCorrupt)
      expect(() => read(nested(depth, `{"decision":${value},"\\u0064ecision":"reject"}`))).toThrow(StoredDataCorrupt)
    },
  )

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e21',
    '1e2',
    '1.0',
    '-0',
    '0.0',
    '1E0',
    '123456789012345678901234567890',
  ])('threat T23 the number %s is refused by its spelling, and not rounded', (number) => {
    expect(() => read(`{"count":${number}}`)).toThrow(StoredDataCorrupt)
    expect(() => read(number)).toThrow(StoredDataCorrupt)
  })

  test.prop([fc.maxSafeInteger()], { numRuns: 200 })('threat T23 a safe integer is read as it is spelled', (number) => {
    const text = `{"count":${number === 0 ? 0 : number}}`

    expect(canonicalText(read(text))).toBe(text)
  })

  it('threat T22 names the row and the column, and nothing of what they say', () => {
    const error = (() => {
      try {
        return read('{"secret":1,"secret":2}')
      } catch (thrown) {
        return thrown
      }
    })()

    expect(error).toMatchObject({ code: 'stored_data_corrupt', address: 'proposals/acme/p-1' })
    expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain('secret')
  })
})
