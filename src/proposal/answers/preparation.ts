// The shape of what an action's prepare answers.
import { z } from 'zod'

/** Snapshot, effect reference and subject; references are judged apart, so that each has its own error. */
export function preparedSchema(snapshot: z.ZodObject): z.ZodType {
  return z.strictObject({ snapshot, effectReference: z.string(), subject: z.string().exactOptional() })
}
