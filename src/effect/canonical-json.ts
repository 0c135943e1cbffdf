// Canonical JSON (RFC 8785): a strict writer that takes plain data only, and the reader of what it wrote.
import { types } from 'node:util'
import { jsonPointer } from './json-pointer.ts'
import { type LimitName, limits } from './limits.ts'

/** Plain JSON data, deeply readonly. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** `integers`: safe integers only, everywhere in proposals. `finite`: also fractions, for guarded requests. Neither takes -0. */
export type NumberMode = 'integers' | 'finite'

/** What a refused value is. `limit` goes with the limit's name. */
export type CanonicalJsonRule =
  | 'undefined'
  | 'function'
  | 'symbol'
  | 'bigint'
  | 'class_instance'
  | 'proxy'
  | 'accessor'
  | 'hidden_property'
  | 'symbol_key'
  | 'proto_key'
  | 'to_json'
  | 'key_collision'
  | 'sparse_array'
  | 'decorated_array'
  | 'cycle'
  | 'lone_surrogate'
  | 'not_finite'
  | 'negative_zero'
  | 'unsafe_integer'
  | 'not_integer'
  | 'not_json_text'
  | 'limit'

/** Data that canonical JSON refuses: where and why, never which value. */
export class CanonicalJsonError extends Error {
  override readonly name = 'CanonicalJsonError'
  readonly code: 'not_plain_json' | 'limit_exceeded'
  /** JSON Pointer to the refused place; for a key that cannot be written in one, to its object. */
  readonly pointer: string
  readonly rule: CanonicalJsonRule
  readonly limit: LimitName | null

  constructor(pointer: string, rule: CanonicalJsonRule, limit: LimitName | null = null) {
    super(`${limit === null ? `Not plain JSON: ${rule}` : `Over the limit ${limit}`} at "${pointer}"`)
    this.code = limit === null ? 'not_plain_json' : 'limit_exceeded'
    this.pointer = pointer
    this.rule = rule
    this.limit = limit
  }
}

interface CanonicalJsonOptions {
  readonly numbers: NumberMode
  /** The limit for the whole text, in UTF-8 bytes; `commandBytes` if none is named. */
  readonly bytesLimit?: Extract<LimitName, `${string}Bytes`>
  /** Another figure than the limit's own, for text that holds several limited parts. */
  readonly bytesMax?: number
}

interface Walk {
  readonly numbers: NumberMode
  readonly bytesLimit: LimitName
  readonly bytesMax: number
  readonly path: (string | number)[]
  /** The containers that the path leads through. */
  readonly open: Set<object>
  nodes: number
  text: string
}

const NOT_ASCII = /\P{ASCII}/u

/**
 * The canonical text of plain data. Injective on what it takes, so that a digest of the text is a digest of the data.
 *
 * The data are read once, through property descriptors: no code of theirs runs (proxies, accessors and `toJSON` are
 * refused unread), so they cannot change under the walk. Limits: depth 64 (containers within each other), 10,000 nodes
 * (values of any kind), 1,000 keys an object, 64 KiB a string or key, and the total. Keys that are not NFC are written as
 * they are, but two of one object may not be the same after NFC.
 * Spec: policy-and-protection 3, reliability F11, T20 to T24.
 * @throws CanonicalJsonError
 */
export function canonicalJson(value: unknown, options: CanonicalJsonOptions): string {
  const bytesLimit = options.bytesLimit ?? 'commandBytes'
  const bytesMax = options.bytesMax ?? limits[bytesLimit]
  const walk: Walk = { numbers: options.numbers, bytesLimit, bytesMax, path: [], open: new Set(), nodes: 0, text: '' }
  write(walk, value)
  if (Buffer.byteLength(walk.text) > bytesMax) throw new CanonicalJsonError('', 'limit', bytesLimit)
  return walk.text
}

/**
 * The data of a text that {@link canonicalJson} wrote: a fresh copy, deeply frozen.
 * @throws CanonicalJsonError if it is no JSON; the parser's own message would quote the text.
 */
export function parseCanonicalJson(text: string): JsonValue {
  try {
    return deepFreeze(JSON.parse(text) as JsonValue)
  } catch {
    throw new CanonicalJsonError('', 'not_json_text')
  }
}

/** Freezes plain data through and through, and returns it. */
export function deepFreeze<T>(value: T): T {
  const seen = new Set<unknown>()
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(Object.freeze(next))
    for (const inner of Object.values(next)) pending.push(inner)
  }
  return value
}

/** Whether the value is an object of plain data, as far as that shows from outside. No code of its own runs. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false
  return hasPlainPrototype(value)
}

function write(walk: Walk, value: unknown): void {
  walk.nodes += 1
  if (walk.nodes > limits.jsonNodes) throw over(walk, 'jsonNodes')
  switch (typeof value) {
    case 'string':
      return append(walk, quoted(walk, value))
    case 'number':
      return append(walk, numeral(walk, value))
    case 'boolean':
      return append(walk, String(value))
    case 'object':
      return value === null ? append(walk, 'null') : writeContainer(walk, value)
    case 'undefined':
      throw refused(walk, 'undefined')
    case 'function':
      throw refused(walk, 'function')
    case 'symbol':
      throw refused(walk, 'symbol')
    case 'bigint':
      throw refused(walk, 'bigint')
  }
}

/** Recursion is bounded by the limit on depth. */
function writeContainer(walk: Walk, container: object): void {
  if (types.isProxy(container)) throw refused(walk, 'proxy')
  if (walk.open.has(container)) throw refused(walk, 'cycle')
  if (walk.open.size === limits.jsonDepth) throw over(walk, 'jsonDepth')
  walk.open.add(container)
  if (Array.isArray(container)) writeArray(walk, container)
  else writeObject(walk, container)
  walk.open.delete(container)
}

