// A strict reader of JSON text: what two readers could understand differently is refused, judged from the text itself.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { jsonPointer } from '../../effect/json-pointer.ts'
import { type LimitName, limits } from '../../effect/limits.ts'

/** Which rule a refused text breaks. */
export type StrictJsonRule =
  | 'syntax'
  | 'duplicate_key'
  | 'prototype_key'
  | 'not_integer'
  | 'unsafe_integer'
  | 'negative_zero'
  | 'lone_surrogate'

/** Why and where (a JSON Pointer into what was read so far) a text was refused; never the text. */
export type StrictJsonRefusal =
  | { readonly ok: false; readonly pointer: string; readonly rule: StrictJsonRule; readonly limit: null }
  | { readonly ok: false; readonly pointer: string; readonly rule: 'limit'; readonly limit: LimitName }

/** What was read, or why not. */
export type StrictJson = { readonly ok: true; readonly value: JsonValue } | StrictJsonRefusal

/** A command at its limits comes in an envelope: one container around it, and a few values beside it. */
const DEPTH_MAX = limits.jsonDepth + 1
const NODES_MAX = limits.jsonNodes + 8

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const INTEGER = /^-?\d+$/
/** One piece at a time: a run of plain characters or one escape. Each matches in one way, so the time is linear. */
const PLAIN = /[ !#-[\]-\uFFFF]+/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const WORD = /true|false|null/y

const WORDS: Readonly<Record<string, JsonValue>> = { true: true, false: false, null: null }
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

interface Reading {
  readonly text: string
  readonly path: (string | number)[]
  at: number
  nodes: number
  depth: number
}

/** Carries a refusal out of the reader; it never leaves this file. */
class Refused extends Error {
  readonly refusal: StrictJsonRefusal
  constructor(refusal: StrictJsonRefusal) {
    super()
    this.refusal = refusal
  }
}

/**
 * Reads JSON text (RFC 8259) of the value domain of proposals. Beyond the grammar it refuses: two keys of one object that
 * are the same, or the same after NFC; `__proto__`, and a `constructor` that holds a `prototype`; numbers that are not
 * written as an integer or are not safe ones, and `-0`; lone surrogates; a byte order mark; more depth, values, keys or
 * longer strings than the limits allow. What it accepts, `JSON.parse` reads alike.
 * Spec: http "Rules", reliability T20 to T24, design D14.
 */
export function parseStrictJson(text: string): StrictJson {
  const reading: Reading = { text, path: [], at: 0, nodes: 0, depth: 0 }
  try {
    const value = readValue(reading)
    if (reading.at < text.length) throw refused(reading, 'syntax')
    return { ok: true, value }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return error.refusal
  }
}

function readValue(reading: Reading): JsonValue {
  reading.nodes += 1
  if (reading.nodes > NODES_MAX) throw over(reading, 'jsonNodes')
  skipSpace(reading)
  const value = readBare(reading)
  skipSpace(reading)
  return value
}

function readBare(reading: Reading): JsonValue {
  const first = reading.text[reading.at]
  if (first === '{') return nested(reading, readObject)
  if (first === '[') return nested(reading, readArray)
  if (first === '"') return readString(reading)
  const word = taken(reading, WORD)
  return word === null ? readNumber(reading) : (WORDS[word] ?? null)
}

/** Recursion is bounded by the limit on depth. */
function nested<T>(reading: Reading, read: (reading: Reading) => T): T {
  if (reading.depth === DEPTH_MAX) throw over(reading, 'jsonDepth')
  reading.depth += 1
  reading.at += 1
  const value = read(reading)
  reading.depth -= 1
  return value
}

function readArray(reading: Reading): readonly JsonValue[] {
  const items: JsonValue[] = []
  skipSpace(reading)
  if (takes(reading, ']')) return items
  do {
    reading.path.push(items.length)
    items.push(readValue(reading))
    reading.path.pop()
  } while (takes(reading, ','))
  demand(reading, ']')
  return items
}

function readObject(reading: Reading): { readonly [key: string]: JsonValue } {
  const object: Record<string, JsonValue> = {}
  const forms = new Set<string>()
  skipSpace(reading)
  if (takes(reading, '}')) return object
  do {
    const key = readKey(reading, forms)
    reading.path.push(key)
    const value = readValue(reading)
    if (key === 'constructor' && holdsPrototype(value)) throw refused(reading, 'prototype_key')
    // A plain assignment: the one name for which it does something else has been refused.
    object[key] = value
    reading.path.pop()
  } while (takes(reading, ','))
  demand(reading, '}')
  return object
}

function readKey(reading: Reading, forms: Set<string>): string {
  skipSpace(reading)
  const key = readString(reading)
  skipSpace(reading)
  demand(reading, ':')
  if (key === '__proto__') throw refused(reading, 'prototype_key')
  const form = key.normalize('NFC')
  if (forms.has(form)) throw refused(reading, 'duplicate_key')
  forms.add(form)
  if (forms.size > limits.jsonKeysPerObject) throw over(reading, 'jsonKeysPerObject')
  return key
}

function holdsPrototype(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

function readString(reading: Reading): string {
  demand(reading, '"')
  let string = ''
  for (;;) {
    const plain = taken(reading, PLAIN)
    const piece = plain ?? unescaped(taken(reading, ESCAPE))
    if (piece === null) break
    string += piece
    // Stops early, so that nothing long is counted: a UTF-16 unit is at least one byte.
    if (string.length > limits.stringBytes) throw over(reading, 'stringBytes')
  }
  demand(reading, '"')
  if (!string.isWellFormed()) throw refused(reading, 'lone_surrogate')
  if (Buffer.byteLength(string) > limits.stringBytes) throw over(reading, 'stringBytes')
  return string
}

function unescaped(escape: string | null): string | null {
  if (escape === null) return null
  const letter = escape.charAt(1)
  return letter === 'u' ? String.fromCodePoint(Number.parseInt(escape.slice(2), 16)) : (ESCAPED[letter] ?? letter)
}

/** An integer's text beyond the safe ones becomes a number beyond them too, so that no digit is lost unseen. */
function readNumber(reading: Reading): number {
  const lexeme = taken(reading, NUMBER)
  if (lexeme === null) throw refused(reading, 'syntax')
  if (!INTEGER.test(lexeme)) throw refused(reading, 'not_integer')
  if (lexeme === '-0') throw refused(reading, 'negative_zero')
  const number = Number(lexeme)
  if (!Number.isSafeInteger(number)) throw refused(reading, 'unsafe_integer')
  return number
}

function skipSpace(reading: Reading): void {
  taken(reading, SPACE)
}

/** What the pattern matches here, or null. Sticky patterns leave behind where they ended. */
function taken(reading: Reading, pattern: RegExp): string | null {
  const { text, at } = reading
  pattern.lastIndex = at
  if (!pattern.test(text)) return null
  reading.at = pattern.lastIndex
  return text.slice(at, pattern.lastIndex)
}

function takes(reading: Reading, character: string): boolean {
  const is = reading.text[reading.at] === character
  if (is) reading.at += 1
  return is
}

function demand(reading: Reading, character: string): void {
  if (!takes(reading, character)) throw refused(reading, 'syntax')
}

function refused(reading: Reading, rule: StrictJsonRule): Refused {
  return new Refused({ ok: false, pointer: jsonPointer(reading.path), rule, limit: null })
}

function over(reading: Reading, limit: LimitName): Refused {
  return new Refused({ ok: false, pointer: jsonPointer(reading.path), rule: 'limit', limit })
}
