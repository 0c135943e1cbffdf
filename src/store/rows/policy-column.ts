// The frozen policy in its column: strictly parsed, since what may be executed rests on it.
import { z } from 'zod'
import type { FrozenPolicy } from '../../proposal/policy/freeze-policy.ts'

const text = z.string()
const money = z.strictObject({ amount: text, currency: text })
const policy = z.strictObject({
  require: z.array(
    z.strictObject({
      name: text,
      count: z.int().min(1),
      from: z.union([z.strictObject({ role: text }), z.strictObject({ principals: z.array(text) })]),
      when: z.strictObject({ path: text, atLeast: money }).nullable(),
      applies: z.boolean(),
    }),
  ),
  excluded: z.array(
    z.strictObject({ principal: text, because: z.enum(['requester', 'agent', 'agent_owner', 'replaced_requester']) }),
  ),
  switchedOff: z.array(z.strictObject({ exclusion: z.enum(['requester', 'agent_owner']), reason: text })),
  approvalTtlMs: z.int(),
  assurance: z.array(text),
  whileRelatedInDoubt: z.enum(['block', 'warn']),
  noApproval: text.nullable(),
})

/** @throws if the value is no frozen policy. */
export function parsePolicy(value: unknown): FrozenPolicy {
  return policy.parse(value)
}
