// Holes in a drawn request: what only a store that lives can fill in, such as the commitment of one of its proposals.
import { fc } from '@fast-check/vitest'
import { PROBLEMS } from '../../../src/http/wire/http-refusals.ts'
import type { Meanings } from './valid-value.ts'

/** What a hole stands for. All but the cursor are of the proposal that the request is about. */
export const HOLES = [
  'ref',
  'approval',
  'commitment',
  'effect',
  'subject',
  'idempotencyKey',
  'etag',
  'order',
  'cursor',
] as const
export type Hole = (typeof HOLES)[number]

const MARK = '\u0001hole:'

/** The text that stands in a drawn request until it is sent. */
function hole(name: Hole): string {
  return MARK + name
}

/** The value with every hole filled. */
export function filled<T>(value: T, fill: (name: Hole) => string): T
export function filled(value: unknown, fill: (name: Hole) => string): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? fill(holeOf(value)) : value
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, fill))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, filled(field, fill)]))
}

function holeOf(value: string): Hole {
  const name = HOLES.find((one) => hole(one) === value)
  if (name === undefined) throw new Error(`there is no hole ${value}`)
  return name
}

const REGISTERED = ['example.payments/refund@1', 'example.payments/refund@1']

/** Stands in what only the requester and the action may know. */
export const PRIVATE_MARK = 'CANARY-private'

/** What a field or parameter of a name means, whatever its schema says. */
export const MEANINGS: Meanings = {
  ref: fc.constant(hole('ref')),
  id: fc.constant(hole('approval')),
  replaces: fc.constant(hole('ref')),
  commitment: fc.constant(hole('commitment')),
  effect: fc.constant(hole('effect')),
  subject: fc.constant(hole('subject')),
  idempotencyKey: fc.constant(hole('idempotencyKey')),
  'If-Match': fc.constant(hole('etag')),
  'Idempotency-Key': fc.constantFrom('key-1', '"key-1"', 'key-2', 'key-3'),
  cursor: fc.constant(hole('cursor')),
  after: fc.constant(hole('cursor')),
  requester: fc.constantFrom('user:rita', 'agent:bot'),
  action: fc.constantFrom(...REGISTERED, ...REGISTERED, ...REGISTERED, 'example.payments/refund'),
  orderReference: fc.constantFrom(hole('order'), hole('order'), 'ORD-SHARED'),
  intent: fc.constantFrom('lost parcel', 'wrong size', 'late delivery', 'broken vase'),
  memo: fc.constant(`${PRIVATE_MARK} memo`),
  amount: fc.constantFrom('10.00', '0.01', '99999.99'),
  currency: fc.constant('EUR'),
  eventId: fc.constantFrom('evt_1', 'evt_2', 'evt_3'),
  evidenceReference: fc.constantFrom('case-7', 'case-8'),
  code: fc.constantFrom(...Object.keys(PROBLEMS)),
}
