// Effect references: derived ones are opaque and stable; those of a host may not say anything private.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../src/effect/canonical-json.ts'
import { isReference } from '../../src/effect/reference.ts'
import { deriveEffectReference, isIdentifying } from '../../src/proposal/content/effect-reference.ts'
import golden from './golden/keyed-digests.json' with { type: 'json' }
import { reference } from './refund.ts'

const key = Buffer.from(golden.referenceKeyHex, 'hex')
const tenant = reference(golden.tenant)
const derive = (...parts: readonly string[]): string => deriveEffectReference(key, tenant, parts)

describe('a derived reference', () => {
  it('is that of the golden vector', () => {
    const { parts, value } = golden.effectReference

    expect(deriveEffectReference(key, tenant, parts)).toBe(value)
  })

  it('is a reference, the same for the same parts', () => {
    expect(derive('refund', '7')).toMatch(/^er_[a-z2-7]{52}$/)
    expect(isReference(derive('refund', '7'))).toBe(true)
    expect(derive('refund', '7')).toBe(derive('refund', '7'))
  })

  it('is another for another key, tenant or other parts, and for the same texts divided otherwise', () => {
    const all = [
      derive('refund', '7'),
      deriveEffectReference(new Uint8Array(32), tenant, ['refund', '7']),
      deriveEffectReference(key, reference('other'), ['refund', '7']),
      derive('refund7'),
      derive('refund', '7', ''),
      derive('7', 'refund'),
    ]

    expect(new Set(all).size).toBe(all.length)
  })

  it.each<[string, readonly unknown[]]>([
    ['without parts', []],
    ['from a part that is not NFC', ['e\u0301']],
    ['from half a character', ['\uD800']],
    ['from a number', [7]],
    ['from nothing', ['refund', undefined]],
  ])('is not made %s', (_title, parts) => {
    expect(() => derive(...(parts as string[]))).toThrow(TypeError)
  })

  test.prop([fc.array(fc.string(), { minLength: 1 })])('is never identifying', (parts) => {
    const made = derive(...parts.map((part) => part.normalize('NFC')))

    expect(isIdentifying(reference(made), [])).toBe(false)
  })
})

describe('a reference of the host is identifying', () => {
  it.each<[string, string, JsonValue]>([
    ['as the whole string', 'order-10017', { order: 'order-10017' }],
    ['as a part', 'refund:order-10017:1', { order: 'order-10017' }],
    ['in another case', 'refund:ORDER-10017', { order: 'order-10017' }],
    ['within a word', 'refundorder10017x', { order: 'order10017' }],
    ['within a word, of six characters', 'xabcdefx', { order: 'abcdef' }],
    ['with other separators', 'refund/INV-2024-0099', { invoice: 'INV 2024 0099' }],
    ['with spaces around', 'refund:order-10017', { order: '  order-10017 ' }],
    ['in another normal form', 'Zo\u00EB Miller', { name: 'Zoe\u0308 Miller' }],
    ['deep inside', 'intent-order-10017', { a: [{ b: ['order-10017'] }] }],
    ['as the content itself', 'order-10017', 'order-10017'],
    ['short, as a word', 'refund:4711:x', { order: '4711' }],
    ['short, as the first word', '7:x', { order: '7' }],
    ['short, as the last word', 'refund#7', { order: '7' }],
    ['short, of two words', 'refund/7-b/x', { order: '7.B' }],
    ['short and not of ASCII', 'überweisung-ö1', { order: 'Ö1' }],
    ['in the second content', 'refund:order-10017', { order: 'other-10018' }],
  ])('if a string stands in it %s', (_title, text, content) => {
    expect(isIdentifying(reference(text), [content, { second: 'order-10017' }])).toBe(true)
  })

  it.each([
    ['ann@example.test'],
    ['refund:ann.b+c@mail.example.test:7'],
    ['DE89370400440532013000'],
    ['refund:de89370400440532013000'],
    ['GB29 NWBK 6016 1331 9268 19'],
    ['card-4111111111111111'],
    ['4111 1111 1111 1111'],
  ])('if it is %s, whatever the content', (text) => {
    expect(isIdentifying(reference(text), [])).toBe(true)
  })
})

describe('a reference of the host is not identifying', () => {
  it.each<[string, string, JsonValue]>([
    ['five characters within a word', 'xabcdex', { order: 'abcde' }],
    ['a short string within a word', 'intent-a4711b', { order: '4711' }],
    ['a short string of two words that stand apart', 'a-x-b', { order: 'a b' }],
    ['an empty string', 'intent-1', { order: '' }],
    ['spaces only', 'intent - 1', { order: '   ' }],
    ['separators only', 'intent--1', { order: '--' }],
    ['a number', 'intent-10017', { order: 10_017 }],
    ['true and null', 'true-null', { a: true, b: null }],
    ['a key', 'refund-note', { refund: 1, note: 2 }],
    ['an @ that is no address', 'intent@7', {}],
    ['a ULID', '01K4Y8Q5X7M2N9R3T6V8W1Z4AB', { order: '01K4', year: '2024', currency: 'EUR' }],
    ['a UUID', '9b2f4c3e-5d1a-4f77-8c21-2024a1b2c3d4', { year: '2024', currency: 'EUR' }],
  ])('because of %s', (_title, text, content) => {
    expect(isIdentifying(reference(text), [content])).toBe(false)
  })
})
