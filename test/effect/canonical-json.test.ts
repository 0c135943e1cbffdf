// What canonical JSON refuses, where and why; its limits to the unit; and the copy that is read back.
import { describe, expect, it } from 'vitest'
import {
  canonicalJson,
  CanonicalJsonError,
  type CanonicalJsonRule,
  deepFreeze,
  parseCanonicalJson,
} from '../../src/effect/canonical-json.ts'
import { limits, type LimitName } from '../../src/effect/limits.ts'

/** A value of a kind that is refused, set into a document at `/a/0`. */
type Refused = readonly [what: string, value: unknown, rule: CanonicalJsonRule, pointer?: string]

const values: readonly Refused[] = [
  ['undefined', undefined, 'undefined'],
  ['a function', () => 1, 'function'],
  ['an arrow function with toJSON', Object.assign(() => 1, { toJSON: () => 1 }), 'function'],
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
  ['a boxed string', Object('x'), 'class_instance'],
  ['a boxed number', Object(1), 'class_instance'],
  ['a boxed boolean', Object(true), 'class_instance'],
  ['a regular expression', /x/, 'class_instance'],
  ['an error', new Error('x'), 'class_instance'],
  ['a promise', Promise.resolve(1), 'class_instance'],
  ['an instance of a class', new (class Amount {})(), 'class_instance'],
  ['an object with another prototype', Object.create({ inherited: 1 }), 'class_instance'],
  ['an array of a subclass', new (class Rows extends Array {})(), 'class_instance'],
  ['an array without its prototype', Object.setPrototypeOf([1], null), 'class_instance'],
  ['a proxy of an object', new Proxy({}, {}), 'proxy'],
  ['a proxy of an array', new Proxy([1], {}), 'proxy'],
  ['a revoked proxy', revokedProxy(), 'proxy'],
  ['a getter', Object.defineProperty({}, 'b', { get: () => 1, enumerable: true }), 'accessor', '/b'],
  ['a setter', Object.defineProperty({}, 'b', { set: () => {}, enumerable: true }), 'accessor', '/b'],
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
  [
    'two decomposed keys that are one after NFC',
    { 'q\u0323\u0307': 1, 'q\u0307\u0323': 2 },
    'key_collision',
    '/q\u0307\u0323',
  ],
  ['a hole', [1, , 3], 'sparse_array', '/1'], // oxlint-disable-line no-sparse-arrays -- the hole is the case
  ['an array of nothing but holes', Array.from({ length: 3 }).fill(1).concat(new Array(2)), 'sparse_array', '/3'],
  ['an array with a property', Object.assign([1], { total: 1 }), 'decorated_array', '/total'],
  ['an array with a negative index', Object.assign([1], { '-1': 1 }), 'decorated_array', '/-1'],
  ['the arguments of a call', argumentsOf(1), 'symbol_key'],
  ['an object whose prototype has no prototype', Object.create(Object.create(null)), 'class_instance'],
]

describe('canonical JSON refuses', () => {
  it.each(values)('%s', (_, value, rule, pointer = '') => {
    expect(refusalOf({ a: [value] })).toMatchObject({
      code: 'not_plain_json',
      rule,
      pointer: `/a/0${pointer}`,
      limit: null,
    })
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
    ['an object in itself', cyclic({}), '/self'],
    ['an array in itself', cyclic([]), '/0'],
    ['an object far below itself', { a: { b: cyclic({}) } }, '/a/b/self'],
  ])('a cycle: %s', (_, value, pointer) => {
    expect(refusalOf(value)).toMatchObject({ rule: 'cycle', pointer })
  })

  it('a scalar at the root with the empty pointer', () => {
    expect(refusalOf(undefined)).toMatchObject({ rule: 'undefined', pointer: '' })
  })

  it('with an escaped pointer', () => {
    expect(refusalOf({ 'a/b': { 'c~d': [null, undefined] } }).pointer).toBe('/a~1b/c~0d/1')
  })

  it('without the value in the message', () => {
    expect(refusalOf({ iban: 'DE89370400440532013000\uD800' }).message).toBe(
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
    const getter = Object.defineProperty({}, 'b', { get: trap('getter'), enumerable: true })

    for (const value of [new Proxy({}, traps), new Proxy([], traps), getter, { toJSON: trap('toJSON') }]) {
      expect(refusalOf(value).code).toBe('not_plain_json')
    }
    expect(calls).toEqual([])
  })

  it('accessors also when Object.prototype was polluted', () => {
    const getter = Object.defineProperty({}, 'b', { get: () => 1, enumerable: true })
    Object.defineProperty(Object.prototype, 'value', { value: 'polluted', configurable: true })

    try {
      expect(refusalOf(getter).rule).toBe('accessor')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'value')
    }
  })

  it('__proto__ at every depth, and leaves Object.prototype as it was (reliability T24)', () => {
    for (let depth = 1; depth <= 60; depth += 1) {
      const document: unknown = JSON.parse(
        `${'{"a":['.repeat(depth)}{"__proto__":{"polluted":true}}${']}'.repeat(depth)}`,
      )
      expect(refusalOf(document)).toMatchObject(depth <= 31 ? { rule: 'proto_key' } : { limit: 'jsonDepth' })
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('canonical JSON takes', () => {
  it('objects without a prototype', () => {
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: 2 }), { numbers: 'integers' })).toBe(
      '{"a":2,"b":1}',
    )
  })

  it('one object in two places, which is no cycle', () => {
    const shared = { a: 1 }

    expect(canonicalJson([shared, { shared }, shared], { numbers: 'integers' })).toBe(
      '[{"a":1},{"shared":{"a":1}},{"a":1}]',
    )
  })

  it('frozen and sealed data', () => {
    expect(canonicalJson(deepFreeze({ b: [1], a: 'x' }), { numbers: 'integers' })).toBe('{"a":"x","b":[1]}')
  })

  it('the ends of the safe integers', () => {
    const ends = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0]

    expect(canonicalJson(ends, { numbers: 'integers' })).toBe('[9007199254740991,-9007199254740991,0]')
  })

  it('a key or a text that is not NFC, as it stands', () => {
    expect(canonicalJson({ 'e\u0301': 'A\u030A' }, { numbers: 'integers' })).toBe('{"e\u0301":"A\u030A"}')
  })

  it('keys named like what objects inherit', () => {
    const data: unknown = JSON.parse('{"constructor":1,"hasOwnProperty":2,"length":3}')

    expect(canonicalJson(data, { numbers: 'integers' })).toBe('{"constructor":1,"hasOwnProperty":2,"length":3}')
  })
})

