// At the boundary content is copied once, frozen, judged, and never repeated in a problem.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { limits } from '../../src/effect/limits.ts'
import { parseAnswer, parseContent } from '../../src/proposal/content/boundary.ts'
import { money } from '../../src/proposal/money.ts'

const schema = z.strictObject({
  name: z.string().max(20),
  lines: z.array(z.strictObject({ count: z.int().min(1), price: money() })),
  note: z.exactOptional(z.string()),
  way: z.union([z.literal('card'), z.strictObject({ iban: z.iban() })]),
})
const good = { way: 'card', name: 'Bob', lines: [{ price: { amount: '1.00', currency: 'EUR' }, count: 2 }] }
const canary = 'ca-na-ry'

const problems = (value: unknown, by: z.ZodObject = schema): readonly string[] => {
  const content = parseContent(by, value, 'commandBytes')
  return content.ok ? [] : content.problems.map(({ path, rule }) => `${path} ${rule}`)
}

describe('content that fits', () => {
  it('is answered as its canonical text and a deeply frozen copy of it', () => {
    const content = parseContent(schema, good, 'snapshotBytes')

    expect(content).toEqual({
      ok: true,
      text: '{"lines":[{"count":2,"price":{"amount":"1.00","currency":"EUR"}}],"name":"Bob","way":"card"}',
      value: good,
    })
    expect(content.ok && Object.isFrozen(content.value.lines[0]?.price)).toBe(true)
  })

  it('does not change with what was given', () => {
    const given = structuredClone(good)
    const content = parseContent(schema, given, 'commandBytes')
    given.name = 'Eve'
    given.lines.push({ price: { amount: '9.00', currency: 'EUR' }, count: 9 })

    expect(content.ok && content.value).toEqual(good)
  })

  it('is what the schema judged, whatever a refinement does with it', () => {
    const meddling = z.strictObject({ a: z.array(z.int()) }).refine(({ a }) => {
      try {
        a.push(7)
      } catch {}
      return true
    })

    expect(problems({ a: [1] }, meddling)).toEqual([' rewritten'])
  })
})

describe('content that does not fit', () => {
  it.each<[string, unknown, string]>([
    ['another type', { ...good, name: 7 }, '/name invalid_type'],
    ['a text too long', { ...good, name: 'x'.repeat(21) }, '/name too_big'],
    ['a number too small', { ...good, lines: [{ ...good.lines[0], count: 0 }] }, '/lines/0/count too_small'],
    ['no alternative', { ...good, way: 'cash' }, '/way invalid_union'],
    ['a missing field', { name: 'Bob', lines: [] }, '/way invalid_union'],
    ['a key that is not known', { ...good, [canary]: 1 }, ' unrecognized_keys'],
    [
      'money in another spelling',
      { ...good, lines: [{ count: 1, price: { amount: '1', currency: 'EUR' } }] },
      '/lines/0/price/amount custom',
    ],
    ['not an object', 'Bob', ' invalid_type'],
    ['undefined', undefined, ' undefined'],
    ['a field that is undefined', { ...good, note: undefined }, '/note undefined'],
    ['a Date', { ...good, name: new Date(0) }, '/name class_instance'],
    ['a fraction', { ...good, lines: [{ ...good.lines[0], count: 1.5 }] }, '/lines/0/count not_integer'],
    ['a function under a key that is not known', { ...good, [canary]: () => 1 }, ' function'],
    ['a prototype', { ...good, lines: [JSON.parse('{"__proto__":{"count":1}}')] }, '/lines/0 proto_key'],
    ['a proxy', Proxy.revocable({}, {}).proxy, ' proxy'],
  ])('says where and which rule: %s', (_title, value, problem) => {
    expect(problems(value)).toEqual([problem])
  })

  it.each([
    ['a field', z.strictObject({ a: z.string() }), {}, '/a is missing'],
    ['a field that is there', z.strictObject({ a: z.string() }), { a: null }, '/a is of another type'],
    ['a literal', z.strictObject({ a: z.literal('x') }), {}, '/a is missing'],
    [
      'a field further in',
      z.strictObject({ a: z.array(z.strictObject({ b: z.int() })) }),
      { a: [{}] },
      '/a/0/b is missing',
    ],
    ['an alternative', z.strictObject({ a: z.union([z.string(), z.int()]) }), {}, '/a is missing'],
    ['everything', z.strictObject({ a: z.string() }), null, ' is of another type'],
  ])('tells what is missing from what does not fit: %s', (_title, one, value, said) => {
    const content = parseContent(one, value, 'commandBytes')

    expect(content.ok ? [] : content.problems.map(({ path, message }) => `${path} ${message}`)).toEqual([said])
  })

  it('says it in a sentence of ours, without the value and without a key that is not known', () => {
    const told = z.strictObject({
      a: z.string().refine(() => false, { message: canary, path: [canary] }),
      b: z.string().superRefine((value, context) => {
        context.addIssue({ code: 'custom', message: value, path: [value], params: { value } })
      }),
    })
    const content = parseContent(told, { a: canary, b: canary }, 'commandBytes')

    expect(content).toEqual({
      ok: false,
      problems: [
        { path: '/a', rule: 'custom', message: 'does not meet a rule of the schema' },
        { path: '/b', rule: 'custom', message: 'does not meet a rule of the schema' },
      ],
      limit: null,
    })
  })

  it('gives a rule that zod does not know as a rule of the schema', () => {
    const odd = z.strictObject({ a: z.string() }).superRefine((_value, context) => {
      context.addIssue({ code: canary as 'custom', path: ['a'] })
    })

    expect(problems({ a: 'x' }, odd)).toEqual(['/a custom'])
  })

  it('is not judged by a refinement that throws or waits', () => {
    const throwing = z.strictObject({ a: z.string() }).refine(({ a }) => {
      throw new Error(a)
    })
    const waiting = z.strictObject({ a: z.string() }).superRefine(async () => {})

    expect(problems({ a: canary }, throwing)).toEqual([' schema_failed'])
    expect(problems({ a: canary }, waiting)).toEqual([' schema_failed'])
  })

  it('is refused where the schema would write it in another way', () => {
    const link = z.strictObject({ link: z.url() })

    expect(problems({ link: 'https://example.test/' }, link)).toEqual([])
    expect(problems({ link: ' https://example.test/ ' }, link)).toEqual([' rewritten'])
    expect(problems({ a: 1 }, z.strictObject({ a: z.int().transform((value) => value + 0.5) }))).toEqual([' rewritten'])
  })

  it('gives no more than a hundred problems', () => {
    const content = parseContent(schema, { ...good, lines: Array.from({ length: 500 }, () => 1) }, 'commandBytes')

    expect(content.ok ? [] : content.problems).toHaveLength(100)
  })
})

