// The schemas of an action are strict objects of a closed set of types; everything else is refused with its path.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { money } from '../../src/proposal/money.ts'
import { checkSchema } from '../../src/proposal/definition/schema-check.ts'

const at = (schema: unknown): readonly string[] =>
  checkSchema(schema, 'snapshot').map(({ path, rule }) => `${path.replace('/schemas/snapshot', '')} ${rule}`)

const field = (schema: unknown): readonly string[] => at(z.strictObject({ x: schema as z.ZodString }))

const Colour = { Red: 'red', Blue: 'blue' } as const
const Level = { 0: 'Low', 1: 'High', Low: 0, High: 1 } as const

const Node = z.strictObject({
  name: z.string(),
  get children(): z.ZodArray<z.ZodType> {
    return z.array(Node)
  },
})

const fresh = (): z.ZodObject =>
  z.strictObject({
    get left() {
      return fresh()
    },
    get right() {
      return fresh()
    },
  })

describe('a schema may hold', () => {
  it.each([
    ['text', z.string()],
    ['text with bounds', z.string().min(1).max(9).length(3).regex(/a/).startsWith('a').includes('b').lowercase()],
    ['a date', z.iso.date()],
    ['an instant', z.iso.datetime()],
    ['an e-mail address', z.email()],
    ['an e-mail address as a check', z.string().check(z.email())],
    ['a UUID', z.uuid()],
    ['a URL that is not normalised', z.url()],
    ['a URL, said not to be normalised', z.url({ normalize: false })],
    ['an account number', z.iban()],
    ['a format of its own', z.stringFormat('even', (text) => text.length % 2 === 0)],
    ['a branded text', z.string().brand('Order')],
    ['text with a description', z.string().describe('what it is').meta({ title: 'x' })],
    ['text with a refinement', z.string().refine((text) => text !== 'x')],
    ['text with a longer refinement', z.string().superRefine(() => {})],
    ['text with a check', z.string().check(() => {})],
    ['an integer', z.int()],
    ['an integer in the older form', z.number().int()],
    ['an integer with bounds', z.int().min(1).max(9).multipleOf(3).positive()],
    ['an integer of 32 bits', z.int32()],
    ['an unsigned integer of 32 bits', z.uint32()],
    ['a truth value', z.boolean()],
    ['null', z.null()],
    ['a literal of each kind', z.literal(['a', 1, -7, true, null])],
    ['an enum', z.enum(['a', 'b'])],
    ['an object as enum', z.enum(Colour)],
    ['an enum of numbers', z.enum(Level)],
    ['a list', z.array(z.string()).min(1).max(3)],
    ['an object in an object', z.strictObject({ a: z.strictObject({ b: z.int() }) })],
    ['an empty object', z.strictObject({})],
    ['an object made strict', z.object({ a: z.string() }).strict()],
    ['a refined object', z.strictObject({ a: z.int(), b: z.int() }).refine(({ a, b }) => a < b)],
    ['something nullable', z.string().nullable()],
    ['something optional', z.exactOptional(z.string())],
    ['an object with all fields optional', z.strictObject({ a: z.int() }).exactPartial()],
    ['alternatives', z.union([z.string(), z.int()])],
    ['alternatives that exclude each other', z.xor([z.string(), z.int()])],
    [
      'alternatives with a discriminator',
      z.discriminatedUnion('k', [z.strictObject({ k: z.literal('a') }), z.strictObject({ k: z.literal('b') })]),
    ],
    ['money', money()],
    ['money below zero', money({ negative: true }).nullable()],
    ['a readonly object', z.strictObject({ a: z.int() }).readonly()],
  ])('%s', (_title, schema) => {
    expect(field(schema)).toEqual([])
  })

  it('one schema in several places', () => {
    const address = z.strictObject({ street: z.string() })

    expect(at(z.strictObject({ from: address, to: address, others: z.array(address) }))).toEqual([])
  })
})

