// What a tenant can look up besides its proposals: the registered actions and the outbox.
import { z } from 'zod'
import { ACTS } from '../../proposal/contract.ts'
import { count, instant, reference, status } from './common.ts'
import { component } from './components.ts'
import { policySummary } from './policies.ts'

const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema of draft 2020-12.')

const actionView = component(
  'ActionView',
  'One registered action. `permitted` is what it lets the caller do, as far as it says so before there is a proposal.',
  z.strictObject({
    action: z.string(),
    lifetimeMs: count,
    schemas: z.strictObject({ command: jsonSchema, preview: jsonSchema, result: jsonSchema }),
    policy: policySummary,
    permitted: z.array(z.enum(ACTS)),
  }),
)

export const actionList = component(
  'ActionList',
  'Every registered action.',
  z.strictObject({ items: z.array(actionView) }),
)

const eventView = component(
  'EventView',
  'A change of status. `proposal`, `revision` and `type` together name it once; `position` is opaque.',
  z.strictObject({
    position: z.string(),
    type: z.enum([
      'proposal.prepared',
      'proposal.approval_needed',
      'proposal.approved',
      'proposal.closed',
      'proposal.executing',
      'proposal.in_doubt',
      'proposal.needs_person',
      'proposal.settled',
      'proposal.erased',
    ]),
    proposal: reference,
    status,
    revision: count,
    at: instant,
  }),
)

export const eventsPage = component(
  'EventsPage',
  'A page of the outbox, oldest first. `next` is where to go on, now or when there is more.',
  z.strictObject({ items: z.array(eventView), next: z.string().nullable(), more: z.boolean() }),
)
