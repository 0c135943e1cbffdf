// What canonical JSON refuses, where and why; what it takes as it stands; and the copy that is read back.
import { describe, expect, it } from 'vitest'
import {
  canonicalJson,
  type CanonicalJsonRule,
  deepFreeze,
  isPlainObject,
  parseCanonicalJson,
} from '../../src/effect/canonical-json.ts'
import { nested, refusalBy, refusalOf } from './refusal.ts'

/** A value that is refused wherever it stands, and where within it, if not as a whole. */
interface Refused {
  readonly what: string
  readonly value: unknown
  readonly rule: CanonicalJsonRule
  readonly where: string
}

const refused = table([
  ['undefined', undefined, 'undefined'],
  ['a function', () => 1, 'function'],
  ['a function with toJSON', Object.assign(() => 1, { toJSON: () => 1 }), 'function'],
  ['a symbol', Symbol('x'), 'symbol'],
  ['a bigint', 1n, 'bigint'],
  ['NaN', Number.NaN, 'not_finite'],
  ['Infinity', Number.POSITIVE_INFINITY, 'not_finite'],
  ['-Infinity', Number.NEGATIVE_INFINITY, 'not_finite'],
  ['-0', -0, 'negative_zero'],
  ['2^53', 2 ** 53, 'unsafe_integer'],
  ['-2^53', -(2 ** 53), 'unsafe_integer'],
  ['1e21', 1e21, 'unsafe_integer'],
  ['a lone high surrogate', 'x\uD83D', 'lone_surrogate'],
  ['a lone low surrogate', '\uDCB6x', 'lone_surrogate'],
  ['swapped surrogates', '\uDCB6\uD83D', 'lone_surrogate'],
  ['a Date', new Date(0), 'class_instance'],
  ['a Map', new Map([['a', 1]]), 'class_instance'],
  ['a Set', new Set([1]), 'class_instance'],
  ['a Buffer', Buffer.from('x'), 'class_instance'],
  ['a typed array', new Uint8Array([1]), 'class_instance'],
  ['a boxed string', new Object('x'), 'class_instance'],
  ['a boxed number', new Object(1), 'class_instance'],
  ['a boxed boolean', new Object(true), 'class_instance'],
  ['a regular expression', /x/, 'class_instance'],
  ['an error', new Error('x'), 'class_instance'],
  ['a promise', Promise.resolve(1), 'class_instance'],
  ['an instance of a class', new URLSearchParams(), 'class_instance'],
  ['an object with another prototype', Object.create({ inherited: 1 }), 'class_instance'],
  ['an object whose prototype has none', heirOf(heirOf(null)), 'class_instance'],
  ['an array of a subclass', new (class Rows extends Array {})(), 'class_instance'],
  ['an array without its prototype', Object.setPrototypeOf([1], null), 'class_instance'],
  ['a proxy of an object', new Proxy({}, {}), 'proxy'],
  ['a proxy of an array', new Proxy([1], {}), 'proxy'],
  ['a revoked proxy', revokedProxy(), 'proxy'],
  ['a getter', Object.defineProperty({}, 'b', { get: () => 1, enumerable: true }), 'accessor', '/b'],
  ['a getter in an array', Object.defineProperty([1], 0, { get: () => 1 }), 'accessor', '/0'],
  ['a hidden property', Object.defineProperty({}, 'b', { value: 1 }), 'hidden_property', '/b'],
  ['a hidden element', Object.defineProperty([1], 0, { enumerable: false }), 'hidden_property', '/0'],
  ['a symbol key', { [Symbol('x')]: 1 }, 'symbol_key'],
  ['a hidden symbol key', Object.defineProperty({}, Symbol('x'), { value: 1 }), 'symbol_key'],
  ['a symbol key on an array', Object.assign([1], { [Symbol('x')]: 1 }), 'symbol_key'],
  ['an own key __proto__', JSON.parse('{"__proto__":{"role":"admin"}}'), 'proto_key', '/__proto__'],
  ['a method toJSON', { amount: 100, toJSON: () => ({ amount: 1 }) }, 'to_json', '/toJSON'],
  ['a value named toJSON', { toJSON: 1 }, 'to_json', '/toJSON'],
  ['an array with toJSON', Object.assign([1], { toJSON: () => 1 }), 'decorated_array', '/toJSON'],
  ['a lone surrogate in a key', { 'x\uD800': 1 }, 'lone_surrogate'],
  ['two keys that are one after NFC', { '\u00E9': 1, 'e\u0301': 2 }, 'key_collision', '/\u00E9'],
  ['the same in the other order', { 'e\u0301': 1, '\u00E9': 2 }, 'key_collision', '/\u00E9'],
  ['two composed keys, among others', { a: 1, '\u00C5': 2, '\u212B': 3 }, 'key_collision', '/\u212B'],
  ['two decomposed keys', { 'q\u0323\u0307': 1, 'q\u0307\u0323': 2 }, 'key_collision', '/q\u0323\u0307'],
  ['a hole', withHole(), 'sparse_array', '/1'],
  ['an array with a property', Object.assign([1], { total: 1 }), 'decorated_array', '/total'],
  ['an array with a negative index', Object.assign([1], { '-1': 1 }), 'decorated_array', '/-1'],
  ['an array with a hidden property', Object.defineProperty([1], 'total', { value: 1 }), 'decorated_array', '/total'],
  ['the arguments of a call', argumentsOf(1), 'symbol_key'],
])

