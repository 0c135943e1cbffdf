// Finds canaries: seeded secrets that must not be in a value, however deep and however written.
import { jsonPointer } from '../effect/json-pointer.ts'

/** Where a canary was found, and how it was written. Never the canary itself. */
export interface SensitiveFinding {
  /** JSON Pointer into the value; of an error also `/message`, `/stack` and `/cause`, of a map its keys and values. */
  readonly path: string
  /** Which of the canaries, from 0. */
  readonly canary: number
  readonly written: Spelling
}

/** How a canary may be written. */
export type Spelling = 'plain' | 'json' | 'url' | 'hex' | 'base64' | 'base64url'

/** Shorter ones stand in a text by accident. */
const CANARY_CHARACTERS_MIN = 8

/**
 * Every place in a value where a canary stands: in strings, keys, bytes, maps, sets, errors and their causes, in any case
 * of letters, plain, escaped or encoded. Properties are read as they are and no accessor is run.
 *
 * ```ts
 * expect(findSensitive(log, ['DE89370400440532013000'])).toEqual([])
 * ```
 *
 * @throws TypeError for a canary of fewer than eight characters. Spec: harness 3, policy-and-protection 4.
 */
export function findSensitive(value: unknown, canaries: readonly string[]): readonly SensitiveFinding[] {
  if (canaries.some((canary) => canary.length < CANARY_CHARACTERS_MIN)) {
    throw new TypeError(`a canary has ${CANARY_CHARACTERS_MIN} or more characters`)
  }
  const found: SensitiveFinding[] = []
  const needles = canaries.map(spellings)
  walk(value, [], new Set(), (text, path) => {
    const folded = text.toLowerCase()
    for (const [canary, written] of needles.entries()) {
      const match = written.find(({ needle, isExact }) => (isExact ? text : folded).includes(needle))
      if (match !== undefined) found.push({ path: jsonPointer(path), canary, written: match.spelling })
    }
  })
  return found
}

interface Needle {
  readonly spelling: Spelling
  readonly needle: string
  /** In base64 another letter is another byte. */
  readonly isExact: boolean
}

function spellings(canary: string): readonly Needle[] {
  const bytes = Buffer.from(canary, 'utf8')
  const written: readonly (readonly [Spelling, string])[] = [
    ['plain', canary],
    ['json', JSON.stringify(canary).slice(1, -1)],
    ['url', encodeURIComponent(canary)],
    ['hex', bytes.toString('hex')],
    ...base64Cores(bytes).flatMap((core): readonly (readonly [Spelling, string])[] => [
      ['base64', core],
      ['base64url', core.replaceAll('+', '-').replaceAll('/', '_')],
    ]),
  ]
  return written.map(([spelling, text]) => {
    const isExact = spelling.startsWith('base64')
    return { spelling, needle: isExact ? text : text.toLowerCase(), isExact }
  })
}

/** What base64 writes for the bytes wherever they begin in a longer text: three alignments, without the mixed ends. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const whole = bytes.subarray((3 - offset) % 3)
    return whole.subarray(0, whole.length - (whole.length % 3)).toString('base64')
  })
}

type Visit = (text: string, path: readonly string[]) => void

function walk(value: unknown, path: readonly string[], seen: Set<object>, visit: Visit): void {
  if (typeof value === 'string') return visit(value, path)
  if (typeof value === 'symbol') return visit(value.description ?? '', path)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
  seen.add(value)
  if (ArrayBuffer.isView(value)) return visit(textOfBytes(value), path)
  if (value instanceof ArrayBuffer) return visit(textOfBytes(new Uint8Array(value)), path)
  if (value instanceof Map || value instanceof Set) {
    for (const [index, entry] of [...value].entries()) walk(entry, [...path, String(index)], seen, visit)
  }
  for (const key of Reflect.ownKeys(value)) {
    const name = typeof key === 'symbol' ? (key.description ?? '') : key
    const property = Object.getOwnPropertyDescriptor(value, key)
    visit(name, [...path, name])
    if (property !== undefined && 'value' in property) walk(property.value, [...path, name], seen, visit)
  }
  // An error keeps its stack behind an accessor of its own; the name of a class may be telling too.
  if (value instanceof Error && typeof value.stack === 'string') visit(value.stack, [...path, 'stack'])
}

/** Bytes as the text that they may be, whatever else they are. */
function textOfBytes(view: ArrayBufferView): string {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('utf8')
}
