// Canaries are found wherever they are and however they are written, and nothing is found where there is none.
import { describe, expect, it } from 'vitest'
import { findSensitive } from '../../src/testing.ts'

const CANARY = 'DE89 "370400" ÄÖ/+?'
const bytes = Buffer.from(CANARY, 'utf8')

describe('findSensitive', () => {
  it.each<readonly [string, unknown, string, string]>([
    ['a string', `IBAN ${CANARY}.`, '', 'plain'],
    ['a string in other letters', { note: CANARY.toLowerCase() }, '/note', 'plain'],
    ['a key', { [CANARY]: 1 }, `/${CANARY.replace('/', '~1')}`, 'plain'],
    ['a deep list', { a: [[{ b: CANARY }]] }, '/a/0/0/b', 'plain'],
    ['JSON in a string', JSON.stringify({ b: CANARY }), '', 'json'],
    ['a URL', `https://x.example/?q=${encodeURIComponent(CANARY)}`, '', 'url'],
    ['hexadecimal text', `0x${bytes.toString('hex').toUpperCase()}`, '', 'hex'],
    ['base64 alone', bytes.toString('base64'), '', 'base64'],
    ['base64 in the middle', Buffer.from(`a${CANARY}bc`).toString('base64'), '', 'base64'],
    ['base64 in another place', Buffer.from(`ab${CANARY}`).toString('base64'), '', 'base64'],
    ['bytes', { file: new Uint8Array([1, 2, ...bytes, 3]) }, '/file', 'plain'],
    ['a buffer', bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '', 'plain'],
    ['a map', new Map([['a', { b: CANARY }]]), '/0/1/b', 'plain'],
    ['a set', new Set([CANARY]), '/0', 'plain'],
    ['a symbol', { key: Symbol(CANARY) }, '/key', 'plain'],
    ['the message of a cause', new Error('x', { cause: new Error(CANARY) }), '/cause/message', 'plain'],
  ])('finds it in %s', (_where, value, path, written) => {
    expect(findSensitive(value, ['another canary', CANARY])).toContainEqual({ path, canary: 1, written })
  })

  it('finds each canary in each place', () => {
    const found = findSensitive({ a: 'first-canary second-canary', b: 'second-canary' }, [
      'first-canary',
      'second-canary',
    ])

    expect(found.map(({ path, canary }) => [path, canary])).toEqual([
      ['/a', 0],
      ['/a', 1],
      ['/b', 1],
    ])
  })

  it('finds nothing in what only resembles it, and says nothing of it', () => {
    const found = findSensitive({ a: CANARY.slice(1), b: 5, c: null, d: undefined, e: 7n, f: () => 1 }, [CANARY])

    expect(found).toEqual([])
    expect(JSON.stringify(findSensitive(CANARY, [CANARY]))).not.toContain('370400')
  })

  it('walks in circles once, and runs no accessor', () => {
    const value: { self?: unknown; got: number } = { got: 0 }
    value.self = value
    Object.defineProperty(value, 'trap', {
      enumerable: true,
      get: () => {
        value.got += 1
        return CANARY
      },
    })

    expect(findSensitive(value, [CANARY])).toEqual([])
    expect(value.got).toBe(0)
  })

  it('refuses a canary that stands anywhere by accident', () => {
    expect(() => findSensitive({}, ['1234567'])).toThrow(TypeError)
  })
})
