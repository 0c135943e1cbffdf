// What a preview schema declares about how it is shown: `.meta({ inbox: { … } })` on the schema or on any of its fields.
import type { JsonSchema } from '../../../runtime/actions.ts'

/** How a value can be shown. Without a declaration its form decides: money as money, dates as dates, lists as lists. */
export const SHOWN_AS = ['title', 'money', 'party', 'identifier', 'date', 'list', 'note'] as const

/** One of them. */
export type ShownAs = (typeof SHOWN_AS)[number]

/**
 * What `.meta({ inbox: … })` on a field says. It decides how a value looks and never whether it is shown.
 * Spec: http "The inbox page".
 *
 * @example
 * z.string().meta({ inbox: { as: 'identifier', label: 'Account' } })
 */
export interface InboxField {
  /**
   * `identifier` also takes `{ before, after }`, which shows the old value beside the new one. A `title` heads the page; a
   * `note` has lines; a `date` is `YYYY-MM-DD`, an instant with its offset, or milliseconds since the epoch.
   */
  readonly as?: ShownAs
  /** In place of the field's name. */
  readonly label?: string
  /** Of a date with a time: an IANA zone, such as `Europe/Berlin`. Default: the inbox's. */
  readonly timeZone?: string
}

/** What `.meta({ inbox: … })` on the preview itself says. */
export interface InboxPreview {
  /** What would happen, in a sentence. */
  readonly effect?: string
  /** Whether and how it can be undone, in a sentence. */
  readonly undo?: string
}

/** What is declared for a field, as far as it is well formed. */
export function declaredField(schema: JsonSchema | null): InboxField {
  const declared = schema?.['inbox']
  if (!isObject(declared)) return {}
  const { as, label, timeZone } = declared
  const known = SHOWN_AS.find((one) => one === as)
  return {
    ...(known === undefined ? {} : { as: known }),
    ...(typeof label === 'string' && label !== '' ? { label } : {}),
    ...(typeof timeZone === 'string' && isTimeZone(timeZone) ? { timeZone } : {}),
  }
}

/** What is declared for the preview as a whole. */
export function declaredPreview(schema: JsonSchema | null): InboxPreview {
  const declared = schema?.['inbox']
  if (!isObject(declared)) return {}
  const { effect, undo } = declared
  return { ...(typeof effect === 'string' ? { effect } : {}), ...(typeof undo === 'string' ? { undo } : {}) }
}

/** The schema of a field; null where the schema says nothing of it. */
export function fieldSchema(schema: JsonSchema | null, name: string): JsonSchema | null {
  const { properties } = present(schema)
  return isObject(properties) && Object.hasOwn(properties, name) ? objectOr(properties[name]) : null
}

/** The schema of the elements of a list. */
export function elementSchema(schema: JsonSchema | null): JsonSchema | null {
  return objectOr(present(schema)['items'])
}

/** The names of the fields in the order of the schema. */
export function fieldNames(schema: JsonSchema | null): readonly string[] {
  const { properties } = present(schema)
  return isObject(properties) ? Object.keys(properties) : []
}

// A value that may be null is one of two; what is said of the other one holds.
function present(schema: JsonSchema | null): { readonly [key: string]: unknown } {
  const options = schema?.['anyOf']
  if (!Array.isArray(options)) return schema ?? {}
  const others = options.filter((one: unknown) => isObject(one) && one['type'] !== 'null')
  return others.length === 1 ? (objectOr(others[0]) ?? {}) : {}
}

function objectOr(value: unknown): JsonSchema | null {
  return isObject(value) ? value : null
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the platform knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}