describe('a schema is refused for', () => {
  it.each([
    ['an object that drops keys', z.object({ a: z.string() }), 'open_object'],
    ['an object that keeps keys', z.looseObject({ a: z.string() }), 'open_object'],
    ['an object with a catch-all', z.object({ a: z.string() }).catchall(z.string()), 'open_object'],
    ['a record', z.record(z.string(), z.string()), 'no_record'],
    ['a partial record', z.partialRecord(z.enum(['a']), z.string()), 'no_record'],
    ['anything', z.any(), 'no_any'],
    ['the unknown', z.unknown(), 'no_unknown'],
    ['any JSON', z.json(), 'no_lazy'],
    ['a number', z.number(), 'not_integer'],
    ['a number with whole steps', z.number().multipleOf(1), 'not_integer'],
    ['a float', z.float64(), 'not_integer'],
    ['a short float', z.float32(), 'not_integer'],
    ['not a number', z.nan(), 'no_nan'],
    ['a bigint', z.bigint(), 'no_bigint'],
    ['a bigint of 64 bits', z.int64(), 'no_bigint'],
    ['a Date', z.date(), 'no_date'],
    ['a transform', z.string().transform((text) => text.length), 'no_pipe'],
    ['a bare transform', z.transform((value) => value), 'no_transform'],
    ['a pipe', z.string().pipe(z.string()), 'no_pipe'],
    ['a preprocess', z.preprocess((value) => value, z.string()), 'no_pipe'],
    ['a codec', z.codec(z.string(), z.int(), { decode: Number, encode: String }), 'no_pipe'],
    ['a text read as a truth value', z.stringbool(), 'no_pipe'],
    ['a default', z.string().default('x'), 'no_default'],
    ['a default for the input', z.string().prefault('x'), 'no_prefault'],
    ['coercion to text', z.coerce.string(), 'coercion'],
    ['coercion to a number', z.coerce.number().int(), 'coercion'],
    ['coercion to a truth value', z.coerce.boolean(), 'coercion'],
    ['coercion to a bigint', z.coerce.bigint(), 'no_bigint'],
    ['coercion to a Date', z.coerce.date(), 'no_date'],
    ['a catch', z.string().catch('x'), 'no_catch'],
    ['plain optional', z.string().optional(), 'no_optional'],
    ['nullish', z.string().nullish(), 'no_optional'],
    ['undefined', z.undefined(), 'no_undefined'],
    ['void', z.void(), 'no_void'],
    ['never', z.never(), 'no_never'],
    ['a symbol', z.symbol(), 'no_symbol'],
    ['a deferred schema', z.lazy(() => z.string()), 'no_lazy'],
    ['a map', z.map(z.string(), z.string()), 'no_map'],
    ['a set', z.set(z.string()), 'no_set'],
    ['a file', z.file(), 'no_file'],
    ['a promise', z.promise(z.string()), 'no_promise'],
    ['a function', z.function(), 'no_function'],
    ['a type of its own', z.custom(() => true), 'no_custom'],
    ['an instance', z.instanceof(Uint8Array), 'no_custom'],
    ['a tuple', z.tuple([z.string(), z.int()]), 'no_tuple'],
    ['an intersection', z.intersection(z.strictObject({}), z.strictObject({})), 'no_intersection'],
    ['a template', z.templateLiteral(['a', z.int()]), 'no_template_literal'],
    ['success', z.success(z.string()), 'no_success'],
    ['non-optional', z.nonoptional(z.string()), 'no_nonoptional'],
    ['an undefined literal', z.literal([undefined]), 'value_not_json'],
    ['a fractional literal', z.literal(1.5), 'value_not_json'],
    ['a bigint literal', z.literal(1n), 'value_not_json'],
    ['negative zero', z.literal(-0), 'value_not_json'],
    ['half a character', z.literal('\uD800'), 'value_not_json'],
    ['an enum with a fraction', z.enum({ A: 0.5 }), 'value_not_json'],
    ['trimming', z.string().trim(), 'rewrites'],
    ['lower case', z.string().toLowerCase(), 'rewrites'],
    ['upper case', z.string().toUpperCase(), 'rewrites'],
    ['normal form', z.string().normalize(), 'rewrites'],
    ['a slug', z.string().slugify(), 'rewrites'],
    ['an overwritten number', z.int().overwrite((value) => value + 1), 'rewrites'],
    ['a normalised URL', z.url({ normalize: true }), 'rewrites'],
    ['a normalised URL in the older form', z.string().check(z.url({ normalize: true })), 'rewrites'],
    ['an overwritten optional', z.exactOptional(z.string()).overwrite((value) => value), 'rewrites'],
    ['a refinement that waits', z.string().refine(async () => true), 'async_refinement'],
    ['a format that waits', z.stringFormat('slow', async () => true), 'async_refinement'],
    [
      'a check on a property',
      z.strictObject({ a: z.string() }).check(z.property('a', z.string().trim())),
      'check_not_allowed',
    ],
    ['an optional alternative', z.union([z.exactOptional(z.string()), z.int()]), 'optional_misplaced'],
    ['a nullable optional', z.nullable(z.exactOptional(z.string())), 'optional_misplaced'],
    ['no schema', undefined, 'not_a_schema'],
    ['an older schema', { _def: { typeName: 'ZodString' }, parse: () => 'x' }, 'not_a_schema'],
    ['a text', 'string', 'not_a_schema'],
  ])('%s', (_title, schema, rule) => {
    expect(field(schema)).toEqual([`/x ${rule}`])
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toJSON'])('a field named %s', (name) => {
    expect(at(z.strictObject({ [name]: z.string() }))).toEqual([`/${name} name_reserved`])
  })

  it('a field whose name is not in normal form C, or half a character', () => {
    expect(at(z.strictObject({ 'e\u0301': z.int(), '\u00E9': z.int() }))).toEqual(['/e\u0301 name_not_nfc'])
    expect(at(z.strictObject({ '\uDC00': z.int() }))).toEqual(['/\uDC00 name_not_nfc'])
  })

  it('containing itself', () => {
    expect(at(Node)).toEqual(['/children/* recursive'])
  })

  it('having no end, once and soon', () => {
    const problems = at(fresh())

    expect(problems).toEqual([`${'/left'.repeat(65)} too_large`])
  })

  it('having more parts than content may have', () => {
    const wide = z.strictObject(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, z.any()])))

    expect(at(wide).filter((problem) => problem.endsWith('too_large'))).toEqual(['/f9999 too_large'])
  })

  it('an optional element of a list', () => {
    expect(field(z.array(z.exactOptional(z.string())))).toEqual(['/x/* optional_misplaced'])
  })
})

