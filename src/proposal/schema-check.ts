// Which zod schemas an action may use: strict objects of a closed set of types, nothing that rewrites, guesses or leaves open.
import type { Problem } from './errors.ts'

/** Which of the four schemas of an action is meant. */
export type SchemaRoot = 'command' | 'snapshot' | 'preview' | 'result'

/**
 * Everything in a schema that is not allowed, with a path such as `/schemas/snapshot/lines/0/price` (a star for the
 * elements of a list) and a rule. Spec: lifecycle 3.
 */
export function checkSchema(schema: unknown, root: SchemaRoot): readonly Problem[] {
  throw new TypeError(String([schema, root]))
}