describe('the limits', () => {
  it.each(['commandBytes', 'snapshotBytes', 'previewBytes', 'resultBytes', 'factsBytes'] as const)('%s', (limit) => {
    const text = z.strictObject({ a: z.array(z.string()) })
    const filler = 'x'.repeat(1_000)
    const around = '{"a":["",""]}'.length
    const exact = (bytes: number): unknown => {
      const full = Math.floor(bytes / 1_003)
      const rest = bytes - full * 1_003
      return { a: [...Array.from({ length: full }, () => filler), 'x'.repeat(rest), ''] }
    }

    const bytes = limits[limit] - around
    expect(parseContent(text, exact(bytes), limit).ok).toBe(true)
    expect(parseContent(text, exact(bytes + 1), limit)).toEqual({
      ok: false,
      problems: [{ path: '', rule: 'limit', message: `is over the limit ${limit}` }],
      limit,
    })
  })

  it('of depth, with the path as far as the schema knows it', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 65; depth += 1) deep = [deep]

    expect(parseContent(schema, { ...good, note: deep }, 'commandBytes')).toMatchObject({
      problems: [{ path: '/note', rule: 'limit' }],
      limit: 'jsonDepth',
    })
  })
})

describe('an answer with parts that have limits of their own', () => {
  const answer = z.strictObject({
    status: z.string(),
    result: z.exactOptional(z.strictObject({ a: z.array(z.string()) })),
    facts: z.exactOptional(z.strictObject({ b: z.string() })),
  })
  const limited = { result: 'resultBytes', facts: 'factsBytes' } as const
  const read = (value: unknown): ReturnType<typeof parseAnswer<typeof answer>> =>
    parseAnswer(answer, value, 'resultBytes', limited)
  const filled = (bytes: number): { a: string[] } => {
    return { a: ['x'.repeat(1_000), 'x'.repeat(bytes - 1_000 - '{"a":["",""]}'.length)] }
  }

  it('is read as content is', () => {
    const given = { status: 'found', facts: { b: 'x' }, result: { a: ['y'] } }
    const read1 = read(given)

    expect(read1).toMatchObject({ ok: true, value: given })
    expect(read1.ok && Object.isFrozen(read1.value.result?.a)).toBe(true)
    expect(read({ status: 'absent' })).toMatchObject({ ok: true, value: { status: 'absent' } })
  })

  it('may have every part at its limit, whatever stands around it', () => {
    const most = filled(limits.resultBytes)
    const facts = { b: 'x'.repeat(limits.factsBytes - '{"b":""}'.length) }

    expect(read({ status: 'x'.repeat(60_000), result: most, facts }).ok).toBe(true)
    expect(read({ status: 'x', result: filled(limits.resultBytes + 1) })).toEqual({
      ok: false,
      problems: [{ path: '/result', rule: 'limit', message: 'is over the limit resultBytes' }],
      limit: 'resultBytes',
    })
    expect(read({ status: 'x', facts: { b: `${facts.b}x` } })).toMatchObject({ limit: 'factsBytes' })
    expect(read({ status: 'x'.repeat(limits.resultBytes) })).toMatchObject({ limit: 'resultBytes' })
  })

  it.each<[string, unknown, string]>([
    ['a part that is not plain', { status: 'x', result: { a: [new Date(0)] } }, '/result/a/0 class_instance'],
    ['a part that does not fit', { status: 'x', facts: { b: 7 } }, '/facts/b invalid_type'],
    ['a rest that does not fit', { result: { a: [] } }, '/status invalid_type'],
    ['a rest that is not plain', { status: () => 1, result: { a: [] } }, '/status function'],
    ['something else', 'found', ' invalid_type'],
    ['a proxy', new Proxy({ status: 'x' }, {}), ' proxy'],
  ])('is refused for %s, with its path', (_title, value, problem) => {
    const content = read(value)

    expect(content.ok ? [] : content.problems.map(({ path, rule }) => `${path} ${rule}`)).toEqual([problem])
  })

  it('is refused where the schema rewrites a part', () => {
    const rewriting = z.strictObject({ result: z.strictObject({ a: z.string().trim() }) })

    expect(parseAnswer(rewriting, { result: { a: ' x' } }, 'resultBytes', limited)).toMatchObject({
      problems: [{ path: '', rule: 'rewritten' }],
    })
  })
})

test.prop([fc.jsonValue(), fc.string({ minLength: 12 })])(
  'no problem repeats a key that somebody made up',
  (value, key) => {
    const content = parseContent(schema, { ...good, [`key ${key}`]: value }, 'commandBytes')

    expect(content.ok).toBe(false)
    expect(JSON.stringify(content)).not.toContain(JSON.stringify(key).slice(1, -1))
  },
)
