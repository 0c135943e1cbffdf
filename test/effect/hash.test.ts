// Digests, framing and the strict text forms of bytes.
import { createHash } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue } from '../../src/effect/canonical-json.ts'
import { base32, framed, fromBase64Url, hmacSha256, sameBytes, sha256, toBase64Url } from '../../src/effect/hash.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('sha256', () => {
  it.each<[string, JsonValue, string]>([
    ['{}', {}, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    [
      '{"amount_cents":2500,"customer_id":"customer_123"}',
      { customer_id: 'customer_123', amount_cents: 2500 },
      'b3ff26737e7f1d594bccb312ccd519fd47b98859ec2c348717b279dcda51ab66',
    ],
    [
      '{"a":[1,2,{"b":null}],"é":true}',
      { é: true, a: [1, 2, { b: null }] },
      '92904edad37a1d762c388a95e25e54cc37b7eb983ae2b047955fb55e6bc2a702',
    ],
    ['{"a":-1.5,"z":0.1}', { z: 0.1, a: -1.5 }, '03f47ea7773b092629bce3b924046bc57814b77d82c2b48ee351c2e094d39601'],
  ])('evidence 5.1: the digest of %s', (text, value, digest) => {
    const written = canonicalJson(value, { numbers: 'finite' })

    expect(written).toBe(text)
    expect(hex(sha256(bytesOf(written)))).toBe(digest)
  })

  it('answers plain bytes, which share nothing with the pool of Node', () => {
    const digest = sha256(new Uint8Array())

    expect(Object.getPrototypeOf(digest)).toBe(Uint8Array.prototype)
    expect(digest.buffer.byteLength).toBe(32)
  })
})

describe('hmacSha256', () => {
  it('agrees with test case 2 of RFC 4231', () => {
    const mac = hmacSha256(bytesOf('Jefe'), bytesOf('what do ya want for nothing?'))

    expect(hex(mac)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
  })
})

describe('framed', () => {
  it('puts the length in bytes before each part', () => {
    expect(hex(framed(['ab', new Uint8Array([255]), '', 'é']))).toBe(
      '00000002' + '6162' + '00000001ff' + '00000000' + '00000002c3a9',
    )
  })

  it('reads a part from a view into a larger buffer', () => {
    const view = new Uint8Array([1, 2, 3, 4]).subarray(1, 3)

    expect(hex(framed([view]))).toBe('00000002' + '0203')
  })

  test.prop([fc.array(fc.string(), { maxLength: 4 }), fc.array(fc.string(), { maxLength: 4 })])(
    'never gives two lists the same bytes',
    (one, other) => {
      expect(hex(framed(one)) === hex(framed(other))).toBe(JSON.stringify(one) === JSON.stringify(other))
    },
  )

  it('keeps apart what plain concatenation would not', () => {
    expect(hex(framed(['ab', 'c']))).not.toBe(hex(framed(['a', 'bc'])))
    expect(hex(framed(['a', '']))).not.toBe(hex(framed(['a'])))
  })

  it('refuses a lone surrogate, which node:crypto would hash like U+FFFD (reliability F12)', () => {
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
    expect(digest('x\uD800')).toBe(digest('x\uFFFD'))

    expect(() => framed(['x\uD800'])).toThrow('A string with a lone surrogate cannot be hashed')
  })
})

describe('sameBytes', () => {
  it.each([
    ['equal bytes', [1, 2], [1, 2], true],
    ['other bytes', [1, 2], [1, 3], false],
    ['a prefix', [1, 2], [1], false],
    ['bytes and nothing', [1], [], false],
    ['nothing and nothing, two failed parses (reliability F14)', [], [], false],
  ])('of %s', (_, a, b, expected) => {
    expect(sameBytes(Uint8Array.from(a), Uint8Array.from(b))).toBe(expected)
  })
})

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'my'],
    ['fo', 'mzxq'],
    ['foo', 'mzxw6'],
    ['foob', 'mzxw6yq'],
    ['fooba', 'mzxw6ytb'],
    ['foobar', 'mzxw6ytboi'],
  ])('writes "%s" as RFC 4648 does, in lower case without padding', (text, expected) => {
    expect(base32(bytesOf(text))).toBe(expected)
  })

  test.prop([fc.uint8Array({ maxLength: 40 })])('writes 5 bits a character, most significant first', (bytes) => {
    const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    const groups = bits.match(/.{1,5}/g) ?? []

    const characters = groups.map((group) =>
      'abcdefghijklmnopqrstuvwxyz234567'.charAt(Number.parseInt(group.padEnd(5, '0'), 2)),
    )
    expect(base32(bytes)).toBe(characters.join(''))
  })
})

describe('base 64 for URLs', () => {
  test.prop([fc.uint8Array({ maxLength: 40 })])('reads back what it wrote', (bytes) => {
    expect(fromBase64Url(toBase64Url(bytes), bytes.length)).toEqual(new Uint8Array(bytes))
  })

  it('uses the URL alphabet without padding, and reads nothing else', () => {
    const bytes = Uint8Array.from([251, 255, 254, 0])

    expect(toBase64Url(bytes)).toBe('-__-AA')
    expect(fromBase64Url('-__-AA', 4)).toEqual(bytes)
    expect(fromBase64Url('', 0)).toEqual(new Uint8Array())
  })

  it.each([
    ['the plain alphabet', '+//+AA', 4],
    ['padding', '-__-AA==', 4],
    ['stray trailing bits', '-__-AB', 4],
    ['a blank', '-__-A A', 4],
    ['a line break at the end', '-__-AA\n', 4],
    ['a character of no alphabet', '-__-A*', 4],
    ['a byte too few', '-__-', 4],
    ['a byte too many', '-__-AAA', 4],
    ['nothing', '', 4],
    ['something for nothing', 'A', 0],
  ])('refuses %s', (_, text, length) => {
    expect(fromBase64Url(text, length)).toBeNull()
  })

  test.prop([fc.string({ minLength: 6, maxLength: 6 })])('takes no text but the one it writes', (text) => {
    const bytes = fromBase64Url(text, 4)

    expect(bytes === null || toBase64Url(bytes) === text).toBe(true)
  })
})
