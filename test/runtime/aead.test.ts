// Authenticated encryption: whatever differs, nothing comes out; nothing is ever encrypted under one nonce twice.
import { randomBytes } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { decrypt, encrypt } from '../../src/runtime/keys/aead.ts'

const key = new Uint8Array(randomBytes(32))
const context = new Uint8Array([1, 2, 3])
const plain = new TextEncoder().encode('ten euros and no cents')
const bytes = fc.uint8Array({ maxLength: 200 })

test.prop([bytes, bytes])('what was encrypted comes back, under its key and context', (text, about) => {
  expect(decrypt(key, about, encrypt(key, about, text))).toEqual(text)
})

test.prop([bytes])('anything else comes back as nothing, and never throws', (noise) => {
  expect(decrypt(key, context, noise)).toBeNull()
})

describe('what was altered', () => {
  const sealed = encrypt(key, context, plain)

  it('in one bit of any byte is nothing', () => {
    for (const index of sealed.keys()) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = sealed.map((byte, at) => (at === index ? byte ^ (1 << bit) : byte))
        expect(decrypt(key, context, flipped)).toBeNull()
      }
    }
  })

  it('by cutting off any number of bytes, at either end, is nothing', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      expect(decrypt(key, context, sealed.subarray(0, length))).toBeNull()
      expect(decrypt(key, context, sealed.subarray(sealed.length - length))).toBeNull()
    }
  })

  it('by adding a byte is nothing', () => {
    expect(decrypt(key, context, new Uint8Array([...sealed, 0]))).toBeNull()
  })

  it('with a tag cut to four bytes, which Node alone would take, is nothing', () => {
    const short = new Uint8Array([...sealed.subarray(0, sealed.length - 16), ...sealed.subarray(-16, -12)])

    expect(decrypt(key, context, short)).toBeNull()
  })

  it.each([0, 2, 255])('with the format %i, which does not exist, is nothing', (format) => {
    expect(decrypt(key, context, new Uint8Array([format, ...sealed.subarray(1)]))).toBeNull()
  })

  it('under another key or another context is nothing', () => {
    expect(decrypt(new Uint8Array(randomBytes(32)), context, sealed)).toBeNull()
    for (const other of [[], [1, 2], [1, 2, 3, 0], [1, 2, 4]]) {
      expect(decrypt(key, new Uint8Array(other), sealed)).toBeNull()
    }
  })
})

describe('threat T44', () => {
  it('threat T44: no nonce comes twice in a hundred thousand, and equal texts are never equal sealed', () => {
    const nonces = new Set<string>()
    for (let nth = 0; nth < 100_000; nth += 1) {
      nonces.add(Buffer.from(encrypt(key, context, new Uint8Array())).toString('latin1', 1, 13))
    }

    expect(nonces.size).toBe(100_000)
    expect(encrypt(key, context, plain)).not.toEqual(encrypt(key, context, plain))
  })

  it('holds the text nowhere in the clear, and nothing but format, nonce and tag beside it', () => {
    const sealed = encrypt(key, context, plain)

    expect(sealed).toHaveLength(1 + 12 + plain.length + 16)
    expect(Buffer.from(sealed).includes(Buffer.from(plain.subarray(0, 6)))).toBe(false)
  })
})
