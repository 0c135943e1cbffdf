// JSON Pointers into a schema: what the snapshots of an action have at a place, and whether they always have it.
import type { z } from 'zod'
import type { PathKind } from './check-policy.ts'

/** What a schema has at a pointer. `always`: in every value that the schema allows. */
export type SchemaPlace = { readonly kind: 'money' | 'other'; readonly always: boolean } | { readonly kind: 'missing' }

/** The place that a pointer leads to, through objects only: what is inside a list has no pointer of its own. */
export function schemaPlace(schema: z.core.$ZodType, pointer: string): SchemaPlace {
  throw new TypeError(String([schema, pointer]))
}

/** What `checkPolicy` asks about a path. */
export function pathKind(schema: z.core.$ZodType, pointer: string): PathKind {
  return schemaPlace(schema, pointer).kind
}
