// What many answers are made of: references, codes, instants, principals.
import { z } from 'zod'
import { ATTENTIONS } from '../../proposal/proposal.ts'
import { STATUSES } from '../../proposal/status.ts'
import { component } from './components.ts'

/** A reference as it is answered; what is sent in one is judged by the runtime. */
export const reference: z.ZodString = z.string().min(1).max(255)

/** A reason code. Spec: lifecycle 1. */
export const reasonCode: z.ZodString = z.string().regex(/^[a-z0-9_.-]{1,64}$/)

export const instant = component('Instant', 'Milliseconds since 1970-01-01T00:00:00Z.', z.int().min(0))

/** Counts, sequences, revisions. */
export const count = z.int().min(0)

/** Any JSON that the action's own schema describes. */
export const anyJson = z.unknown()

export const status = component('Status', 'Where a proposal stands.', z.enum(STATUSES))

export const attention = component('Attention', 'What a person must know beside the status.', z.enum(ATTENTIONS))

export const nextStep = component(
  'NextStep',
  'What can usefully be done now.',
  z.enum(['await_approval', 'execute', 'wait', 'reconcile', 'operator', 'prepare_again', 'none']),
)

export const principal = component(
  'Principal',
  'Somebody, as the authentication established them.',
  z.strictObject({ kind: z.enum(['user', 'service', 'agent']), id: reference }),
)

export const evidenceSummary = component(
  'EvidenceSummary',
  'What is known about the effect. UNKNOWN means that it may have happened; nothing is sent again on that ground.',
  z.strictObject({
    status: z.enum(['CONFIRMED', 'FAILED', 'UNKNOWN']),
    attempts: count,
    conflict: z.boolean(),
    duplicatePossible: z.boolean(),
    settled: z.enum(['occurred', 'did_not_occur', 'closed_unknown']).nullable(),
    asOf: instant.nullable(),
  }),
)
