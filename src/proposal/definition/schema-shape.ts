// The shape of a schema: a zod schema read into plain data, or refused; the file that looks inside zod's schemas.
import { z } from 'zod'
import { limits } from '../../effect/limits.ts'
import { isMoneySchema } from '../money.ts'
import { type CheckRule, checkRule, checksOf, isIntegerCheck } from './schema-refinement.ts'

/** A value that a schema allows by naming it. */
export type NamedValue = string | number | boolean | null

/** What a schema allows, as far as paths and digests ask. A nullable is a union with null. */
export type SchemaShape =
  | { readonly kind: 'string' | 'integer' | 'boolean' | 'refused' }
  | { readonly kind: 'values'; readonly values: readonly NamedValue[] }
  | { readonly kind: 'list'; readonly element: SchemaShape }
  | { readonly kind: 'union'; readonly options: readonly SchemaShape[] }
  | { readonly kind: 'object'; readonly money: boolean; readonly fields: { readonly [name: string]: SchemaField } }

/** A field of an object; one that is optional is absent or has a value, never `undefined`. */
export type SchemaField = { readonly optional: boolean; readonly shape: SchemaShape }

/** The rule that a schema breaks; `no_…` names a type of zod that is not among those allowed. */
export type SchemaRule =
  | 'not_a_schema'
  | 'open_object'
  | 'name_reserved'
  | 'name_not_nfc'
  | 'coercion'
  | 'not_integer'
  | 'value_not_json'
  | 'optional_misplaced'
  | CheckRule
  | 'recursive'
  | 'too_large'
  | `no_${string}`

/** Where a schema breaks a rule; the elements of a list are the segment `*`. */
export interface SchemaRefusal {
  readonly path: readonly string[]
  readonly rule: SchemaRule
}

/** A schema as it was read. Without refusals nothing in the shape is `refused`. */
export interface SchemaReading {
  readonly shape: SchemaShape
  readonly refusals: readonly SchemaRefusal[]
}

interface Walk {
  readonly path: string[]
  readonly open: Set<object>
  readonly refusals: SchemaRefusal[]
  nodes: number
}

type Schema = z.core.$ZodTypes
type SchemaDef = Schema['_zod']['def']
type AllowedType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  | 'literal'
  | 'enum'
  | 'array'
  | 'object'
  | 'union'
  | 'nullable'
  | 'readonly'
  | 'optional'

const REFUSED: SchemaShape = { kind: 'refused' }

// The types that are read; any other is refused, also one that a later zod may add.
const ALLOWED: ReadonlySet<string> = new Set<AllowedType>([
  'string',
  'number',
  'boolean',
  'null',
  'literal',
  'enum',
  'array',
  'object',
  'union',
  'nullable',
  'readonly',
  'optional',
])

// Names that mean something to JavaScript's objects, so that no data can mean it (threat T24).
const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', 'toJSON'])

/** Reads a schema through and through. Nothing is thrown: whatever is not allowed is among the refusals. */
export function readSchema(schema: unknown): SchemaReading {
  const walk: Walk = { path: [], open: new Set(), refusals: [], nodes: 0 }
  return { shape: read(walk, schema), refusals: walk.refusals }
}

function read(walk: Walk, schema: unknown): SchemaShape {
  if (walk.nodes > limits.jsonNodes) return REFUSED
  walk.nodes += 1
  if (walk.nodes > limits.jsonNodes || walk.path.length > limits.jsonDepth) return giveUp(walk)
  if (!isSchema(schema)) return refuse(walk, 'not_a_schema')
  if (walk.open.has(schema)) return refuse(walk, 'recursive')
  walk.open.add(schema)
  const shape = readKind(walk, schema)
  walk.open.delete(schema)
  return shape
}

function readKind(walk: Walk, schema: Schema): SchemaShape {
  const { def } = schema._zod
  if (!isAllowed(def)) return refuse(walk, `no_${def.type}`)
  readChecks(walk, schema)
  switch (def.type) {
    case 'string':
      return def.coerce === true ? refuse(walk, 'coercion') : { kind: 'string' }
    case 'number':
      if (def.coerce === true) return refuse(walk, 'coercion')
      return checksOf(schema).some(isIntegerCheck) ? { kind: 'integer' } : refuse(walk, 'not_integer')
    case 'boolean':
      return def.coerce === true ? refuse(walk, 'coercion') : { kind: 'boolean' }
    case 'null':
      return { kind: 'values', values: [null] }
    case 'literal':
      return readValues(walk, def.values)
    case 'enum':
      return readValues(walk, z.core.util.getEnumValues(def.entries))
    case 'array':
      return { kind: 'list', element: at(walk, '*', () => read(walk, def.element)) }
    case 'object':
      return readObject(walk, schema, def)
    case 'union':
      return { kind: 'union', options: def.options.map((option) => read(walk, option)) }
    case 'nullable':
      return { kind: 'union', options: [read(walk, def.innerType), { kind: 'values', values: [null] }] }
    case 'readonly':
      return read(walk, def.innerType)
    case 'optional':
      return refuse(walk, schema instanceof z.core.$ZodExactOptional ? 'optional_misplaced' : 'no_optional')
  }
}

function readObject(walk: Walk, schema: Schema, { shape, catchall }: z.core.$ZodObjectDef): SchemaShape {
  if (catchall?._zod.def.type !== 'never') return refuse(walk, 'open_object')
  const fields = Object.entries(shape).map(([name, field]): [string, SchemaField] => [
    name,
    at(walk, name, () => {
      readName(walk, name)
      return readField(walk, field)
    }),
  ])
  return { kind: 'object', money: isMoneySchema(schema), fields: Object.fromEntries(fields) }
}

function readField(walk: Walk, field: z.core.$ZodType): SchemaField {
  if (!(field instanceof z.core.$ZodExactOptional)) return { optional: false, shape: read(walk, field) }
  readChecks(walk, field)
  return { optional: true, shape: read(walk, field._zod.def.innerType) }
}

function readName(walk: Walk, name: string): void {
  if (RESERVED_NAMES.has(name)) refuse(walk, 'name_reserved')
  else if (!name.isWellFormed() || name.normalize('NFC') !== name) refuse(walk, 'name_not_nfc')
}

function at<T>(walk: Walk, segment: string, readThere: () => T): T {
  walk.path.push(segment)
  const result = readThere()
  walk.path.pop()
  return result
}

function readValues(walk: Walk, values: readonly unknown[]): SchemaShape {
  return values.every(isNamedValue) ? { kind: 'values', values } : refuse(walk, 'value_not_json')
}

function readChecks(walk: Walk, schema: z.core.$ZodType): void {
  for (const check of checksOf(schema)) {
    const rule = checkRule(check)
    if (rule !== null) refuse(walk, rule)
  }
}

/** Once is enough: a schema whose getters make new ones all the time never ends. */
function giveUp(walk: Walk): SchemaShape {
  walk.nodes = Number.POSITIVE_INFINITY
  return refuse(walk, 'too_large')
}

function refuse(walk: Walk, rule: SchemaRule): SchemaShape {
  const path = [...walk.path]
  walk.refusals.push({ path, rule })
  return REFUSED
}

function isSchema(schema: unknown): schema is Schema {
  return typeof schema === 'object' && schema !== null && '_zod' in schema
}

function isAllowed(def: SchemaDef): def is Extract<SchemaDef, { readonly type: AllowedType }> {
  return ALLOWED.has(def.type)
}

function isNamedValue(value: unknown): value is NamedValue {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0)
  return typeof value === 'boolean' || value === null
}
