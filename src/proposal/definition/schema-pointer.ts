// JSON Pointers into a schema: what the content of an action has at a place, and whether it always has it.
import { parseJsonPointer } from '../../effect/json-pointer.ts'
import type { PathKind } from '../policy/check-policy.ts'
import { readSchema, type SchemaShape } from './schema-shape.ts'

/** What there is at a place; `always` says that no value which the schema allows lacks it. */
export type SchemaPlace =
  | { readonly kind: 'money' | 'list' | 'other'; readonly always: boolean }
  | { readonly kind: 'missing' }

/**
 * The place that a pointer leads to, through objects only: what is inside a list has no pointer of its own, since its
 * place moves when another element goes. A nullable place is of the kind that it has when it is not null.
 */
export function placeAt(shape: SchemaShape, pointer: string): SchemaPlace {
  const segments = parseJsonPointer(pointer)
  const { found, always } = segments === null ? nothing : find(shape, segments)
  const kinds = new Set(found.flatMap(alternatives).filter(isNotNull).map(kindOf))
  if (found.length === 0) return { kind: 'missing' }
  const [kind = 'other', ...others] = kinds
  return { kind: others.length === 0 ? kind : 'other', always }
}

/** What `checkPolicy` asks about a path, of a schema that was read. */
export function pathKindIn(shape: SchemaShape, pointer: string): PathKind {
  const { kind } = placeAt(shape, pointer)
  return kind === 'list' ? 'other' : kind
}

/** What `checkPolicy` asks about a path of the snapshot's schema. */
export function pathKind(schema: unknown, pointer: string): PathKind {
  return pathKindIn(readSchema(schema).shape, pointer)
}

/** As much of a path into a value as the schema knows by name, so that no key which somebody made up is repeated. */
export function knownPath(shape: SchemaShape, path: readonly PropertyKey[]): readonly string[] {
  const known: string[] = []
  let shapes: readonly SchemaShape[] = [shape]
  for (const segment of path.map(String)) {
    shapes = shapes.flatMap(alternatives).flatMap((inner) => child(inner, segment))
    if (shapes.length === 0) break
    known.push(segment)
  }
  return known
}

interface Found {
  readonly found: readonly SchemaShape[]
  readonly always: boolean
}

const nothing: Found = { found: [], always: false }

function find(shape: SchemaShape, segments: readonly string[]): Found {
  const [segment, ...rest] = segments
  if (segment === undefined) return { found: [shape], always: true }
  if (shape.kind === 'union') {
    const options = shape.options.map((option) => find(option, segments))
    return { found: options.flatMap(({ found }) => found), always: options.every(({ always }) => always) }
  }
  const field = shape.kind === 'object' && Object.hasOwn(shape.fields, segment) ? shape.fields[segment] : undefined
  if (field === undefined) return nothing
  const { found, always } = find(field.shape, rest)
  return { found, always: always && !field.optional }
}

function child(shape: SchemaShape, segment: string): readonly SchemaShape[] {
  if (shape.kind === 'list') return /^\d+$/.test(segment) ? [shape.element] : []
  return find(shape, [segment]).found
}

function alternatives(shape: SchemaShape): readonly SchemaShape[] {
  return shape.kind === 'union' ? shape.options.flatMap(alternatives) : [shape]
}

function isNotNull(shape: SchemaShape): boolean {
  return !(shape.kind === 'values' && shape.values.every((value) => value === null))
}

function kindOf(shape: SchemaShape): 'money' | 'list' | 'other' {
  if (shape.kind === 'list') return 'list'
  return shape.kind === 'object' && shape.money ? 'money' : 'other'
}
