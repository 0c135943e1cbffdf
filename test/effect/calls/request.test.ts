// What a guarded call may be given: every malformed input is refused with its path, and equal requests have equal digests.
import { describe, expect, it } from 'vitest'
import { InvalidCallError } from '../../../src/effect/calls/action-error.ts'
import { callKey, parseCall, type RawCall, requestHash } from '../../../src/effect/calls/call-input.ts'
import { RetryPolicy } from '../../../src/effect/calls/retry-policy.ts'
import { ref } from '../builders.ts'

const TENANT = ref('default')
const good: RawCall = {
  name: 'charge_customer',
  request: { amount_cents: 2500, customer_id: 'customer_123' },
  idempotencyKey: 'order-123',
  providerReference: 'order-123',
  risk: 'financial',
  metadata: { order: '123' },
  retryPolicy: new RetryPolicy({ maxAttempts: 3, retryOnFailed: true }),
  hasVerifier: true,
}

function refusalOf(raw: Partial<RawCall>): { readonly path: string; readonly rule: string } {
  try {
    parseCall(TENANT, { ...good, ...raw })
  } catch (error) {
    if (error instanceof InvalidCallError) return { path: error.path, rule: error.rule }
    throw error
  }
  throw new TypeError('It was taken')
}

class Money {
  readonly cents = 5
}

const cyclic: Record<string, unknown> = {}
cyclic['again'] = cyclic

const sparse: unknown[] = [1]
sparse[2] = 3

const decorated = Object.assign([1], { extra: true })

class List extends Array<unknown> {}

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

const accessor = Object.defineProperty({}, 'amount', { enumerable: true, get: () => 5 })
const hidden = Object.defineProperty({ a: 1 }, 'amount', { enumerable: false, value: 5 })

/** Its fields are careful; what it answers is not. */
class Eager extends RetryPolicy {
  override shouldRetry(): boolean {
    return true
  }
}

