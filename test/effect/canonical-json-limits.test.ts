// The limits of canonical JSON, each at one less, at itself and at one more.
import { describe, expect, it } from 'vitest'
import { canonicalJson, type CanonicalJsonError } from '../../src/effect/canonical-json.ts'
import { type LimitName, limits } from '../../src/effect/limits.ts'
import { nested, refusalOf } from './refusal.ts'

describe('the limits of canonical JSON', () => {
  it.each([
    [limits.jsonDepth - 1, true],
    [limits.jsonDepth, true],
    [limits.jsonDepth + 1, false],
  ])('%d containers within each other: %s', (depth, fits) => {
    expect(hit(refusalOf(nested(depth)))).toEqual(fits ? null : at('jsonDepth', '/0'.repeat(limits.jsonDepth)))
  })

  it('20,000 containers within each other are refused and break no stack (reliability F11)', () => {
    expect(hit(refusalOf(nested(20_000)))).toEqual(at('jsonDepth', '/0'.repeat(limits.jsonDepth)))
  })

  it.each([
    [limits.jsonNodes - 1, true],
    [limits.jsonNodes, true],
    [limits.jsonNodes + 1, false],
  ])('%d nodes, the array itself among them: %s', (nodes, fits) => {
    const array = Array.from({ length: nodes - 1 }, () => 0)

    expect(hit(refusalOf(array))).toEqual(fits ? null : at('jsonNodes', '/9999'))
  })

  it.each([
    [limits.jsonNodes - 1, true],
    [limits.jsonNodes, true],
    [limits.jsonNodes + 1, false],
  ])('%d nodes in many objects: %s', (nodes, fits) => {
    const pairs = Array.from({ length: 3_000 }, () => ({ a: 1, b: null }))
    const scalars = Array.from({ length: nodes - 2 - 3 * pairs.length }, () => true)

    expect(hit(refusalOf([...pairs, scalars]))).toEqual(fits ? null : at('jsonNodes', '/3000/998'))
  })

  it('one object in many places counts in each of them', () => {
    let doubled: unknown = 0
    for (let level = 0; level < 40; level += 1) doubled = [doubled, doubled]

    expect(refusalOf(doubled)?.limit).toBe('jsonNodes')
  })

  it('a huge array of holes is refused by its length, before its keys are listed', () => {
    expect(hit(refusalOf({ rows: holes(2 ** 32 - 1) }))).toEqual(at('jsonNodes', '/rows'))
  })

  it.each([
    [limits.jsonKeysPerObject - 1, true],
    [limits.jsonKeysPerObject, true],
    [limits.jsonKeysPerObject + 1, false],
  ])('%d keys in an object: %s', (keys, fits) => {
    const object = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 0]))

    expect(hit(refusalOf({ object }))).toEqual(fits ? null : at('jsonKeysPerObject', '/object'))
  })

  it.each([
    ['1 byte', 'x', limits.stringBytes - 1, true],
    ['1 byte', 'x', limits.stringBytes, true],
    ['1 byte', 'x', limits.stringBytes + 1, false],
    ['2 bytes', '\u00E9', limits.stringBytes / 2, true],
    ['2 bytes', '\u00E9', limits.stringBytes / 2 + 1, false],
    ['3 bytes', '\u20AC', Math.floor(limits.stringBytes / 3), true],
    ['3 bytes', '\u20AC', Math.ceil(limits.stringBytes / 3), false],
    ['4 bytes', '\u{1F4B6}', limits.stringBytes / 4, true],
    ['4 bytes', '\u{1F4B6}', limits.stringBytes / 4 + 1, false],
    ['1 byte, though 6 when escaped,', '\u0001', limits.stringBytes, true],
  ])('a string, and a key, of characters of %s: %j × %d: %s', (_, character, count, fits) => {
    const text = character.repeat(count)
    const wide = { bytesMax: 10 * limits.stringBytes }

    expect(hit(refusalOf([text], wide))).toEqual(fits ? null : at('stringBytes', '/0'))
    expect(hit(refusalOf([{ [text]: 0 }], wide))).toEqual(fits ? null : at('stringBytes', '/0'))
  })

  it.each(['x', '\u00E9', '\u20AC', '\u{1F4B6}', '\u0001'])(
    'the whole text, to the byte: characters like %j',
    (character) => {
      const document = { a: character.repeat(10), b: [1, 2, 3] }
      const bytes = Buffer.byteLength(canonicalJson(document, { numbers: 'integers' }))

      expect(refusalOf(document, { bytesLimit: 'previewBytes', bytesMax: bytes + 1 })).toBeNull()
      expect(refusalOf(document, { bytesLimit: 'previewBytes', bytesMax: bytes })).toBeNull()
      expect(hit(refusalOf(document, { bytesLimit: 'previewBytes', bytesMax: bytes - 1 }))).toEqual(
        at('previewBytes', ''),
      )
    },
  )

  it.each(['commandBytes', 'snapshotBytes', 'previewBytes', 'resultBytes', 'factsBytes'] as const)(
    '%s is its own figure when it is named',
    (bytesLimit) => {
      const quarter = 'x'.repeat(limits[bytesLimit] / 4)
      const rest = quarter.slice('["","","",""]'.length)

      expect(refusalOf([quarter, quarter, quarter, rest], { bytesLimit })).toBeNull()
      expect(hit(refusalOf([quarter, quarter, quarter, `${rest}x`], { bytesLimit }))).toEqual(at(bytesLimit, ''))
    },
  )

  it('no text is unlimited: commandBytes holds when no limit is named', () => {
    const document = Array.from({ length: 5 }, () => 'x'.repeat(limits.stringBytes))

    expect(hit(refusalOf(document))).toEqual(at('commandBytes', ''))
  })

  it('a text that grows far beyond its limit is given up on the way', () => {
    const rows = [...Array.from({ length: 100 }, () => 'x'.repeat(1_000)), Symbol('never reached')]

    expect(hit(refusalOf(rows, { bytesMax: 10_000 }))).toEqual(at('commandBytes', ''))
  })

  it('the message names the limit and the place', () => {
    expect(refusalOf({ a: nested(64) })?.message).toBe(`Over the limit jsonDepth at "/a${'/0'.repeat(63)}"`)
  })
})

interface Hit {
  readonly code: string
  readonly rule: string
  readonly limit: LimitName | null
  readonly pointer: string
}

function at(limit: LimitName, pointer: string): Hit {
  return { code: 'limit_exceeded', rule: 'limit', limit, pointer }
}

function hit(refusal: CanonicalJsonError | null): Hit | null {
  if (refusal === null) return null
  return { code: refusal.code, rule: refusal.rule, limit: refusal.limit, pointer: refusal.pointer }
}

function holes(length: number): unknown[] {
  const array: unknown[] = []
  array.length = length
  return array
}
