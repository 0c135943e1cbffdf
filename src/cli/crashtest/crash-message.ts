// What the process of a worker under crash test is told, and what it says.
import { z } from 'zod'
import type { JsonValue } from '../../effect/canonical-json.ts'
import type { CrashOutcome } from '../../testing/crash/crash-scenario.ts'
import type { CrashStep } from '../../testing/crash/crash-steps.ts'

/** The task of one process. */
export interface CrashTask {
  readonly file: string
  readonly setup: JsonValue
  readonly run: number
  /** Where it ends by SIGKILL; null if it is to come to its end. */
  readonly killAt: CrashStep | null
}

/** How a process came to its end: the worker's word and its steps, or what is wrong with the file. */
export type CrashMessage =
  | {
      readonly kind: 'ended'
      readonly told: Readonly<Record<string, CrashOutcome>>
      readonly steps: readonly CrashStep[]
    }
  | { readonly kind: 'broken'; readonly problem: string }

const step = z.strictObject({ name: z.string(), occurrence: z.int().min(1) })

export const crashMessageSchema: z.ZodType<CrashMessage> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ended'),
    told: z.record(z.string(), z.enum(['done', 'not_done', 'open'])),
    steps: z.array(step),
  }),
  z.strictObject({ kind: z.literal('broken'), problem: z.string() }),
])

export const crashTaskSchema: z.ZodType<CrashTask> = z.strictObject({
  file: z.string(),
  setup: z.json(),
  run: z.int().min(0),
  killAt: step.nullable(),
})