describe('the request', () => {
  it.each<[string, unknown]>([
    ['an array', [1]],
    ['a string', 'charge'],
    ['a number', 5],
    ['null', null],
    ['undefined', undefined],
    ['an instance of a class', new Money()],
    ['an object with another prototype', Object.create({ inherited: 1 })],
    ['a map', new Map([['a', 1]])],
    ['a set', new Set([1])],
    ['a date', new Date(0)],
    ['a buffer', Buffer.from('x')],
    ['a typed array', new Uint8Array(1)],
    ['a boxed string', new Object('x')],
    ['a proxy', new Proxy({}, {})],
    ['a function', () => 1],
  ])('evidence 5.1 is not %s', (_what, request) => {
    expect(refusalOf({ request })).toEqual({ path: '/request', rule: 'not_an_object' })
  })

  it.each<[string, unknown, string, string]>([
    ['undefined', undefined, '', 'undefined'],
    ['a function', () => 1, '', 'function'],
    ['a symbol', Symbol('x'), '', 'symbol'],
    ['a bigint', 5n, '', 'bigint'],
    ['a lone surrogate', 'x\uD800', '', 'lone_surrogate'],
    ['NaN', Number.NaN, '', 'not_finite'],
    ['infinity', Number.POSITIVE_INFINITY, '', 'not_finite'],
    ['minus zero', -0, '', 'negative_zero'],
    ['an integer that is not safe', 2 ** 53, '', 'unsafe_integer'],
    ['a sparse array', sparse, '/1', 'sparse_array'],
    ['array with more than its items', decorated, '/extra', 'decorated_array'],
    ['a subclass of an array', List.from([1]), '', 'class_instance'],
    ['an instance of a class', new Money(), '', 'class_instance'],
    ['a date', new Date(0), '', 'class_instance'],
    ['a map', new Map(), '', 'class_instance'],
    ['a buffer', Buffer.from('x'), '', 'class_instance'],
    ['a boxed number', new Object(5), '', 'class_instance'],
    ['a proxy', new Proxy({}, {}), '', 'proxy'],
    ['a key that is a symbol', { [Symbol('x')]: 1 }, '', 'symbol_key'],
    ['an accessor', accessor, '/amount', 'accessor'],
    ['a hidden property', hidden, '/amount', 'hidden_property'],
    ['something with toJSON', { toJSON: () => 1 }, '/toJSON', 'to_json'],
    ['a cycle', cyclic, '/again', 'cycle'],
    ['value that is nested too deeply', deep(64), '/0'.repeat(62), 'jsonDepth'],
    ['a string that is too long', 'x'.repeat(65_537), '', 'stringBytes'],
  ])('evidence 5.1 holds no %s', (_what, value, below, rule) => {
    expect(refusalOf({ request: { a: { b: value } } })).toEqual({ path: `/request/a/b${below}`, rule })
  })

  it('evidence 5.1 is taken as plain data, copied and frozen', () => {
    const request = Object.assign(Object.create(null) as object, {
      text: 'é',
      list: [null, true, 1.5, -7, { deep: [] }],
    })

    const { request: copy } = parseCall(TENANT, { ...good, request })

    expect(copy).toEqual({ text: 'é', list: [null, true, 1.5, -7, { deep: [] }] })
    expect(Object.isFrozen(copy)).toBe(true)
  })

  it.each([
    ['{}', {}, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    ['two members', good.request, 'b3ff26737e7f1d594bccb312ccd519fd47b98859ec2c348717b279dcda51ab66'],
    [
      'nested members',
      { é: true, a: [1, 2, { b: null }] },
      '92904edad37a1d762c388a95e25e54cc37b7eb983ae2b047955fb55e6bc2a702',
    ],
    ['fractions', { z: 0.1, a: -1.5 }, '03f47ea7773b092629bce3b924046bc57814b77d82c2b48ee351c2e094d39601'],
  ])('evidence 5.1 has the published digest: %s', (_what, request, digest) => {
    const { requestText } = parseCall(TENANT, { ...good, request })

    expect(requestHash(requestText, null)).toBe(digest)
    expect(requestHash(requestText, new Uint8Array(32))).toMatch(/^h1_[\w-]{43}$/)
  })
})

describe('the rest of a call', () => {
  it.each<[string, Partial<RawCall>, string, string]>([
    ['no name', { name: undefined }, '/name', 'not_a_string'],
    ['an empty name', { name: '' }, '/name', 'empty'],
    ['a name with the prefix of calls', { name: 'call:charge' }, '/name', 'call_prefix'],
    ['no key', { idempotencyKey: undefined }, '/idempotencyKey', 'not_a_string'],
    ['a key that is too long', { idempotencyKey: 'x'.repeat(256) }, '/idempotencyKey', 'too_long'],
    ['a key with a line break', { idempotencyKey: 'a\nb' }, '/idempotencyKey', 'control_character'],
    ['a provider reference that is null', { providerReference: null }, '/providerReference', 'not_a_string'],
    ['a verifier without one', { providerReference: undefined }, '/providerReference', 'required_with_verifier'],
    ['a risk in capitals', { risk: 'HIGH' }, '/risk', 'not_a_reason_code'],
    ['metadata that are a list', { metadata: [] }, '/metadata', 'not_an_object'],
    ['metadata with a reserved name', { metadata: { recovery: 1 } }, '/metadata/recovery', 'reserved'],
    ['metadata that are too long', { metadata: { a: 'x'.repeat(493) } }, '/metadata', 'callMetadataCharacters'],
    ['a policy that is none', { retryPolicy: {} }, '/retryPolicy', 'not_a_retry_policy'],
    ['a policy that decides by itself', { retryPolicy: new Eager() }, '/retryPolicy', 'not_a_retry_policy'],
    [
      'a policy behind a proxy',
      { retryPolicy: new Proxy(new RetryPolicy(), {}) },
      '/retryPolicy',
      'not_a_retry_policy',
    ],
    [
      'a retry of the unknown for money',
      { retryPolicy: new RetryPolicy({ retryOnUnknown: true }) },
      '/retryPolicy/retryOnUnknown',
      'refused_for_risk',
    ],
  ])('is refused with %s', (_what, raw, path, rule) => {
    expect(refusalOf(raw)).toEqual({ path, rule })
  })

  it('has defaults, and metadata of exactly 500 characters', () => {
    const { policy, metadata, risk, providerReference } = parseCall(TENANT, {
      ...good,
      providerReference: undefined,
      risk: undefined,
      metadata: undefined,
      retryPolicy: undefined,
      hasVerifier: false,
    })

    expect({ metadata, risk, providerReference }).toEqual({ metadata: '{}', risk: null, providerReference: null })
    expect(policy).toMatchObject({ maxAttempts: 1, retryOnFailed: false, retryOnUnknown: false })
    expect(parseCall(TENANT, { ...good, metadata: { a: 'x'.repeat(492) } }).metadata).toHaveLength(500)
  })

  it('may retry the unknown where the risk allows it', () => {
    const retryPolicy = new RetryPolicy({ retryOnUnknown: true })

    expect(parseCall(TENANT, { ...good, risk: 'low', retryPolicy }).policy).toBe(retryPolicy)
    expect(parseCall(TENANT, { ...good, risk: undefined, retryPolicy }).risk).toBeNull()
  })

  it('is named under its own prefix', () => {
    expect(callKey(TENANT, 'charge_customer', 'order-123')).toEqual({
      tenant: 'default',
      domain: 'call:charge_customer',
      reference: 'order-123',
    })
  })

  it('lets an error that is none of its own through', () => {
    const key = { toString: () => 'x' }

    expect(() => callKey(TENANT, 'charge', key)).toThrow(InvalidCallError)
  })
})