describe('canonical JSON refuses', () => {
  it.each(refused)('$what', ({ value, rule, where }) => {
    expect(refusalOf({ a: [value] })).toMatchObject({
      code: 'not_plain_json',
      rule,
      pointer: `/a/0${where}`,
      limit: null,
    })
    expect(refusalOf(value)).toMatchObject({ rule, pointer: where })
  })

  it.each([
    ['1.5', 1.5],
    ['0.1', 0.1],
    ['5e-324', Number.MIN_VALUE],
    ['2^51 + 0.5', 2 ** 51 + 0.5],
  ])('%s where numbers are integers', (_, value) => {
    expect(refusalOf({ amount: value })).toMatchObject({ rule: 'not_integer', pointer: '/amount' })
    expect(canonicalJson({ amount: value }, { numbers: 'finite' })).toBe(`{"amount":${value}}`)
  })

  it.each([
    ['an object in itself', inItself({}), '/self'],
    ['an array in itself', inItself([]), '/0'],
    ['an object far above itself', { a: { b: inItself({}) } }, '/a/b/self'],
  ])('a cycle: %s', (_, value, pointer) => {
    expect(refusalOf(value)).toMatchObject({ rule: 'cycle', pointer })
  })

  it('with an escaped pointer', () => {
    expect(refusalOf({ 'a/b': { 'c~d': [null, undefined] } })?.pointer).toBe('/a~1b/c~0d/1')
  })

  it('by an error of a name and a code', () => {
    expect(refusalOf(1n)).toMatchObject({ name: 'CanonicalJsonError', code: 'not_plain_json' })
    expect(refusalOf(nested(65))).toMatchObject({ name: 'CanonicalJsonError', code: 'limit_exceeded' })
  })

  it('without the value in the message', () => {
    expect(refusalOf({ iban: 'DE89370400440532013000\uD800' })?.message).toBe(
      'Not plain JSON: lone_surrogate at "/iban"',
    )
  })

  it('without running any code of the data', () => {
    const calls: string[] = []
    const trap = (name: string) => (): never => {
      calls.push(name)
      throw new Error(name)
    }
    const traps = { get: trap('get'), ownKeys: trap('ownKeys'), getPrototypeOf: trap('getPrototypeOf') }
    const withGetter = Object.defineProperty({}, 'b', { get: trap('getter'), enumerable: true })

    const rules = [new Proxy({}, traps), new Proxy([], traps), withGetter, { toJSON: trap('toJSON') }].map(
      (value) => refusalOf(value)?.rule,
    )

    expect(rules).toEqual(['proxy', 'proxy', 'accessor', 'to_json'])
    expect(calls).toEqual([])
  })

  it('an accessor also where Object.prototype was given a value', () => {
    const withGetter = Object.defineProperty({}, 'b', { get: () => 1, enumerable: true })

    const refusal = whilePolluted('value', () => refusalOf(withGetter))

    expect(refusal?.rule).toBe('accessor')
  })

  it.each([1, 2, 10, 31])(
    'an own key __proto__ at depth %d, and leaves Object.prototype alone (reliability T24)',
    (depth) => {
      const text = `${'{"a":['.repeat(depth)}{"__proto__":{"polluted":true}}${']}'.repeat(depth)}`

      expect(refusalOf(JSON.parse(text))).toMatchObject({
        rule: 'proto_key',
        pointer: `${'/a/0'.repeat(depth)}/__proto__`,
      })
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    },
  )
})

