// JSON Pointers: written, read and looked up as RFC 6901 says.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../src/effect/canonical-json.ts'
import { jsonPointer, parseJsonPointer, valueAt } from '../../src/effect/json-pointer.ts'

/** The document of RFC 6901, section 5. */
const document: JsonValue = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}

describe('a pointer', () => {
  it.each<[string, JsonValue]>([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('finds the value of "%s" that RFC 6901 gives', (pointer, expected) => {
    expect(valueAt(document, pointer)).toEqual(expected)
  })

  it.each([
    ['a key that is not there', '/bar'],
    ['an index past the end', '/foo/2'],
    ['the place after the end', '/foo/-'],
    ['an index with a leading zero', '/foo/00'],
    ['an index with a sign', '/foo/+1'],
    ['an empty index', '/foo/'],
    ['the length of an array', '/foo/length'],
    ['what every object inherits', '/constructor'],
    ['a place under a number', '//x'],
    ['a place under a string', '/foo/0/0'],
    ['a place under nothing', '/bar/x/y'],
  ])('finds nothing at %s', (_, pointer) => {
    expect(valueAt(document, pointer)).toBeUndefined()
  })

  it('finds elements by indices of any length', () => {
    const array = Array.from({ length: 1_001 }, (_, index) => index)

    expect([0, 9, 10, 99, 100, 1_000].map((index) => valueAt(array, `/${index}`))).toEqual([0, 9, 10, 99, 100, 1_000])
  })

  it('finds nothing under null, and the null itself', () => {
    expect(valueAt({ a: null }, '/a/b')).toBeUndefined()
    expect(valueAt({ a: null }, '/a')).toBeNull()
  })

  it.each(['a', 'a/b', '/~', '/~2', '/a~', ' /a', '#/a'])('"%s" is none', (text) => {
    expect(parseJsonPointer(text)).toBeNull()
    expect(() => valueAt(document, text)).toThrow(new TypeError('Not a JSON Pointer'))
  })

  it('reads "~01" as "~1", not as "/"', () => {
    expect(parseJsonPointer('/~01')).toEqual(['~1'])
  })

  test.prop([fc.array(fc.string({ unit: 'binary' }))])('leads back to the segments it was written from', (segments) => {
    expect(parseJsonPointer(jsonPointer(segments))).toEqual(segments)
  })

  it('writes indices as numbers', () => {
    expect(jsonPointer(['items', 0, 'a/b~c'])).toBe('/items/0/a~1b~0c')
  })
})
