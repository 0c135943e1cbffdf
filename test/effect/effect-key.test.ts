// The derivation of idempotency keys, pinned by golden vectors: a changed byte here would let effects run again.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { CALL_DOMAIN_PREFIX, counterpart, effectKind, idempotencyKey, stepKey } from '../../src/effect/effect-key.ts'
import { base32, sha256 } from '../../src/effect/hash.ts'
import { ref } from './builders.ts'

const effect = {
  tenant: ref('tenant-1'),
  domain: 'example.payments/refund',
  reference: ref('refund:01K4Y8Q5X7M2N9R3T6V8W1Z4AB'),
}
const derivation = '0000001a' + '636f756e7465727369676e2f6964656d706f74656e63792f7631' // countersign/idempotency/v1

describe('idempotencyKey', () => {
  it.each([
    {
      title: 'the first generation',
      effect,
      generation: 1,
      bytes: [
        derivation,
        '00000008' + '74656e616e742d31', // tenant-1
        '00000017' + '6578616d706c652e7061796d656e74732f726566756e64', // example.payments/refund
        '00000021' + '726566756e643a30314b345938513558374d324e3952335436563857315a344142', // refund:01K4…
        '00000001' + '31', // 1
      ],
      key: 'ik_rxuakhscbbf5l6ko5j6pddu2timhsv4whqoouab5xhw4j7mf7rga',
    },
    {
      title: 'the second generation',
      effect,
      generation: 2,
      bytes: [
        derivation,
        '00000008' + '74656e616e742d31',
        '00000017' + '6578616d706c652e7061796d656e74732f726566756e64',
        '00000021' + '726566756e643a30314b345938513558374d324e3952335436563857315a344142',
        '00000001' + '32',
      ],
      key: 'ik_qmr54k2krnpfbchp5kxvgqqziedzf2ygsz7j6wypyiucajbd6wsq',
    },
    {
      title: 'another tenant',
      effect: { ...effect, tenant: ref('tenant-2') },
      generation: 1,
      bytes: [
        derivation,
        '00000008' + '74656e616e742d32',
        '00000017' + '6578616d706c652e7061796d656e74732f726566756e64',
        '00000021' + '726566756e643a30314b345938513558374d324e3952335436563857315a344142',
        '00000001' + '31',
      ],
      key: 'ik_xg3n2vxn5y5v5z6t2h4n6yzxujekgwkmiyu3mzgupnpa6l4d5p3a',
    },
    {
      title: 'a guarded call with a reference beyond ASCII',
      effect: { tenant: ref('default'), domain: 'call:charge_customer', reference: ref('caf\u00E9-\u20AC-\u{1F4B6}') },
      generation: 10,
      bytes: [
        derivation,
        '00000007' + '64656661756c74', // default
        '00000014' + '63616c6c3a6368617267655f637573746f6d6572', // call:charge_customer
        '0000000e' + '636166c3a92de282ac2df09f92b6', // café-€-💶 in UTF-8
        '00000002' + '3130', // 10
      ],
      key: 'ik_d7p62ktfxojd3zia4utetmzohwaldcf5yzziasby4u4vjhdqtxvq',
    },
  ])('golden vector: $title', ({ effect: named, generation, bytes, key }) => {
    expect(idempotencyKey(named, generation)).toBe(key)
    expect(`ik_${base32(sha256(Uint8Array.from(Buffer.from(bytes.join(''), 'hex'))))}`).toBe(key)
  })

  it('is one text that every target takes: lower case, digits, no padding, 55 characters', () => {
    expect(idempotencyKey(effect, 1)).toMatch(/^ik_[a-z2-7]{52}$/)
  })

  it('differs by tenant, domain, reference and generation, also where these run into each other (trace S7)', () => {
    const keys = [
      idempotencyKey(effect, 1),
      idempotencyKey(effect, 2),
      idempotencyKey({ ...effect, tenant: ref('tenant-2') }, 1),
      idempotencyKey({ ...effect, domain: 'example.payments/refunds' }, 1),
      idempotencyKey({ ...effect, reference: ref('refund:2') }, 1),
      idempotencyKey({ tenant: ref('a'), domain: 'bc', reference: ref('d') }, 1),
      idempotencyKey({ tenant: ref('ab'), domain: 'c', reference: ref('d') }, 1),
      idempotencyKey({ tenant: ref('a'), domain: 'b', reference: ref('cd') }, 1),
    ]

    expect(new Set(keys).size).toBe(keys.length)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the generation %d', (generation) => {
    expect(() => idempotencyKey(effect, generation)).toThrow(new TypeError('A generation is an integer from 1'))
  })

  it('refuses a domain with a lone surrogate', () => {
    expect(() => idempotencyKey({ ...effect, domain: 'call:x\uD800' }, 1)).toThrow(TypeError)
  })
})

describe('stepKey', () => {
  const key = idempotencyKey(effect, 1)

  it.each([1, 2, 999])('names step %d behind the key', (step) => {
    expect(stepKey(key, step)).toBe(`${key}-${step}`)
  })

  test.prop([fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 999 })])('differs by step', (one, other) => {
    expect(stepKey(key, one) === stepKey(key, other)).toBe(one === other)
  })

  it.each([0, -1, 1_000, 1.5, Number.NaN])('refuses the step %d', (step) => {
    expect(() => stepKey(key, step)).toThrow(new TypeError('A step is an integer from 1 to 999'))
  })
})

describe('effectKind', () => {
  it.each([
    [`${CALL_DOMAIN_PREFIX}charge_customer`, 'call'],
    ['example.payments/refund', 'proposal'],
    ['recall:x', 'proposal'],
    ['call', 'proposal'],
  ])('of %s is %s (rules R17)', (domain, kind) => {
    expect(effectKind(domain)).toBe(kind)
  })
})

describe('the counterpart', () => {
  it('is the same effect as the other kind names it, back and forth (rules R17)', () => {
    const proposed = { tenant: ref('default'), domain: 'example.payments/refund', reference: ref('intent-1') }
    const called = { ...proposed, domain: 'call:example.payments/refund' }

    expect(counterpart(proposed)).toEqual(called)
    expect(counterpart(called)).toEqual(proposed)
  })
})