describe('the limits of canonical JSON', () => {
  it.each([
    [limits.jsonDepth - 1, true],
    [limits.jsonDepth, true],
    [limits.jsonDepth + 1, false],
  ])('%d containers within each other: %s', (depth, fits) => {
    const pointer = '/0'.repeat(limits.jsonDepth)

    expectFit(nested(depth), fits, 'jsonDepth', pointer)
  })

  it('20,000 containers within each other are refused, not a broken stack (reliability F11)', () => {
    expect(refusalOf(nested(20_000))).toMatchObject({ code: 'limit_exceeded', limit: 'jsonDepth' })
  })

  it.each([
    [limits.jsonNodes - 1, true],
    [limits.jsonNodes, true],
    [limits.jsonNodes + 1, false],
  ])('%d nodes, the array itself among them: %s', (nodes, fits) => {
    expectFit(
      Array.from({ length: nodes - 1 }, () => 0),
      fits,
      'jsonNodes',
      '/9999',
    )
  })

  it.each([
    [limits.jsonNodes, true],
    [limits.jsonNodes + 1, false],
  ])('%d nodes in many objects: %s', (nodes, fits) => {
    const [first, ...rest] = Array.from({ length: (nodes - 2) % 3 }, () => null)
    const objects = Array.from({ length: Math.floor((nodes - 2) / 3) }, () => ({ a: 1, b: 2 }))

    expectFit([[...objects, ...(first === undefined ? [] : [first]), ...rest]], fits, 'jsonNodes')
  })

  it('one object in many places counts in each of them', () => {
    let doubled: unknown = 0
    for (let level = 0; level < 40; level += 1) doubled = [doubled, doubled]

    expect(refusalOf(doubled)).toMatchObject({ code: 'limit_exceeded', limit: 'jsonNodes' })
  })

  it('a huge empty array is refused by its length', () => {
    expect(refusalOf({ rows: new Array(2 ** 32 - 1) })).toMatchObject({ limit: 'jsonNodes', pointer: '/rows' })
  })

  it.each([
    [limits.jsonKeysPerObject - 1, true],
    [limits.jsonKeysPerObject, true],
    [limits.jsonKeysPerObject + 1, false],
  ])('%d keys in an object: %s', (keys, fits) => {
    const object = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 0]))

    expectFit({ object }, fits, 'jsonKeysPerObject', '/object')
  })

  it.each([
    ['ASCII', 'x', limits.stringBytes - 1, true],
    ['ASCII', 'x', limits.stringBytes, true],
    ['ASCII', 'x', limits.stringBytes + 1, false],
    ['two bytes each', '\u00E9', limits.stringBytes / 2, true],
    ['two bytes each', '\u00E9', limits.stringBytes / 2 + 1, false],
    ['four bytes each', '\u{1F4B6}', limits.stringBytes / 4, true],
    ['four bytes each', '\u{1F4B6}', limits.stringBytes / 4 + 1, false],
    ['escaped to six bytes each, which do not count', '\u0001', limits.stringBytes, true],
  ])('a string and a key of %s, %s × %d: %s', (_, character, count, fits) => {
    const text = character.repeat(count)
    const wide = { bytesMax: 10 * limits.stringBytes }

    expectFit([text], fits, 'stringBytes', '/0', wide)
    expectFit([{ [text]: 0 }], fits, 'stringBytes', '/0', wide)
  })

  it.each([
    ['ASCII', 'x'],
    ['two bytes each', '\u00E9'],
    ['three bytes each', '\u20AC'],
    ['four bytes each', '\u{1F4B6}'],
    ['an escape of six bytes', '\u0001'],
  ])('the whole text, to the byte: %s', (_, character) => {
    const document = { a: character.repeat(10), b: [1, 2, 3] }
    const bytes = Buffer.byteLength(canonicalJson(document, { numbers: 'integers' }))

    expectFit(document, true, 'previewBytes', '', { bytesLimit: 'previewBytes', bytesMax: bytes + 1 })
    expectFit(document, true, 'previewBytes', '', { bytesLimit: 'previewBytes', bytesMax: bytes })
    expectFit(document, false, 'previewBytes', '', { bytesLimit: 'previewBytes', bytesMax: bytes - 1 })
  })

  it.each(['commandBytes', 'previewBytes', 'snapshotBytes', 'resultBytes', 'factsBytes'] as const)(
    'the figure of %s holds when that is named',
    (bytesLimit) => {
      const quarter = limits[bytesLimit] / 4
      const filled = (spare: number): unknown => [
        'x'.repeat(quarter),
        'x'.repeat(quarter),
        'x'.repeat(quarter),
        'x'.repeat(spare),
      ]
      const spare = quarter - '["","","",""]'.length

      expectFit(filled(spare), true, bytesLimit, '', { bytesLimit })
      expectFit(filled(spare + 1), false, bytesLimit, '', { bytesLimit })
    },
  )

  it('a text is never unlimited: commandBytes holds when no limit is named', () => {
    expect(refusalOf(Array.from({ length: 5 }, () => 'x'.repeat(limits.stringBytes)))).toMatchObject({
      code: 'limit_exceeded',
      limit: 'commandBytes',
      pointer: '',
    })
  })

  it('a text that grows far beyond its limit is given up on the way', () => {
    const rows = [...Array.from({ length: 100 }, () => 'x'.repeat(1_000)), undefined]

    expect(() => canonicalJson(rows, { numbers: 'integers', bytesMax: 10_000 })).toThrow('Over the limit commandBytes')
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

  it.each(['', '{', '{"iban":"DE89370400440532013000"', 'undefined', "{'a':1}"])(
    'refuses "%s" without quoting it',
    (text) => {
      const refusal = thrownBy(() => parseCanonicalJson(text))

      expect(refusal).toMatchObject({ code: 'not_plain_json', rule: 'not_json_text', pointer: '' })
      expect(refusal.message).toBe('Not plain JSON: not_json_text at ""')
      expect(refusal.cause).toBeUndefined()
    },
  )

  it('takes a scalar', () => {
    expect(parseCanonicalJson('17')).toBe(17)
  })
})

