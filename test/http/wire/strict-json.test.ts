// What the strict reader of JSON refuses, where and why; what it takes it reads like JSON.parse.
import { isDeepStrictEqual as sameData } from 'node:util'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { limits } from '../../../src/effect/limits.ts'
import { parseStrictJson, type StrictJsonRule } from '../../../src/http/wire/strict-json.ts'

const SEED = 20_261_130

describe('strict JSON takes', () => {
  it.each([
    ['null', null],
    ['true', true],
    [' \t\r\n false \n', false],
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['""', ''],
    [String.raw`"\"\\\/\b\f\n\r\t\u0041\u00e9"`, '"\\/\b\f\n\r\tAé'],
    [String.raw`"\ud83d\ude00"`, '😀'],
    ['"\u007F\u2028\uFEFF"', '\u007F\u2028\uFEFF'],
    ['[]', []],
    ['[ ]', []],
    ['[1 , [2] ,{}]', [1, [2], {}]],
    ['{ }', {}],
    ['{"a":1 , "b" : {"a": null}}', { a: 1, b: { a: null } }],
    ['{"":0}', { '': 0 }],
    ['{"constructor":"a builder"}', { constructor: 'a builder' }],
    ['{"constructor":[{"prototype":1}]}', { constructor: [{ prototype: 1 }] }],
    ['{"prototype":{"constructor":1}}', { prototype: { constructor: 1 } }],
    ['[{"a":1},{"a":1}]', [{ a: 1 }, { a: 1 }]],
  ])('%s', (text, value) => {
    expect(sameData(parseStrictJson(text), { ok: true, value })).toBe(true)
    expect(sameData(JSON.parse(text), value)).toBe(true)
  })
})

const MALFORMED = [
  '',
  ' ',
  '{',
  '[',
  '"',
  '}',
  ']',
  ',',
  ':',
  '{]',
  '[}',
  '[1',
  '[1,',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a"}',
  '{"a":}',
  '{"a":1',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  "{'a':1}",
  '{"a" 1}',
  '{1:1}',
  '{"a":1 "b":2}',
  "'a'",
  '"a\nb"',
  '"\u0000"',
  '"\u001F"',
  String.raw`"\x41"`,
  String.raw`"\u12"`,
  String.raw`"\u12g4"`,
  String.raw`"\U0041"`,
  '"a',
  '"\\',
  'tru',
  'True',
  'nul',
  'truefalse',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '-',
  '+1',
  '01',
  '.5',
  '1.',
  '1e',
  '1e+',
  '0x10',
  '1_000',
  '1n',
  '٣',
  '\uFEFF{}',
  '{}\uFEFF',
  '\u00A0{}',
  '\f{}',
  '{}{}',
  '1 2',
  '{} // a comment',
  '/* a comment */ {}',
  '{}\u0000',
  '[1]x',
]

describe('no JSON', () => {
  it.each(MALFORMED)('%j is refused as syntax, and by JSON.parse', (text) => {
    expect(parseStrictJson(text)).toMatchObject({ ok: false, rule: 'syntax', limit: null })
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  })
})