function writeArray(walk: Walk, array: readonly unknown[]): void {
  if (Object.getPrototypeOf(array) !== Array.prototype) throw refused(walk, 'class_instance')
  if (array.length > limits.jsonNodes) throw over(walk, 'jsonNodes')
  append(walk, '[')
  for (let index = 0; index < array.length; index += 1) {
    if (index > 0) append(walk, ',')
    walk.path.push(index)
    write(walk, ownValue(walk, array, index))
    walk.path.pop()
  }
  append(walk, ']')
  refuseDecoration(walk, array)
}

/** Own keys of an array without holes are its indices, `length`, then whatever was added to it. */
function refuseDecoration(walk: Walk, array: readonly unknown[]): void {
  const added = Reflect.ownKeys(array)[array.length + 1]
  if (added === undefined) return
  if (typeof added === 'symbol') throw refused(walk, 'symbol_key')
  walk.path.push(added)
  throw refused(walk, 'decorated_array')
}

function writeObject(walk: Walk, object: object): void {
  if (!hasPlainPrototype(object)) throw refused(walk, 'class_instance')
  const keys = sortedKeys(walk, object)
  append(walk, '{')
  for (const [index, key] of keys.entries()) {
    append(walk, `${index > 0 ? ',' : ''}${quoted(walk, key)}:`)
    walk.path.push(key)
    write(walk, ownValue(walk, object, key))
    walk.path.pop()
  }
  append(walk, '}')
}

function hasPlainPrototype(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === Object.prototype || prototype === null
}

/** By UTF-16 code units, the order of `Array.prototype.sort` and the one that RFC 8785 asks for. */
function sortedKeys(walk: Walk, object: object): string[] {
  const keys = Reflect.ownKeys(object)
  if (keys.length > limits.jsonKeysPerObject) throw over(walk, 'jsonKeysPerObject')
  const names = keys.map((key) => {
    if (typeof key === 'symbol') throw refused(walk, 'symbol_key')
    if (key === '__proto__') throw refused(walk, 'proto_key', key)
    if (key === 'toJSON') throw refused(walk, 'to_json', key)
    return key
  })
  names.sort()
  if (names.some((name) => NOT_ASCII.test(name))) refuseCollisions(walk, names)
  return names
}

function refuseCollisions(walk: Walk, names: readonly string[]): void {
  const forms = new Set<string>()
  for (const name of names) {
    const form = name.normalize('NFC')
    if (forms.has(form)) throw refused(walk, 'key_collision', name)
    forms.add(form)
  }
}

/** The only place where a property is read; a hole is found only in arrays, since objects are asked for keys they have. */
function ownValue(walk: Walk, container: object, key: string | number): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(container, key)
  if (descriptor === undefined) throw refused(walk, 'sparse_array')
  if (!Object.hasOwn(descriptor, 'value')) throw refused(walk, 'accessor')
  if (!descriptor.enumerable) throw refused(walk, 'hidden_property')
  return descriptor.value
}

/** `JSON.stringify` escapes a string exactly as RFC 8785 does; a UTF-16 unit is at most three bytes. */
function quoted(walk: Walk, text: string): string {
  if (text.length * 3 > limits.stringBytes && Buffer.byteLength(text) > limits.stringBytes)
    throw over(walk, 'stringBytes')
  if (!text.isWellFormed()) throw refused(walk, 'lone_surrogate')
  return JSON.stringify(text)
}

function numeral(walk: Walk, value: number): string {
  if (!Number.isFinite(value)) throw refused(walk, 'not_finite')
  if (Object.is(value, -0)) throw refused(walk, 'negative_zero')
  if (Number.isInteger(value)) {
    if (!Number.isSafeInteger(value)) throw refused(walk, 'unsafe_integer')
  } else if (walk.numbers === 'integers') throw refused(walk, 'not_integer')
  return String(value)
}

/** Stops early, so that no text grows far beyond its limit; the exact count is taken at the end. */
function append(walk: Walk, piece: string): void {
  walk.text += piece
  if (walk.text.length > walk.bytesMax) throw new CanonicalJsonError('', 'limit', walk.bytesLimit)
}

function refused(walk: Walk, rule: CanonicalJsonRule, key?: string): CanonicalJsonError {
  return new CanonicalJsonError(jsonPointer(key === undefined ? walk.path : [...walk.path, key]), rule)
}

function over(walk: Walk, limit: LimitName): CanonicalJsonError {
  return new CanonicalJsonError(jsonPointer(walk.path), 'limit', limit)
}