describe('canonical JSON takes', () => {
  it.each([
    ['an object without a prototype', Object.assign(heirOf(null), { b: 1, a: 2 }), '{"a":2,"b":1}'],
    ['frozen data', deepFreeze({ b: [1], a: 'x' }), '{"a":"x","b":[1]}'],
    ['empty containers', [{}, []], '[{},[]]'],
    ['the ends of the safe integers', [2 ** 53 - 1, 1 - 2 ** 53, 0], '[9007199254740991,-9007199254740991,0]'],
    ['a key or a text that is not NFC, as it stands', { 'e\u0301': 'A\u030A' }, '{"e\u0301":"A\u030A"}'],
    ['two keys that differ after NFC', { '\u00E9': 1, e: 2 }, '{"e":2,"\u00E9":1}'],
    [
      'keys named like what objects inherit',
      JSON.parse('{"constructor":1,"length":2}'),
      '{"constructor":1,"length":2}',
    ],
    ['a scalar at the root', 'x', '"x"'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value, { numbers: 'integers' })).toBe(text)
  })

  it('one object in two places, which is no cycle', () => {
    const shared = { a: 1 }

    expect(canonicalJson([shared, { shared }, shared], { numbers: 'integers' })).toBe(
      '[{"a":1},{"shared":{"a":1}},{"a":1}]',
    )
  })
})

describe('isPlainObject', () => {
  it.each([
    ['an object', {}, true],
    ['an object without a prototype', heirOf(null), true],
    ['an array', [], false],
    ['null', null, false],
    ['a string', 'x', false],
    ['a function', () => 1, false],
    ['a Map', new Map(), false],
    ['a proxy', new Proxy({}, {}), false],
    ['a revoked proxy', revokedProxy(), false],
  ])('of %s', (_, value, expected) => {
    expect(isPlainObject(value)).toBe(expected)
  })
})

describe('parseCanonicalJson', () => {
  it('gives a fresh copy, frozen through and through', () => {
    const text = '{"a":[1,{"b":[]}],"c":null,"d":"x"}'
    const copy = parseCanonicalJson(text)

    expect(copy).toEqual({ a: [1, { b: [] }], c: null, d: 'x' })
    expect(copy).not.toBe(parseCanonicalJson(text))
    expect(unfrozenIn(copy)).toEqual([])
  })

  it('takes a scalar', () => {
    expect(parseCanonicalJson('17')).toBe(17)
  })

  it.each(['', '{', '{"iban":"DE89370400440532013000"', 'undefined', "{'a':1}"])(
    'refuses "%s" without quoting it',
    (text) => {
      const refusal = refusalBy(() => parseCanonicalJson(text))

      expect(refusal).toMatchObject({ code: 'not_plain_json', rule: 'not_json_text', pointer: '', limit: null })
      expect(refusal?.message).toBe('Not plain JSON: not_json_text at ""')
      expect(refusal?.cause).toBeUndefined()
    },
  )
})

describe('deepFreeze', () => {
  it('freezes below what was frozen already', () => {
    const inner = { a: [1] }

    expect(unfrozenIn(deepFreeze(Object.freeze({ inner, again: inner })))).toEqual([])
  })

  it('ends where data lead back to themselves', () => {
    expect(Object.isFrozen(deepFreeze(inItself({})))).toBe(true)
  })

  it('breaks no stack on deep data', () => {
    expect(Object.isFrozen(deepFreeze(nested(100_000)))).toBe(true)
  })
})

function table(rows: readonly (readonly [string, unknown, CanonicalJsonRule, string?])[]): readonly Refused[] {
  return rows.map(([what, value, rule, where = '']) => ({ what, value, rule, where }))
}

function heirOf(prototype: object | null): object {
  const heir: unknown = Object.create(prototype)
  return heir as object
}

function inItself(container: object): object {
  return Object.assign(container, Array.isArray(container) ? [container] : { self: container })
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function withHole(): unknown[] {
  const array: unknown[] = [1, 2, 3]
  Reflect.deleteProperty(array, 1)
  return array
}

function argumentsOf(first: unknown): unknown {
  return first === undefined ? undefined : arguments
}

function whilePolluted<T>(name: string, call: () => T): T {
  // oxlint-disable-next-line no-extend-native -- undone before anything else runs
  Object.defineProperty(Object.prototype, name, { value: 'polluted', configurable: true })
  try {
    return call()
  } finally {
    Reflect.deleteProperty(Object.prototype, name)
  }
}

function unfrozenIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(Object.isFrozen(value) ? [] : [value]), ...Object.values(value).flatMap(unfrozenIn)]
}