const REFUSED: readonly (readonly [string, string, StrictJsonRule, string])[] = [
  ['threat T22: a key twice', '{"decision":"reject","decision":"approve"}', 'duplicate_key', ''],
  ['threat T22: a key twice, with the same value', '{"a":1,"a":1}', 'duplicate_key', ''],
  ['threat T22: a key twice, one of them escaped', String.raw`{"a":1,"\u0061":2}`, 'duplicate_key', ''],
  ['threat T22: the empty key twice', '{"":1,"":2}', 'duplicate_key', ''],
  ['threat T22: a key twice deep down', '{"a":[0,{"b":{"c":1,"d":2,"c":3}}]}', 'duplicate_key', '/a/1/b'],
  ['threat T21: keys that are one after NFC', '{"\u00E9":1,"e\u0301":2}', 'duplicate_key', ''],
  ['threat T23: the first unsafe integer', '9007199254740992', 'unsafe_integer', ''],
  ['threat T23: an integer that a double would round', '{"a":9007199254740993}', 'unsafe_integer', '/a'],
  ['threat T23: a negative one', '[-9007199254740993]', 'unsafe_integer', '/0'],
  ['threat T23: many digits', '1'.repeat(400), 'unsafe_integer', ''],
  ['threat T23: what overflows', '{"amount":1e400}', 'not_integer', '/amount'],
  ['threat T23: an exponent, although it is whole', '1e2', 'not_integer', ''],
  ['threat T23: a fraction', '{"amount":10.5}', 'not_integer', '/amount'],
  ['threat T23: a fraction of nothing', '1.0', 'not_integer', ''],
  ['threat T23: a fraction that a double would drop', '9007199254740991.0000001', 'not_integer', ''],
  ['threat T20: a negative zero', '[-0]', 'negative_zero', '/0'],
  ['threat T20: a negative zero with a fraction', '-0.0', 'not_integer', ''],
  ['threat T20: a lone high surrogate', String.raw`{"a":"\ud83d"}`, 'lone_surrogate', '/a'],
  ['threat T20: a lone low surrogate', String.raw`["\ude00"]`, 'lone_surrogate', '/0'],
  ['threat T20: swapped surrogates', String.raw`"\ude00\ud83d"`, 'lone_surrogate', ''],
  ['threat T20: a lone surrogate in a key', String.raw`{"\ud83d":1}`, 'lone_surrogate', ''],
  ['threat T24: __proto__', '{"__proto__":{"isAdmin":true}}', 'prototype_key', ''],
  ['threat T24: __proto__, escaped', String.raw`{"\u005f_proto__":1}`, 'prototype_key', ''],
  ['threat T24: __proto__ deep down', '{"a":[{"__proto__":null}]}', 'prototype_key', '/a/0'],
  ['threat T24: constructor.prototype', '{"constructor":{"prototype":{"x":1}}}', 'prototype_key', '/constructor'],
]

describe('JSON that can be understood in two ways', () => {
  it.each(REFUSED)('%s is refused', (_, text, rule, pointer) => {
    expect(parseStrictJson(text)).toStrictEqual({ ok: false, rule, pointer, limit: null })
  })

  it('leaves every prototype as it was', () => {
    for (const [, text] of REFUSED) parseStrictJson(text)
    expect(Object.keys(Object.prototype)).toStrictEqual([])
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
  })
})

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const items = (count: number): string => `[${Array.from({ length: count }, () => '0').join(',')}]`
const keys = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
const string = (bytes: number): string => `"${'x'.repeat(bytes)}"`

describe('threat T26: the limits of a text, one below, at and beyond', () => {
  // An envelope stands around a command: one container, and a few values.
  it.each([
    ['jsonDepth', nested, limits.jsonDepth + 1],
    ['jsonNodes', items, limits.jsonNodes + 7],
    ['jsonKeysPerObject', keys, limits.jsonKeysPerObject],
    ['stringBytes', string, limits.stringBytes],
  ] as const)('%s', (limit, make, max) => {
    expect(parseStrictJson(make(max - 1)).ok).toBe(true)
    expect(parseStrictJson(make(max)).ok).toBe(true)
    expect(parseStrictJson(make(max + 1))).toMatchObject({ ok: false, rule: 'limit', limit })
  })

  it('counts depth and not containers', () => {
    const flat = `[${Array.from({ length: 200 }, () => '[{}]').join(',')}]`
    expect(parseStrictJson(flat).ok).toBe(true)
  })

  it('counts a string in bytes, not in characters', () => {
    const half = limits.stringBytes / 2
    expect(parseStrictJson(`"${'é'.repeat(half)}"`).ok).toBe(true)
    expect(parseStrictJson(`"${'é'.repeat(half)}x"`)).toMatchObject({ rule: 'limit', limit: 'stringBytes' })
  })

  it('counts a key like a string', () => {
    const over = `{${string(limits.stringBytes + 1)}:0}`
    expect(parseStrictJson(over)).toMatchObject({ rule: 'limit', limit: 'stringBytes' })
  })

  it.each(['[', '{"a":', '[[],', '[{"a":'])('%s a hundred thousand times is refused before the stack ends', (piece) => {
    expect(parseStrictJson(piece.repeat(100_000))).toMatchObject({ rule: 'limit', limit: 'jsonDepth' })
  })
})

