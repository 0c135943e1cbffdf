// The headers that a request may have once, and those that every answer has.
import { describe, expect, it } from 'vitest'
import { etagOf } from '../../../src/http/wire/etag.ts'
import { MalformedRequest } from '../../../src/http/wire/http-refusals.ts'
import { parseIdempotencyKey } from '../../../src/http/wire/idempotency-key.ts'
import { NEVER_A_REVISION, parseIfMatch } from '../../../src/http/wire/if-match.ts'
import { requestId } from '../../../src/http/wire/request-id.ts'
import { securityHeaders } from '../../../src/http/wire/security-headers.ts'
import { type SingletonHeader, singletonHeader } from '../../../src/http/wire/singleton-header.ts'

const ifMatch = (value: string): number | null => parseIfMatch(new Headers({ 'If-Match': value }))
const keyOf = (value: string): string | null => parseIdempotencyKey(new Headers({ 'Idempotency-Key': value }))

describe('evidence F17: a header that may stand once', () => {
  const names: readonly SingletonHeader[] = [
    'Authorization',
    'Content-Encoding',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
  ]

  it.each(names)('%s is refused when it was sent twice, also with one value', (name) => {
    for (const lines of [
      ['a', 'b'],
      ['a', 'a'],
      ['a', ''],
      ['', ''],
    ]) {
      const headers = new Headers(lines.map((line) => [name, line] as [string, string]))
      expect(() => singletonHeader(headers, name)).toThrow(MalformedRequest)
    }
  })

  it.each(names)('%s is null only if it was not sent', (name) => {
    expect(singletonHeader(new Headers(), name)).toBeNull()
    expect(singletonHeader(new Headers([[name, '']]), name)).toBe('')
    expect(singletonHeader(new Headers([[name, 'x y']]), name)).toBe('x y')
  })
})

describe('If-Match', () => {
  it('may be left out', () => {
    expect(parseIfMatch(new Headers())).toBeNull()
  })

  it.each([0, 1, 17, Number.MAX_SAFE_INTEGER])('of the entity tag of revision %i is that revision', (revision) => {
    expect(ifMatch(etagOf(revision))).toBe(revision)
  })

  it.each([
    '""',
    '"x"',
    '"01"',
    '"1.0"',
    '"-1"',
    '"+1"',

    '"9007199254740992"',
    '"99999999999999999999"',
    '"W/1"',
  ])('%s is a strong tag that was never one of ours, so no proposal matches it', (tag) => {
    expect(ifMatch(tag)).toBe(NEVER_A_REVISION)
  })

  it.each([
    ['evidence 5.2: a weak tag', 'W/"1"'],
    ['evidence 5.2: whatever there is', '*'],
    ['evidence 5.2: a list', '"1", "2"'],
    ['evidence 5.2: a list of one and nothing', '"1",'],
    ['no quotes', '1'],
    ['half of the quotes', '"1'],
    ['the other half', '1"'],
    ['other quotes', "'1'"],
    ['nothing', ''],
    ['two tags without a comma', '"1" "2"'],
    ['a quote within', '"1"2"'],
    ['a weak tag in small letters', 'w/"1"'],
    ['a parameter', '"1";x'],
    ['a space within', '"1 "'],
  ])('%s is refused', (_, value) => {
    expect(() => ifMatch(value)).toThrow(MalformedRequest)
  })
})

describe('Idempotency-Key', () => {
  it('may be left out', () => {
    expect(parseIdempotencyKey(new Headers())).toBeNull()
  })

  it.each([
    ['k', 'k'],
    ['"k"', 'k'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['!#$%&()*+-./:;<=>?@[]^_`{|}~', '!#$%&()*+-./:;<=>?@[]^_`{|}~'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    ['a;b', 'a;b'],
  ])('%s is the key %s', (value, key) => {
    expect(keyOf(value)).toBe(key)
  })

  it.each([
    ['nothing', ''],
    ['nothing in quotes', '""'],
    ['one character too many', 'x'.repeat(256)],
    ['one too many in quotes', `"${'x'.repeat(256)}"`],
    ['a space', 'a b'],
    ['a space in quotes', '"a b"'],
    ['a tab', 'a\tb'],
    ['a letter beyond ASCII', 'caf\u00E9'],
    ['half of the quotes', '"a'],
    ['the other half', 'a"'],
    ['a quote within', 'a"b'],
    ['a backslash', String.raw`a\b`],
    ['an escape that is none', String.raw`"a\b"`],
    ['a quote that is escaped away', String.raw`"a\"`],
    ['parameters of a structured field', '"a";p=1'],
    ['two keys', 'a, b'],
    ['two keys in quotes', '"a", "b"'],
    ['a comma', 'a,b'],
    ['a comma in quotes', '"a,b"'],
  ])('%s is refused', (_, value) => {
    expect(() => keyOf(value)).toThrow(MalformedRequest)
  })
})

describe('X-Request-Id', () => {
  const idOf = (value: string): string => requestId(new Headers({ 'X-Request-Id': value }), () => 'fresh')

  it.each(['a', '01J9ZK-7.x_Y', 'x'.repeat(64)])('%s is kept', (value) => {
    expect(idOf(value)).toBe(value)
  })

  it.each(['', 'x'.repeat(65), 'a b', 'a,b', 'a/b', 'a"b', '<script>', 'a%0d', 'caf\u00E9', 'a\tb', 'a;b', 'a:b'])(
    '%j is replaced by a fresh one',
    (value) => {
      expect(idOf(value)).toBe('fresh')
    },
  )

  it('is a fresh one if there is none', () => {
    expect(requestId(new Headers(), () => 'fresh')).toBe('fresh')
  })
})

describe('the security headers', () => {
  it('allow nothing, and keep nothing', () => {
    expect(securityHeaders()).toStrictEqual({
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    })
  })

  it('allow a page what it names', () => {
    const policy = securityHeaders({ 'script-src': "'self'", 'form-action': "'self'" })['Content-Security-Policy']
    expect(policy).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; script-src 'self'",
    )
  })

  it.each(["'unsafe-inline'", "'self' 'unsafe-inline'", "'unsafe-eval'", "'unsafe-hashes' 'sha256-x'"])(
    'never allow %s',
    (sources) => {
      expect(() => securityHeaders({ 'script-src': sources })).toThrow(TypeError)
      expect(() => securityHeaders({ 'style-src': sources })).toThrow(TypeError)
    },
  )
})
