// Drift: every material change is found at its path, nothing else is, and what is immaterial never counts.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue } from '../../src/effect/canonical-json.ts'
import { jsonPointer, valueAt } from '../../src/effect/json-pointer.ts'
import { DRIFT_PATHS_MAX, drift, driftPaths } from '../../src/proposal/content/drift.ts'

const all = { immaterial: [], sets: [] }

describe('drift', () => {
  it.each<[string, JsonValue, JsonValue, readonly unknown[]]>([
    ['nothing moved', { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, []],
    ['a value', { a: 1 }, { a: 2 }, [{ path: '/a', before: 1, after: 2 }]],
    ['deep inside', { a: { b: { c: 'x' } } }, { a: { b: { c: 'y' } } }, [{ path: '/a/b/c', before: 'x', after: 'y' }]],
    ['another type', { a: '1' }, { a: 1 }, [{ path: '/a', before: '1', after: 1 }]],
    ['zero is not false', { a: 0 }, { a: false }, [{ path: '/a', before: 0, after: false }]],
    ['null is not nothing', { a: null }, {}, [{ path: '/a', before: null }]],
    ['nothing is not null', {}, { a: null }, [{ path: '/a', after: null }]],
    ['an empty list is not an empty object', { a: [] }, { a: {} }, [{ path: '/a', before: [], after: {} }]],
    ['an object is not null', { a: { b: 1 } }, { a: null }, [{ path: '/a', before: { b: 1 }, after: null }]],
    ['an object is not a list', { a: { 0: 1 } }, { a: [1] }, [{ path: '/a', before: { 0: 1 }, after: [1] }]],
    ['an element', { a: [1, 2, 3] }, { a: [1, 5, 3] }, [{ path: '/a/1', before: 2, after: 5 }]],
    ['an element more', { a: [1] }, { a: [1, { b: 2 }] }, [{ path: '/a/1', after: { b: 2 } }]],
    ['an element fewer', { a: [1, 2] }, { a: [1] }, [{ path: '/a/1', before: 2 }]],
    [
      'the order',
      { a: [1, 2] },
      { a: [2, 1] },
      [
        { path: '/a/0', before: 1, after: 2 },
        { path: '/a/1', before: 2, after: 1 },
      ],
    ],
    ['a key that needs escapes', { 'a/b~c': 1 }, { 'a/b~c': 2 }, [{ path: '/a~1b~0c', before: 1, after: 2 }]],
    ['a key of Object.prototype', {}, { constructor: 1 }, [{ path: '/constructor', after: 1 }]],
    ['everything', 'x', 'y', [{ path: '', before: 'x', after: 'y' }]],
  ])('%s', (_title, approved, current, moved) => {
    expect(drift(approved, current, all)).toEqual(moved)
    expect(driftPaths(approved, current, all)).toEqual(moved.map((one) => (one as { path: string }).path))
  })

  it('does not count what is immaterial, nor what is below it', () => {
    const materiality = { immaterial: ['/a', '/b/c'], sets: [] }

    expect(driftPaths({ a: 1, b: { c: { d: 1 } } }, { b: { c: [2] } }, materiality)).toEqual([])
    expect(driftPaths({ b: { c: 1, d: 1 } }, { b: { c: 2, d: 2 }, ab: 1 }, materiality)).toEqual(['/b/d', '/ab'])
  })

  it('counts the loss of what an immaterial path leads through', () => {
    expect(driftPaths({ a: { b: 1 } }, { a: null }, { immaterial: ['/a/b'], sets: [] })).toEqual(['/a'])
  })

  describe('with a list as a set', () => {
    const sets = { immaterial: [], sets: ['/tags'] }

    it('does not count the order', () => {
      expect(driftPaths({ tags: ['a', { b: 1, c: 2 }] }, { tags: [{ c: 2, b: 1 }, 'a'] }, sets)).toEqual([])
    })

    it.each<[string, JsonValue, JsonValue]>([
      ['another element', ['a', 'b'], ['a', 'c']],
      ['an element more', ['a'], ['a', 'b']],
      ['the same element twice', ['a', 'b'], ['a', 'b', 'b']],
      ['another element twice', ['a', 'a', 'b'], ['a', 'b', 'b']],
      ['texts that look alike when joined', ['a', 'b'], ['a,b']],
      ['nothing in it', ['a'], []],
    ])('counts %s, at the list', (_title, before, after) => {
      expect(drift({ tags: before }, { tags: after }, sets)).toEqual([{ path: '/tags', before, after }])
    })

    it('counts that there is no list any more', () => {
      expect(driftPaths({ tags: ['a'] }, { tags: null }, sets)).toEqual(['/tags'])
    })

    it('compares other lists by their order', () => {
      expect(driftPaths({ tags: [], lines: [1, 2] }, { tags: [], lines: [2, 1] }, sets)).toEqual([
        '/lines/0',
        '/lines/1',
      ])
    })
  })

  it('names no more than a hundred paths', () => {
    const many = (value: number): JsonValue => Array.from({ length: DRIFT_PATHS_MAX + 1 }, () => value)

    expect(DRIFT_PATHS_MAX).toBe(100)
    expect(driftPaths(many(1), many(2), all)).toHaveLength(100)
  })
})

describe('drift, for any snapshot', () => {
  test.prop([snapshots()])('there is none without a change, whatever the order of the keys', (snapshot) => {
    expect(driftPaths(snapshot, reordered(snapshot), all)).toEqual([])
  })

  test.prop([fc.array(snapshots(), { maxLength: 6 }), fc.infiniteStream(fc.nat())])(
    'there is none in a set whose elements change places',
    (list, random) => {
      const moved = list
        .map((element) => ({ element: reordered(element), at: random.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ element }) => element)

      expect(driftPaths({ list }, { list: moved }, { immaterial: [], sets: ['/list'] })).toEqual([])
    },
  )

  test.prop([snapshots(), fc.nat()])('every single change is found, at its path and nowhere else', (snapshot, pick) => {
    const paths = leaves(snapshot)
    const path = paths[pick % paths.length] ?? []
    const changed = withChange(snapshot, path)

    expect(driftPaths(snapshot, changed, all)).toEqual([jsonPointer(path)])
    expect(drift(snapshot, changed, all)).toEqual([
      { path: jsonPointer(path), before: valueAt(snapshot, jsonPointer(path)), after: 'changed' },
    ])
  })

  test.prop([snapshots(), snapshots()])('a difference in the text is a drift, and only that', (a, b) => {
    const text = (value: JsonValue): string => canonicalJson(value, { numbers: 'integers' })

    expect(driftPaths(a, b, all).length > 0).toBe(text(a) !== text(b))
  })

  test.prop([snapshots(), snapshots(), snapshots()])('an immaterial field never counts', (a, before, after) => {
    const materiality = { immaterial: ['/x/y'], sets: ['/x/y'] }

    expect(driftPaths({ a, x: { y: before } }, { a, x: { y: after } }, materiality)).toEqual([])
    expect(driftPaths({ a, x: {} }, { a, x: { y: after } }, materiality)).toEqual([])
  })

  test.prop([snapshots(), snapshots()])('before and after are the values at the path', (a, b) => {
    for (const { path, before, after } of drift(a, b, all)) {
      expect(before).toEqual(valueAt(a, path))
      expect(after).toEqual(valueAt(b, path))
    }
  })
})

function snapshots(): fc.Arbitrary<JsonValue> {
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonValue>(null, true, false, 0, 1, '', 'a'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c/d', '~', '0', ''), tie('tree'), { maxKeys: 4 }),
    ),
  }))
  return tree
}

function reordered(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reordered)
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, JsonValue] => [key, reordered(inner)])
      .toReversed(),
  )
}

function leaves(value: JsonValue): readonly string[][] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [[]]
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner).map((rest) => [key, ...rest]))
}

function withChange(value: JsonValue, [key, ...rest]: readonly string[]): JsonValue {
  if (key === undefined) return 'changed'
  const entries = Object.entries(value as object) as [string, JsonValue][]
  const changed = entries.map(([name, inner]): [string, JsonValue] => [
    name,
    name === key ? withChange(inner, rest) : inner,
  ])
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)
}
