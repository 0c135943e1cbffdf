// Reading a contract that nobody has checked: each reader takes what is there, reports what is wrong, and goes on.
import { jsonPointer } from '../../effect/json-pointer.ts'
import type { DefinitionRule } from './definition-rules.ts'
import { durationMs } from './duration.ts'

/** Takes down one problem. After the first one nothing that is read is used; reading goes on to find the others. */
export type Report = (path: string, rule: DefinitionRule) => void

/** An object whose fields are not checked yet. */
export type Unchecked = { readonly [field: string]: unknown }

/** A range for whole numbers, both ends included; without a value the fallback holds. */
export interface IntegerRange {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

/** The longest duration; without a fallback the value must be given. */
export interface DurationRange {
  readonly maxMs: number
  readonly fallbackMs?: number
}

/** The fields of an object; any other field is a misspelling that would be ignored in silence. */
export function readFields(report: Report, value: unknown, path: string, names: readonly string[]): Unchecked {
  if (!isUnchecked(value)) {
    report(path, 'not_an_object')
    return {}
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) report(path + jsonPointer([name]), 'unknown_field')
  }
  return value
}

/** The elements of a list; undefined is the empty list. */
export function readList(report: Report, value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return Array.from<unknown>(value)
  report(path, 'not_a_list')
  return []
}

/** A list without repetitions; `readElement` answers null for what it has reported. */
export function readListOf<T>(
  report: Report,
  value: unknown,
  path: string,
  readElement: (element: unknown, path: string) => T | null,
): readonly T[] {
  const elements: T[] = []
  for (const [index, entry] of readList(report, value, path).entries()) {
    const element = readElement(entry, `${path}/${index}`)
    if (element === null) continue
    if (elements.includes(element)) report(`${path}/${index}`, 'duplicate')
    else elements.push(element)
  }
  return elements
}

/** A duration in milliseconds. */
export function readDuration(report: Report, value: unknown, path: string, range: DurationRange): number {
  if (value === undefined) {
    if (range.fallbackMs === undefined) report(path, 'duration_missing')
    return range.fallbackMs ?? 0
  }
  const ms = durationMs(value)
  if (ms === null) report(path, 'duration_invalid')
  else if (ms > range.maxMs) report(path, 'duration_too_long')
  return ms ?? 0
}

/** A whole number. */
export function readInteger(report: Report, value: unknown, path: string, range: IntegerRange): number {
  if (value === undefined) return range.fallback
  if (isIntegerWithin(value, range)) return value
  report(path, 'integer_invalid')
  return range.fallback
}

/** Whether a value is a whole number of the range. */
export function isIntegerWithin(value: unknown, { min, max }: Omit<IntegerRange, 'fallback'>): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
}

/** Whether a value is an object with fields, as plain data have them or a class. */
export function isUnchecked(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
