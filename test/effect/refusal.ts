// How canonical JSON takes a value: the refusal, or null if there is none.
import { canonicalJson, CanonicalJsonError } from '../../src/effect/canonical-json.ts'

type Options = Partial<Parameters<typeof canonicalJson>[1]>

/** The refusal of the value, in the mode `integers` unless the options say otherwise; null if it is taken. */
export function refusalOf(value: unknown, options: Options = {}): CanonicalJsonError | null {
  return refusalBy(() => canonicalJson(value, { numbers: 'integers', ...options }))
}

/** The refusal that a call throws; any other error goes on. */
export function refusalBy(call: () => unknown): CanonicalJsonError | null {
  try {
    call()
    return null
  } catch (error) {
    if (error instanceof CanonicalJsonError) return error
    throw error
  }
}

/** Arrays within each other, so many that `depth` containers are open in the innermost. */
export function nested(depth: number): unknown {
  let value: unknown[] = []
  for (let level = 1; level < depth; level += 1) value = [value]
  return value
}
