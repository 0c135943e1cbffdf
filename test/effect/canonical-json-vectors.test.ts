// Canonical JSON against the published vectors of RFC 8785, against another implementation, and its laws.
import { readFileSync } from 'node:fs'
import { fc, test } from '@fast-check/vitest'
import canonicalize from 'canonicalize'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue, parseCanonicalJson } from '../../src/effect/canonical-json.ts'
import { sha256 } from '../../src/effect/hash.ts'

const vector = (path: string): string => readFileSync(new URL(`jcs/${path}`, import.meta.url), 'utf8')
const finite = (value: unknown): string => canonicalJson(value, { numbers: 'finite' })
const integers = (value: unknown): string => canonicalJson(value, { numbers: 'integers' })

describe('the published vectors of RFC 8785', () => {
  it.each(['arrays', 'french', 'structures', 'unicode', 'weird'])('%s.json, in both number modes', (name) => {
    const input: unknown = JSON.parse(vector(`input/${name}.json`))

    expect(finite(input)).toBe(vector(`output/${name}.json`))
    expect(integers(input)).toBe(vector(`output/${name}.json`))
  })

  it('values.json without 1e30, an integer beyond the safe ones, which is refused', () => {
    const input = vector('input/values.json')

    expect(() => finite(JSON.parse(input))).toThrow('Not plain JSON: unsafe_integer at "/numbers/1"')
    expect(finite(JSON.parse(input.replace('1E30, ', '')))).toBe(vector('output/values.json').replace('1e+30,', ''))
  })

  it('the 10,000 numbers: agrees wherever it accepts, and refuses what it says it refuses', () => {
    const text = vector('numbers-10000.txt')
    expect(Buffer.from(sha256(new TextEncoder().encode(text))).toString('hex')).toBe(
      'b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892',
    )

    const outcomes = text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','))
      .map(([bits = '', expected = '']) => ({ number: doubleOf(bits), expected }))
      .map(({ number, expected }) => ({ number, expected, written: writtenOrRule(number) }))
    const taken = outcomes.filter(({ number }) => Math.abs(number) <= Number.MAX_SAFE_INTEGER && !Object.is(number, -0))
    const others = outcomes.filter((outcome) => !taken.includes(outcome))

    expect(outcomes).toHaveLength(10_000)
    expect(taken.length).toBeGreaterThan(5_000)
    expect(taken.filter(({ written, expected }) => written !== expected)).toEqual([])
    expect(new Set(others.map(({ written }) => written))).toEqual(new Set(['negative_zero', 'unsafe_integer']))
  })
})

const key = fc.string({ unit: 'binary', maxLength: 6 }).filter((name) => name !== '__proto__' && name !== 'toJSON')
const fraction = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
const number = fc.oneof(fc.maxSafeInteger(), fraction).filter((value) => !Object.is(value, -0))

/** Everything that the mode `finite` takes. */
const { anything } = fc.letrec<{ anything: JsonValue }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    number,
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.array(tie('anything'), { maxLength: 5 }),
    fc.dictionary(key, tie('anything'), { maxKeys: 5 }).filter((object) => hasDistinctKeys(object)),
  ),
}))

/** So few values that two of them are often the same. */
const { something } = fc.letrec<{ something: JsonValue }>((tie) => ({
  something: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(null, true, false, 0, 1, 10, '', '0', '1', 'null', ',', '"'),
    fc.array(tie('something'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', ''), tie('something'), { maxKeys: 2 }),
  ),
}))

describe('canonical JSON', () => {
  test.prop([anything], { numRuns: 3_000 })('agrees with the package canonicalize on what both take', (value) => {
    expect(finite(value)).toBe(canonicalize(value))
  })

  test.prop([anything], { numRuns: 1_000 })(
    'reads back as the same data and writes those as the same text',
    (value) => {
      const text = finite(value)

      expect(parseCanonicalJson(text)).toEqual(value)
      expect(finite(parseCanonicalJson(text))).toBe(text)
    },
  )

  test.prop([something, something], { numRuns: 3_000 })('is the same text for the same data only', (one, other) => {
    expect(integers(one) === integers(other)).toBe(isSame(one, other))
  })

  test.prop([anything], { numRuns: 500 })('does not depend on the order in which keys were set', (value) => {
    expect(finite(withKeysReversed(value))).toBe(finite(value))
  })

  it('sorts keys by UTF-16 code units, not by code points', () => {
    expect(integers({ '\uFB33': 2, '\u{1F602}': 1 })).toBe('{"\u{1F602}":1,"\uFB33":2}')
  })

  it('writes 1 and 1.0, 1e0 and 10e-1 alike, since they are one number', () => {
    expect(new Set(['1', '1.0', '1e0', '10e-1'].map((text) => finite(JSON.parse(text))))).toEqual(new Set(['1']))
  })
})

function doubleOf(bits: string): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${bits}`))
  return view.getFloat64(0)
}

function writtenOrRule(value: number): string {
  try {
    return finite(value)
  } catch (error) {
    return error instanceof Error && 'rule' in error ? String(error.rule) : 'another error'
  }
}

function hasDistinctKeys(object: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(object)
  return new Set(keys.map((name) => name.normalize('NFC'))).size === keys.length
}

/** Equality of JSON data, written without any serializing. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const left = Object.entries(one)
  const right = new Map<string, JsonValue>(Object.entries(other))
  return left.length === right.size && left.every(([name, value]) => isEntry(right, name, value))
}

function isEntry(entries: ReadonlyMap<string, JsonValue>, name: string, value: JsonValue): boolean {
  const found = entries.get(name)
  return found !== undefined && isSame(found, value)
}

function withKeysReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKeysReversed)
  if (typeof value !== 'object' || value === null) return value
  const reversed = Object.entries(value).toReversed()
  return Object.fromEntries(reversed.map(([name, inner]) => [name, withKeysReversed(inner)]))
}
