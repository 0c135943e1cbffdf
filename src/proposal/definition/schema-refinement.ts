// The checks of a zod schema: allowed where they only narrow, refused where they may rewrite or wait.
import { z } from 'zod'

/** The rule that a check breaks. */
export type CheckRule = 'rewrites' | 'async_refinement' | 'check_not_allowed'

const INTEGER_FORMATS: ReadonlySet<unknown> = new Set(['safeint', 'int32', 'uint32'])

// Checks that only narrow. What is not listed might rewrite.
const NARROWING_CHECKS: ReadonlySet<string> = new Set([
  'less_than',
  'greater_than',
  'multiple_of',
  'number_format',
  'min_length',
  'max_length',
  'length_equals',
  'string_format',
  'custom',
])

/** All checks of a schema. A format such as `z.int()` or `z.email()` is a schema and its own first check. */
export function checksOf(schema: z.core.$ZodType): readonly z.core.$ZodCheckDef[] {
  const added = (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def)
  return schema instanceof z.core.$ZodCheck ? [schema._zod.def, ...added] : added
}

/** Whether a check leaves only whole numbers that are exact. */
export function isIntegerCheck(check: z.core.$ZodCheckDef): boolean {
  return check.check === 'number_format' && 'format' in check && INTEGER_FORMATS.has(check.format)
}

/**
 * The rule that a check breaks, or null. A refinement may only narrow; whether one that is no declared async function
 * waits for something shows when it runs.
 */
export function checkRule(check: z.core.$ZodCheckDef): CheckRule | null {
  if (check.check === 'overwrite' || ('normalize' in check && check.normalize === true)) return 'rewrites'
  if (!NARROWING_CHECKS.has(check.check)) return 'check_not_allowed'
  const isAsync = 'fn' in check && typeof check.fn === 'function' && check.fn.constructor.name === 'AsyncFunction'
  return isAsync ? 'async_refinement' : null
}
