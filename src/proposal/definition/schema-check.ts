// Which zod schemas an action may use: strict objects of a closed set of types, nothing that rewrites, guesses or leaves open.
import { jsonPointer } from '../../effect/json-pointer.ts'
import type { Problem } from '../errors.ts'
import { type SchemaReading, type SchemaRule, readSchema } from './schema-shape.ts'

/** Which of the four schemas of an action is meant. */
export type SchemaRoot = 'command' | 'snapshot' | 'preview' | 'result'

const sentences: Readonly<Record<Exclude<SchemaRule, `no_${string}`>, string>> = {
  not_a_schema: 'is no schema of zod 4',
  open_object: 'must be a strict object: z.strictObject({ … }), which refuses keys that it does not know',
  name_reserved: 'has a name that means something to JavaScript',
  name_not_nfc: 'has a name that is not in Unicode normal form C',
  coercion: 'converts what it is given; a value is kept as it is, or refused',
  not_integer: 'must be z.int(): fractions are decimal strings, and amounts are money()',
  value_not_json: 'names a value that is not a string, safe integer, boolean or null',
  optional_misplaced: 'is optional without being a field of an object',
  rewrites: 'rewrites what it is given; a value is kept as it is, or refused',
  async_refinement: 'has a refinement that waits; schemas are checked at once',
  check_not_allowed: 'has a check that is not known to leave the value as it is',
  recursive: 'contains itself; write out as many levels as are needed',
  too_large: 'is deeper or larger than any content may be',
}

// What to write in place of the types that people try first.
const insteads: Readonly<Record<string, string>> = {
  any: 'say what it is',
  bigint: 'use z.int(), or a string of digits',
  catch: 'a wrong value is refused, not replaced',
  date: 'use z.iso.date() or z.iso.datetime()',
  default: 'whoever gives the value gives all of it',
  intersection: 'write one strict object',
  lazy: 'write out as many levels as are needed',
  map: 'name the keys in a strict object',
  optional: 'use z.exactOptional(): absent and undefined are two things',
  pipe: 'a value is kept as it is, or refused',
  prefault: 'whoever gives the value gives all of it',
  record: 'name the keys in a strict object',
  set: 'use a list, and { path, as: "set" } in immaterial',
  transform: 'a value is kept as it is, or refused',
  tuple: 'name the parts in a strict object',
  undefined: 'use null, or z.exactOptional()',
  unknown: 'say what it is',
}

/**
 * Everything in a schema that is not allowed, with a path such as `/schemas/snapshot/lines/0/price` (with a star for the
 * elements of a list) and a rule. Spec: lifecycle 3.
 */
export function checkSchema(schema: unknown, root: SchemaRoot): readonly Problem[] {
  return schemaProblems(readSchema(schema), root)
}

/** The problems of a schema that was read. The options of a union share one path, and each rule is named there once. */
export function schemaProblems({ shape, refusals }: SchemaReading, root: SchemaRoot): readonly Problem[] {
  const prefix = `/schemas/${root}`
  const problems = new Map<string, Problem>()
  const add = (pointer: string, rule: SchemaRule): void => {
    problems.set(`${pointer} ${rule}`, { path: prefix + pointer, rule, message: sentence(rule) })
  }
  if (shape.kind !== 'object' && shape.kind !== 'refused') add('', 'open_object')
  for (const { path, rule } of refusals) add(jsonPointer(path), rule)
  return [...problems.values()]
}

function sentence(rule: SchemaRule): string {
  if (!isTypeRule(rule)) return sentences[rule]
  const type = rule.slice('no_'.length)
  const instead = insteads[type]
  return `is a zod ${type}, which is not allowed${instead === undefined ? '' : `: ${instead}`}`
}

function isTypeRule(rule: SchemaRule): rule is `no_${string}` {
  return rule.startsWith('no_')
}
