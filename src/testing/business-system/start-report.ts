// The one message that the process of the business system sends to the process that started it.
import { z } from 'zod'

export type StartReport =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string }

export const startReportSchema: z.ZodType<StartReport> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), url: z.string() }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string() }),
])