describe('the path of a problem', () => {
  it('leads through fields, lists, alternatives, nullables and optionals', () => {
    const schema = z.strictObject({
      'a/b~c': z.number(),
      lines: z.array(z.strictObject({ price: z.number() })),
      payment: z.union([z.strictObject({ due: z.date() }), z.int()]),
      owner: z.strictObject({ age: z.bigint() }).nullable(),
      note: z.exactOptional(z.strictObject({ text: z.any() })),
      frozen: z.strictObject({ any: z.any() }).readonly(),
    })

    expect(at(schema)).toEqual([
      '/a~1b~0c not_integer',
      '/lines/*/price not_integer',
      '/payment/due no_date',
      '/owner/age no_bigint',
      '/note/text no_any',
      '/frozen/any no_any',
    ])
  })

  it('is given once where alternatives share it', () => {
    expect(field(z.union([z.number(), z.number(), z.any()]))).toEqual(['/x not_integer', '/x no_any'])
  })

  it.each(['command', 'snapshot', 'preview', 'result'] as const)('begins with the root %s', (root) => {
    const path = `/schemas/${root}/x`

    expect(checkSchema(z.strictObject({ x: z.any() }), root)).toEqual([
      { path, rule: 'no_any', message: 'is a zod any, which is not allowed: say what it is' },
    ])
  })

  it('says of an object that is open how to close it', () => {
    expect(checkSchema(z.object({}), 'result').map(({ message }) => message)).toEqual([
      'must be a strict object: z.strictObject({ … }), which refuses keys that it does not know',
    ])
  })

  it('names a type without advice where there is none', () => {
    expect(checkSchema(z.strictObject({ x: z.file() }), 'result').map(({ message }) => message)).toEqual([
      'is a zod file, which is not allowed',
    ])
  })
})

describe('the root', () => {
  it.each([
    ['a text', z.string(), 'open_object'],
    ['alternatives', z.union([z.strictObject({}), z.strictObject({ a: z.int() })]), 'open_object'],
    ['a list', z.array(z.string()), 'open_object'],
    ['an open object', z.object({}), 'open_object'],
    ['nothing', undefined, 'not_a_schema'],
  ])('may not be %s', (_title, schema, rule) => {
    expect(at(schema)).toEqual([` ${rule}`])
  })

  it('may be money', () => {
    expect(at(money())).toEqual([])
  })
})
