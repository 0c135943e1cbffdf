// Everything that looks like data in JavaScript and is no plain JSON, each with the rule that refuses it.
import type { CanonicalJsonRule } from '../../src/effect/canonical-json.ts'

/** Stands in every bad value that can hold a text, so that it can be looked for wherever nothing of them may be. */
export const CANARY = 'canary-7f3a'

/** How often code of a bad value was run. None of it ever should be. */
export const touched: { count: number } = { count: 0 }

interface BadValue {
  readonly title: string
  readonly rule: CanonicalJsonRule
  /** A new one each time. */
  readonly make: () => unknown
}

class Customer {
  readonly name = CANARY
}

class Names extends Array<string> {}

const touch = (): unknown => {
  touched.count += 1
  return CANARY
}

/** Refused as they are, wherever they stand. */
export const badValues: readonly BadValue[] = [
  { title: 'undefined', rule: 'undefined', make: () => {} },
  { title: 'a function', rule: 'function', make: () => touch },
  { title: 'a symbol', rule: 'symbol', make: () => Symbol(CANARY) },
  { title: 'a bigint', rule: 'bigint', make: () => 7n },
  { title: 'a Date', rule: 'class_instance', make: () => new Date(0) },
  { title: 'a Map', rule: 'class_instance', make: () => new Map([[CANARY, CANARY]]) },
  { title: 'a Set', rule: 'class_instance', make: () => new Set([CANARY]) },
  { title: 'a Buffer', rule: 'class_instance', make: () => Buffer.from(CANARY) },
  { title: 'bytes', rule: 'class_instance', make: () => new Uint8Array([7]) },
  { title: 'a pattern', rule: 'class_instance', make: () => /canary-7f3a/ },
  { title: 'an error', rule: 'class_instance', make: () => new Error(CANARY) },
  { title: 'a promise', rule: 'class_instance', make: () => Promise.resolve(CANARY) },
  { title: 'a boxed text', rule: 'class_instance', make: () => new Object(CANARY) },
  { title: 'a boxed number', rule: 'class_instance', make: () => new Object(7) },
  { title: 'an instance of a class', rule: 'class_instance', make: () => new Customer() },
  { title: 'an object with another prototype', rule: 'class_instance', make: () => inheriting() },
  { title: 'a list of another class', rule: 'class_instance', make: () => Names.from([CANARY]) },
  { title: 'a proxy', rule: 'proxy', make: () => new Proxy({ name: CANARY }, { get: touch, ownKeys: () => [CANARY] }) },
  { title: 'a proxy of a list', rule: 'proxy', make: () => new Proxy([CANARY], { get: touch }) },
  { title: 'a revoked proxy', rule: 'proxy', make: revoked },
  {
    title: 'an object with an accessor',
    rule: 'accessor',
    make: () => Object.defineProperty({}, 'name', { get: touch, enumerable: true }),
  },
  {
    title: 'a list with an accessor',
    rule: 'accessor',
    make: () => Object.defineProperty([CANARY], 0, { get: touch, enumerable: true }),
  },
  {
    title: 'an object with a hidden property',
    rule: 'hidden_property',
    make: () => Object.defineProperty({}, 'name', { value: CANARY }),
  },
  { title: 'an object with a symbol for a key', rule: 'symbol_key', make: () => ({ [Symbol(CANARY)]: CANARY }) },
  {
    title: 'a list with a symbol for a key',
    rule: 'symbol_key',
    make: () => Object.assign([CANARY], { [Symbol(CANARY)]: 1 }),
  },
  { title: 'an object with toJSON', rule: 'to_json', make: () => ({ toJSON: touch }) },
  {
    title: 'an object with an own __proto__',
    rule: 'proto_key',
    make: () => parsed(`{"__proto__":{"name":"${CANARY}"}}`),
  },
  { title: 'a list with a hole', rule: 'sparse_array', make: () => holed() },
  {
    title: 'a list with something on it',
    rule: 'decorated_array',
    make: () => Object.assign([CANARY], { [CANARY]: 1 }),
  },
  { title: 'an object that contains itself', rule: 'cycle', make: cyclic },
  { title: 'half a character', rule: 'lone_surrogate', make: () => `${CANARY}\uD83D` },
  { title: 'half a character in a key', rule: 'lone_surrogate', make: () => ({ [`${CANARY}\uDE00`]: 1 }) },
  { title: 'two keys of one NFC form', rule: 'key_collision', make: () => ({ '\u00E9': 1, 'e\u0301': 2 }) },
  { title: 'NaN', rule: 'not_finite', make: () => Number.NaN },
  { title: 'infinity', rule: 'not_finite', make: () => Number.POSITIVE_INFINITY },
  { title: 'a fraction', rule: 'not_integer', make: () => 0.1 },
  { title: 'negative zero', rule: 'negative_zero', make: () => -0 },
  { title: 'a number past the safe integers', rule: 'unsafe_integer', make: () => 2 ** 53 },
]

function inheriting(): unknown {
  return Object.create({ name: CANARY })
}

function parsed(text: string): unknown {
  return JSON.parse(text)
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function holed(): unknown {
  const list = [CANARY]
  list[2] = CANARY
  return list
}

function cyclic(): unknown {
  const circle: Record<string, unknown> = { name: CANARY }
  circle['self'] = circle
  return circle
}
