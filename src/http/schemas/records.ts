// The record on the wire: receipts and their check, and the evidence bundle.
import { z } from 'zod'
import { ATTEMPT_ENDINGS } from '../../effect/effect.ts'
import { RECEIPT_TYPES } from '../../proposal/receipts/receipt.ts'
import { count, instant, reasonCode, reference, status } from './common.ts'
import { component } from './components.ts'

const hash = z.string()
const evidence = z.enum(['CONFIRMED', 'FAILED', 'UNKNOWN'])

const receipt = component(
  'Receipt',
  'One link of the chain; its body is null once the proposal is erased.',
  z.strictObject({
    tenant: reference,
    proposal: reference,
    sequence: z.int().min(1),
    body: z
      .strictObject({
        type: z.enum(RECEIPT_TYPES),
        at: instant,
        participant: z.string().nullable(),
        trigger: z.string().nullable(),
        action: z.string(),
        status,
        attempt: count.nullable(),
        reason: reasonCode.nullable(),
        externalReference: reference.nullable(),
        detail: z.array(z.string()),
        runtimeVersion: z.string(),
      })
      .nullable(),
    previousHash: hash,
    hash,
  }),
)

export const receiptsView = component(
  'ReceiptsView',
  'The chain of a proposal, and what its hashes, its order and the lifecycle say about it.',
  z.strictObject({
    receipts: z.array(receipt),
    check: z.strictObject({
      intact: z.boolean(),
      consistent: z.boolean(),
      integrity: z.array(
        z.strictObject({
          sequence: count,
          problem: z.enum([
            'empty',
            'foreign',
            'order',
            'gap',
            'link_broken',
            'body_missing',
            'hash_differs',
            'head_differs',
          ]),
        }),
      ),
      consistency: z.array(
        z.strictObject({
          sequence: count,
          problem: z.enum(['not_prepared_first', 'action_changed', 'time_goes_back', 'transition_not_in_table']),
        }),
      ),
    }),
  }),
)

const attempt = component(
  'Attempt',
  'One call of the executor, and how it ended; another proposal’s is named only to who may read that.',
  z.strictObject({
    number: z.int().min(1),
    proposal: reference.nullable(),
    action: z.string(),
    target: z.string(),
    generation: count,
    idempotencyKey: z.string(),
    epoch: count,
    startedAt: instant,
    leaseUntil: instant,
    precondition: reference.nullable(),
    ending: z
      .strictObject({
        kind: z.enum(ATTEMPT_ENDINGS),
        evidence,
        at: instant,
        reason: reasonCode.nullable(),
        externalReference: reference.nullable(),
      })
      .nullable(),
  }),
)

const observation = component(
  'Observation',
  'One recorded look at the target.',
  z.strictObject({
    sequence: z.int().min(1),
    source: z.enum(['verifier', 'executor', 'fence', 'cancel', 'event']),
    answer: z.string(),
    verdict: evidence,
    covers: z.strictObject({ from: count, to: count }),
    target: z.string(),
    proof: z.enum(['terminal', 'cancelled', 'fenced', 'key_consumed', 'settled']).nullable(),
    flags: z.array(
      z.enum([
        'effect_mismatch',
        'predates_attempt',
        'duplicate',
        'reference_differs',
        'reversed',
        'late',
        'fact_missing',
      ]),
    ),
    reason: reasonCode.nullable(),
    externalReference: reference.nullable(),
    matches: z.int().nullable(),
    beganAt: instant,
    endedAt: instant,
  }),
)

const settlement = component(
  'Settlement',
  'What a person found out about the effect, beside the evidence.',
  z.strictObject({
    verdict: z.enum(['occurred', 'did_not_occur', 'closed_unknown']),
    upToSequence: count,
    upToAttempt: count,
    by: z.string(),
    secondOperator: z.string().nullable(),
    reason: reasonCode,
    evidenceReference: reference,
    at: instant,
  }),
)

export const evidenceBundle = component(
  'EvidenceBundle',
  'The chain and the evidence of one proposal, to be checked offline.',
  z.strictObject({
    format: z.literal('countersign/evidence/v1'),
    tenant: reference,
    proposal: reference,
    action: z.string(),
    effect: z.strictObject({ domain: z.string(), reference }),
    status,
    revision: count,
    receiptSalt: z.string().nullable(),
    receipts: z.array(receipt),
    lastHash: z.string(),
    attempts: z.array(attempt),
    observations: z.array(observation),
    settlement: settlement.nullable(),
    exportedAt: instant,
  }),
)
