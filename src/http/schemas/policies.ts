// Policies on the wire: conditions, sources of approvals, and the summary of an action's policy.
import { z } from 'zod'
import { instant } from './common.ts'
import { component } from './components.ts'

export const amountCondition = component(
  'AmountCondition',
  'Holds from this amount on, at the path of the action’s private state.',
  z.strictObject({ path: z.string(), atLeast: z.strictObject({ amount: z.string(), currency: z.string() }) }),
)

export const approverSource = z.union([
  z.strictObject({ role: z.string() }),
  z.strictObject({ principals: z.array(z.string()) }),
])

const sourceSummary = z.union([z.strictObject({ role: z.string() }), z.strictObject({ named: z.int().min(0) })])

export const policySummary = component(
  'PolicySummary',
  'Who will have to approve, as far as the action says it before there is a proposal. Nobody is named.',
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none'), reason: z.string() }),
    z.strictObject({ kind: z.literal('chosen') }),
    z.strictObject({
      kind: z.literal('rules'),
      require: z.array(
        z.strictObject({
          name: z.string(),
          count: z.int().min(1),
          from: sourceSummary,
          when: amountCondition.nullable(),
        }),
      ),
      assurance: z.array(z.string()),
      approvalTtlMs: instant.nullable(),
      whileRelatedInDoubt: z.enum(['block', 'warn']),
    }),
  ]),
)
