// The form of a preview: its values with their labels, as declared or by what they are; nothing of them is left out.
import type { JsonValue } from '../../../effect/canonical-json.ts'
import { jsonPointer, parseJsonPointer } from '../../../effect/json-pointer.ts'
import { isMoneyValue, type Money } from '../../../proposal/money.ts'
import type { JsonSchema } from '../../../runtime/actions.ts'
import { instantOf, shownDate } from '../text/amounts-and-times.ts'
import { declaredField, declaredPreview, elementSchema, fieldNames, fieldSchema } from './declared.ts'

/** A value and how it is shown. */
export type Shown =
  | { readonly as: 'nothing' }
  | { readonly as: 'text' | 'party' | 'note'; readonly text: string }
  | { readonly as: 'money'; readonly money: Money }
  | { readonly as: 'day'; readonly text: string }
  /** Null: the inbox's zone. */
  | { readonly as: 'instant'; readonly at: number; readonly timeZone: string | null; readonly text: string }
  /** `before` is undefined where there is one value only. */
  | { readonly as: 'identifier'; readonly text: string | null; readonly before: string | null | undefined }
  | { readonly as: 'list'; readonly items: readonly Shown[] }
  | { readonly as: 'fields'; readonly fields: readonly Field[] }

/** A value with its label. */
export interface Field {
  readonly path: string
  readonly label: string
  readonly shown: Shown
}

/** A preview as it is shown. */
export interface PreviewForm {
  readonly title: string | null
  readonly effect: string | null
  readonly undo: string | null
  readonly fields: readonly Field[]
  /** The amount and the target that the button names. */
  readonly amount: Money | null
  readonly target: string | null
}

/** The form of a preview. A schema that is not known any more leaves the values to speak for themselves. */
export function previewForm(schema: JsonSchema | null, preview: JsonValue): PreviewForm {
  if (!isFields(preview)) {
    const fields = [{ path: '', label: 'Preview', shown: shownAs(schema, preview, '') }]
    return { title: null, effect: null, undo: null, fields, amount: null, target: null }
  }
  const title = titleName(schema, preview)
  const fields = fieldsOf(schema, preview, '').filter(({ path }) => title === null || path !== jsonPointer([title]))
  const { effect = null, undo = null } = declaredPreview(schema)
  const heading = title === null ? null : preview[title]
  return { title: typeof heading === 'string' ? heading : null, effect, undo, fields, ...named(schema, fields) }
}

/** The label and the form of the value at a path of the preview, for what differs between two of them. */
export function fieldAt(schema: JsonSchema | null, path: string, value: JsonValue | undefined): Field {
  const segments = parseJsonPointer(path) ?? []
  const labels: string[] = []
  let inner = schema
  for (const segment of segments) {
    const field = fieldSchema(inner, segment)
    const element = elementSchema(inner)
    labels.push(field === null && element !== null ? `no. ${Number(segment) + 1}` : labelOf(field, segment))
    inner = field ?? element
  }
  const label = labels.length === 0 ? 'Preview' : labels.join(', ')
  return { path, label, shown: value === undefined ? { as: 'nothing' } : shownAs(inner, value, path) }
}

type Fields = { readonly [name: string]: JsonValue }

function fieldsOf(schema: JsonSchema | null, value: Fields, path: string): readonly Field[] {
  const names = new Set([...fieldNames(schema).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)])
  return [...names].map((name) => {
    const inner = fieldSchema(schema, name)
    const at = path + jsonPointer([name])
    return { path: at, label: labelOf(inner, name), shown: shownAs(inner, value[name] ?? null, at) }
  })
}

function shownAs(schema: JsonSchema | null, value: JsonValue, path: string): Shown {
  const { as, timeZone = null } = declaredField(schema)
  if (as === 'identifier') return identifierOf(value) ?? byForm(schema, value, path)
  if (typeof value === 'string' && (as === 'party' || as === 'note')) return { as, text: value }
  if (as === 'date' && typeof value === 'number') {
    return { as: 'instant', at: value, timeZone, text: String(value) }
  }
  if (typeof value === 'string') return textOf(value, timeZone, as === 'date' || as === undefined)
  return byForm(schema, value, path)
}

function byForm(schema: JsonSchema | null, value: JsonValue, path: string): Shown {
  if (value === null) return { as: 'nothing' }
  if (isMoneyValue(value)) return { as: 'money', money: value }
  if (isList(value)) {
    const element = elementSchema(schema)
    return { as: 'list', items: value.map((one, index) => shownAs(element, one, `${path}/${index}`)) }
  }
  if (isFields(value)) return { as: 'fields', fields: fieldsOf(schema, value, path) }
  if (typeof value === 'boolean') return { as: 'text', text: value ? 'yes' : 'no' }
  return { as: 'text', text: String(value) }
}

function textOf(text: string, timeZone: string | null, mayBeDate: boolean): Shown {
  if (mayBeDate && shownDate(text) !== null) return { as: 'day', text }
  const at = mayBeDate ? instantOf(text) : null
  if (at !== null) return { as: 'instant', at, timeZone, text }
  return { as: text.includes('\n') ? 'note' : 'text', text }
}

function identifierOf(value: JsonValue): Shown | null {
  if (typeof value === 'string') return { as: 'identifier', text: value, before: undefined }
  if (!isFields(value) || Object.keys(value).toSorted().join() !== 'after,before') return null
  const { before = null, after = null } = value
  const isText = (one: JsonValue): one is string | null => one === null || typeof one === 'string'
  return isText(before) && isText(after) ? { as: 'identifier', text: after, before } : null
}

// The one that is declared; else a text under the name that everybody gives it.
function titleName(schema: JsonSchema | null, preview: Fields): string | null {
  const texts = Object.keys(preview).filter((name) => typeof preview[name] === 'string')
  const declared = texts.find((name) => declaredField(fieldSchema(schema, name)).as === 'title')
  return declared ?? texts.find((name) => name === 'title') ?? null
}

// The first amount; and whom or what it is about: a party, else an identifier, else the first text that is no declared note.
function named(schema: JsonSchema | null, fields: readonly Field[]): Pick<PreviewForm, 'amount' | 'target'> {
  const amount = fields.flatMap(({ shown }) => (shown.as === 'money' ? [shown.money] : []))[0] ?? null
  const texts = (['party', 'identifier', 'text'] as const).flatMap((kind) =>
    fields.flatMap(({ path, shown }) => {
      if (shown.as !== 'party' && shown.as !== 'identifier' && shown.as !== 'text' && shown.as !== 'note') return []
      // A line break in a value does not make another one the target.
      const isText = shown.as === 'note' && declaredField(schemaAt(schema, path)).as !== 'note'
      return (isText ? 'text' : shown.as) === kind && shown.text !== null ? [shown.text] : []
    }),
  )
  return { amount, target: texts[0] ?? null }
}

function schemaAt(schema: JsonSchema | null, path: string): JsonSchema | null {
  const [name = ''] = parseJsonPointer(path) ?? []
  return fieldSchema(schema, name)
}

/** `orderReference` as “Order reference”, where no label is declared. */
function labelOf(schema: JsonSchema | null, name: string): string {
  const { label } = declaredField(schema)
  if (label !== undefined) return label
  const words = name.replaceAll(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1 $2').replaceAll(/[_-]+/g, ' ')
  const text = words === words.toUpperCase() ? words : words.toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isFields(value: JsonValue): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
