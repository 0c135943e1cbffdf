// The one message that the process of a safety suite sends to the process that started it.
import { z } from 'zod'

/** What became of the file: a report as its document, or one sentence about what is wrong with it. */
export type SuiteMessage =
  | { readonly kind: 'report'; readonly document: unknown }
  | { readonly kind: 'broken'; readonly problem: string }

export const suiteMessageSchema: z.ZodType<SuiteMessage> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('report'), document: z.unknown() }),
  z.strictObject({ kind: z.literal('broken'), problem: z.string() }),
])