describe('deepFreeze', () => {
  it('freezes below what was frozen already, and ends where data lead back to themselves', () => {
    const inner = { a: [1] }
    const shallow = Object.freeze({ inner, again: inner })

    expect(unfrozenIn(deepFreeze(shallow))).toEqual([])
    expect(Object.isFrozen(deepFreeze(cyclic({})))).toBe(true)
  })

  it('does not break the stack on deep data', () => {
    expect(Object.isFrozen(deepFreeze(nested(100_000)))).toBe(true)
  })
})

interface Options {
  readonly bytesMax?: number
  readonly bytesLimit?: 'commandBytes' | 'previewBytes' | 'snapshotBytes' | 'resultBytes' | 'factsBytes'
}

function refusalOf(value: unknown, options: Options = {}): CanonicalJsonError {
  return thrownBy(() => canonicalJson(value, { numbers: 'integers', ...options }))
}

function thrownBy(call: () => unknown): CanonicalJsonError {
  try {
    call()
  } catch (error) {
    if (error instanceof CanonicalJsonError) return error
    throw error
  }
  throw new Error('Nothing was refused')
}

function expectFit(value: unknown, fits: boolean, limit: LimitName, pointer?: string, options: Options = {}): void {
  if (fits) {
    expect(() => canonicalJson(value, { numbers: 'integers', ...options })).not.toThrow()
    return
  }
  const refusal = refusalOf(value, options)
  expect(refusal).toMatchObject({ code: 'limit_exceeded', rule: 'limit', limit })
  if (pointer !== undefined) expect(refusal.pointer).toBe(pointer)
}

function nested(depth: number): unknown {
  let value: unknown[] = []
  for (let level = 1; level < depth; level += 1) value = [value]
  return value
}

function cyclic(container: object): object {
  return Object.assign(container, Array.isArray(container) ? [container] : { self: container })
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function argumentsOf(..._: readonly unknown[]): unknown {
  return (function given() {
    return arguments // oxlint-disable-line prefer-rest-params -- an arguments object is the case
  })()
}

function unfrozenIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(Object.isFrozen(value) ? [] : [value]), ...Object.values(value).flatMap(unfrozenIn)]
}
