// What is sent: the body and the query of each operation. Unknown fields are refused, and nothing here names a caller.
import { z } from 'zod'
import { STATUSES } from '../../proposal/status.ts'
import { reasonCode } from './common.ts'
import { component } from './components.ts'

/** Judged by the runtime, which knows the forms of references and their one answer. */
const text = z.string().max(1_000)
const cursor = z.string().min(1).max(2_000)

export const noBody = component('NoBody', 'No fields; the body may be left out.', z.strictObject({}))

export const prepareBody = component(
  'PrepareRequest',
  'What is asked for. Requester, agent and owner come from the credentials and from nowhere else.',
  z.strictObject({
    action: text.describe('`namespace/name@version` of a registered action.'),
    command: z.record(z.string(), z.unknown()).describe('As the action’s command schema says.'),
    replaces: z.exactOptional(text).describe('The proposal that this one amends.'),
  }),
)

export const decisionBody = component(
  'DecisionRequest',
  'A decision about exactly what was shown. It has no content of its own.',
  z.strictObject({
    commitment: text.describe('The commitment of the view that was decided on.'),
    comment: z.exactOptional(z.string()).describe('At most 2,000 characters; kept sealed.'),
  }),
)

export const withdrawBody = component(
  'WithdrawRequest',
  'Why the proposal is taken back.',
  z.strictObject({ reason: z.exactOptional(reasonCode) }),
)

export const executeBody = component(
  'ExecuteRequest',
  'Whether to go on with one verification, if it is due.',
  z.strictObject({ reconcile: z.exactOptional(z.boolean()) }),
)

export const reconcileBody = component(
  'ReconcileRequest',
  'Whether to look now, even if it is not due; for operators.',
  z.strictObject({ now: z.exactOptional(z.boolean()) }),
)

export const resumeBody = component(
  'ResumeRequest',
  'Why the target is asked again.',
  z.strictObject({ reason: reasonCode }),
)

export const settleBody = component(
  'SettleRequest',
  'What a person found out about the effect, and where the evidence is kept.',
  z.strictObject({
    verdict: z.enum(['occurred', 'did_not_occur', 'closed_unknown']),
    reason: reasonCode,
    evidenceReference: text,
  }),
)

export const eraseBody = component(
  'EraseRequest',
  'Why the content goes; the code outlives it.',
  z.strictObject({ reason: reasonCode }),
)

export const observationBody = component(
  'ObservationRequest',
  'What a provider announced. It is no evidence: it makes a look at the target due.',
  z.strictObject({
    idempotencyKey: text.describe('The key that the executor handed to the provider.'),
    eventId: text.describe('The provider’s id of the event.'),
  }),
)

export const noQuery = z.strictObject({})

const limit = z
  .string()
  .regex(/^[1-9]\d{0,5}$/)
  .transform(Number)
  .pipe(z.int())
  .meta({ type: 'integer', minimum: 1, maximum: 200, default: 50 })

const flag = z.enum(['true', 'false'])

export const listQuery = z.strictObject({
  status: z.exactOptional(z.array(z.enum(STATUSES))).describe('May be given several times.'),
  action: z.exactOptional(text).describe('`namespace/name`, over all versions.'),
  requester: z.exactOptional(text).describe('`kind:id`.'),
  effect: z.exactOptional(text).describe('An effect reference; needs `action`.'),
  subject: z.exactOptional(text),
  due: z.exactOptional(flag).describe('Only what is due now: expired and open, or to be verified.'),
  needsPerson: z.exactOptional(flag).describe('Only what waits for a person.'),
  decidedBy: z.exactOptional(text).describe('`kind:id`; only what this principal decided on.'),
  order: z
    .exactOptional(z.enum(['newest', 'oldest', 'expiry']))
    .describe('Default `newest`; `expiry`: open ones alone, nearest to their end first.'),
  limit: z.exactOptional(limit),
  cursor: z.exactOptional(cursor).describe('`next` of the page before, with the same filters.'),
})

export const eventsQuery = z.strictObject({
  after: z.exactOptional(cursor).describe('A `position`, or the `next` of a page; `0` or nothing for the beginning.'),
  limit: z.exactOptional(limit),
})