const key = fc.oneof(fc.constantFrom('a', 'b', 'é', '', 'constructor', 'toString'), fc.string({ maxLength: 4 }))
const { value: plain } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger().map((number) => number + 0),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      key.filter((name) => name !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}))

/** The value as some writer might write it: spaces anywhere, characters escaped or not. */
function written(value: unknown, choices: readonly boolean[]): string {
  let turn = 0
  const choose = (): boolean => choices[turn++ % choices.length] ?? false
  const space = (): string => (choose() ? ' \n\t' : '')
  const text = (plainText: string): string => {
    const escapes = [...plainText].map((character) => {
      const mustBe = JSON.stringify(character).slice(1, -1)
      if (!choose()) return mustBe
      return Array.from(
        { length: character.length },
        (_, at) => String.raw`\u` + (character[at]?.codePointAt(0) ?? 0).toString(16).padStart(4, '0'),
      ).join('')
    })
    return `"${escapes.join('')}"`
  }
  const write = (part: unknown): string => {
    if (typeof part === 'string') return text(part)
    if (Array.isArray(part)) return `[${space()}${part.map(write).join(`${space()},`)}${space()}]`
    if (typeof part !== 'object' || part === null) return JSON.stringify(part)
    const members = Object.entries(part).map(
      ([name, inner]) => `${space()}${text(name)}${space()}:${space()}${write(inner)}`,
    )
    return `{${members.join(`${space()},`)}${space()}}`
  }
  return `${space()}${write(value)}${space()}`
}

/** Texts near JSON: pieces of its grammar in any order. */
const WORDS = ['"a"', '"b"', '"a":', '"a":1', '.5', 'e3', '00', 'true', 'null', '{}', '[]', '[1,2]']
const PIECES = [...Array.from('{}[],:"0-1x \n\\\u0000\uFEFF'), ...WORDS, String.raw`\u0061`, String.raw`\ud800`]
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join(''))

function jsonParsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

/** What is taken is read alike, and what is refused as syntax is no JSON. */
function agrees(text: string): boolean {
  const strict = parseStrictJson(text)
  const loose = jsonParsed(text)
  if (strict.ok) return sameData(loose, { value: strict.value })
  return strict.rule !== 'syntax' || loose === null
}

describe('beside JSON.parse', () => {
  test.prop([plain, fc.array(fc.boolean(), { minLength: 1, maxLength: 40 })], { seed: SEED, numRuns: 2_000 })(
    'every value of the domain is read alike, however it is written',
    (value, choices) => {
      const text = written(value, choices)
      const collides = /e\u0301/u.test(text)
      fc.pre(!collides)
      expect(sameData(parseStrictJson(text), { ok: true, value: JSON.parse(text) as unknown })).toBe(true)
      expect(sameData(JSON.parse(text), value)).toBe(true)
    },
  )

  test.prop([pieces], { seed: SEED, numRuns: 20_000 })(
    'a text that is taken is read alike, and a text is refused as syntax only if it is no JSON',
    (text) => {
      expect(agrees(text)).toBe(true)
    },
  )

  test.prop([plain, fc.nat(), fc.string({ minLength: 1, maxLength: 2 })], { seed: SEED, numRuns: 5_000 })(
    'the same for texts of which one place was overwritten',
    (value, where, patch) => {
      const good = JSON.stringify(value)
      const at = where % good.length
      const text = good.slice(0, at) + patch + good.slice(at + patch.length)
      expect(agrees(text)).toBe(true)
    },
  )

  test.prop([fc.array(fc.constantFrom('a', 'b'), { maxLength: 20 })], { seed: SEED, numRuns: 200 })(
    'threat T22: a key repeated at any depth is refused',
    (path) => {
      const text = path.reduce((inner, name) => `{"${name}":${inner},"z":[]}`, '{"k":1,"y":2,"k":1}')
      expect(parseStrictJson(text)).toMatchObject({ ok: false, rule: 'duplicate_key' })
      expect(jsonParsed(text)).not.toBeNull()
    },
  )
})
