// The evidence bundle: what is exported of one proposal, and what anybody can check of it without the store.
import { z } from 'zod'
import type { Attempt, Observation, Settlement } from '../effect/effect.ts'
import { type EffectEvidence, evidenceOf } from '../effect/effect-evidence.ts'
import type { IdempotencyKey } from '../effect/effect-key.ts'
import { fromBase64Url } from '../effect/hash.ts'
import { isReference, type ReasonCode } from '../effect/reference.ts'
import type { Problem } from './errors.ts'
import { RECEIPT_TYPES, type Receipt } from './receipt.ts'
import { STATUSES, type Status } from './status.ts'
import { type ReceiptsCheck, verifyReceipts } from './verify-receipts.ts'

/** Bytes of a receipt salt. */
const SALT_BYTES = 32

/** One proposal's chain and the evidence of its effect: references, codes, times and hashes, no content. */
export interface EvidenceBundle {
  readonly format: 'countersign/evidence/v1'
  readonly tenant: string
  readonly proposal: string
  readonly action: string
  readonly effect: { readonly domain: string; readonly reference: string }
  readonly status: Status
  readonly revision: number
  /** The salt of the receipts' hashes in base64url; null once erased: then only the links can be checked. */
  readonly receiptSalt: string | null
  readonly receipts: readonly Receipt[]
  /** Without the token, which is the attempt's own. */
  readonly attempts: readonly Omit<Attempt, 'token'>[]
  readonly observations: readonly Observation[]
  readonly settlement: Settlement | null
  readonly exportedAt: number
}

/** What a bundle shows, in three parts that do not stand for each other. Spec: lifecycle 10. */
export interface EvidenceReport {
  /** Whether every receipt is what was chained, and none is missing. */
  readonly integrity: { readonly holds: boolean; readonly problems: ReceiptsCheck['integrity'] }
  /** Whether the receipts are a path through the lifecycle that ends where the bundle says. */
  readonly consistency: { readonly holds: boolean; readonly problems: readonly string[] }
  /** What the attempts, observations and settlement say, and whether the status says the same. */
  readonly outcome: {
    readonly evidence: EffectEvidence['status']
    readonly conflict: boolean
    readonly statusAgrees: boolean
  }
}

/**
 * Checks a bundle offline: its integrity, its consistency with the lifecycle, and the outcome that its evidence shows. The
 * evidence is folded anew; nothing in the bundle is believed because it says so. Spec: lifecycle 10.
 */
export function verifyEvidence(bundle: unknown): EvidenceReport | { readonly problems: readonly Problem[] } {
  const parsed = bundleSchema.safeParse(bundle)
  if (!parsed.success) {
    return {
      problems: parsed.error.issues.map(({ path, code }) => ({
        path: path.map((segment) => `/${String(segment)}`).join(''),
        rule: code,
        message: 'is not what a bundle has there',
      })),
    }
  }
  const { receipts, receiptSalt, revision, ...rest } = parsed.data
  const salt = receiptSalt === null ? null : fromBase64Url(receiptSalt, SALT_BYTES)
  const check = verifyReceipts(receipts, salt)
  const story = consistencyProblems(check, receipts, { ...rest, revision })
  return {
    integrity: { holds: check.intact, problems: check.integrity },
    consistency: { holds: story.length === 0, problems: story },
    outcome: outcomeOf(rest),
  }
}

type Bundle = z.output<typeof bundleSchema>

function consistencyProblems(
  check: ReceiptsCheck,
  receipts: readonly Receipt[],
  { tenant, proposal, status, revision, ...effect }: Omit<Bundle, 'receipts' | 'receiptSalt'>,
): readonly string[] {
  const last = receipts.at(-1)
  const problems = check.consistency.map(({ sequence, problem }) => `receipt ${sequence}: ${problem}`)
  if (receipts.some((receipt) => receipt.tenant !== tenant || receipt.proposal !== proposal))
    problems.push('foreign_receipt')
  if (last !== undefined && last.sequence !== revision + 1) problems.push('revision_differs')
  if (last?.body != null && last.body.status !== status) problems.push('status_differs')
  if (!isNumbered(effect)) problems.push('evidence_not_numbered')
  return problems
}

function outcomeOf({
  status,
  ...effect
}: Pick<Bundle, 'status' | 'attempts' | 'observations' | 'settlement'>): EvidenceReport['outcome'] {
  // What a store never holds cannot be folded, and says nothing.
  if (!isNumbered(effect)) return { evidence: null, conflict: false, statusAgrees: false }
  const evidence = evidenceOf(effect)
  return { evidence: evidence.status, conflict: evidence.conflict, statusAgrees: agrees(status, evidence) }
}

function isNumbered({ attempts, observations }: Pick<Bundle, 'attempts' | 'observations'>): boolean {
  return (
    attempts.every(({ number }, index) => number === index + 1) &&
    observations.every(
      ({ sequence, covers }, index) =>
        sequence === index + 1 && covers.from <= covers.to + 1 && covers.to <= attempts.length,
    )
  )
}

function agrees(status: Status, { status: evidence, settled }: EffectEvidence): boolean {
  switch (status) {
    case 'verified':
    case 'superseded':
      return evidence === 'CONFIRMED'
    case 'failed_known':
      return evidence === 'FAILED'
    case 'closed_unknown':
      return settled === 'closed_unknown'
    case 'awaiting_approval':
    case 'approved':
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
      return evidence === null || evidence === 'FAILED'
    case 'executing':
    case 'verification_pending':
    case 'failed_unknown':
    case 'verification_unresolved':
      return true
  }
}

const evidence = z.enum(['CONFIRMED', 'FAILED', 'UNKNOWN'])
const proof = z.enum(['terminal', 'cancelled', 'fenced', 'key_consumed', 'settled'])
const reference = z.string().refine(isReference)
const reasonCode = z.custom<ReasonCode>((value) => typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/.test(value))
const instant = z.int().min(0)

const receiptSchema = z.strictObject({
  tenant: reference,
  proposal: reference,
  sequence: z.int().min(1),
  previousHash: z.string(),
  hash: z.string(),
  body: z
    .strictObject({
      type: z.enum(RECEIPT_TYPES),
      at: instant,
      participant: z.string().nullable(),
      trigger: z.string().nullable(),
      action: z.string(),
      status: z.enum(STATUSES),
      attempt: z.int().min(1).nullable(),
      reason: reasonCode.nullable(),
      externalReference: reference.nullable(),
      detail: z.array(z.string()),
      runtimeVersion: z.string(),
    })
    .nullable(),
})

const attemptSchema = z.strictObject({
  number: z.int().min(1),
  proposal: reference.nullable(),
  action: z.string(),
  target: z.string(),
  generation: z.int().min(1),
  idempotencyKey: z.custom<IdempotencyKey>((value) => typeof value === 'string'),
  epoch: z.int().min(1),
  startedAt: instant,
  leaseUntil: instant,
  precondition: reference.nullable(),
  ending: z
    .strictObject({
      kind: z.enum([
        'accepted',
        'returned',
        'stale_no_effect',
        'failed_known',
        'failed_unknown',
        'not_sent',
        'lease_lapsed',
      ]),
      evidence,
      at: instant,
      reason: reasonCode.nullable(),
      externalReference: reference.nullable(),
    })
    .nullable(),
})

const observationSchema = z.strictObject({
  sequence: z.int().min(1),
  source: z.enum(['verifier', 'executor', 'fence', 'cancel', 'event']),
  answer: z.string(),
  verdict: evidence,
  covers: z.strictObject({ from: z.int().min(1), to: z.int().min(0) }),
  target: z.string(),
  proof: proof.nullable(),
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
})

const bundleSchema = z.strictObject({
  format: z.literal('countersign/evidence/v1'),
  tenant: reference,
  proposal: reference,
  action: z.string(),
  effect: z.strictObject({ domain: z.string(), reference }),
  status: z.enum(STATUSES),
  revision: z.int().min(0),
  receiptSalt: z.string().nullable(),
  receipts: z.array(receiptSchema),
  attempts: z.array(attemptSchema),
  observations: z.array(observationSchema),
  settlement: z
    .strictObject({
      verdict: z.enum(['occurred', 'did_not_occur', 'closed_unknown']),
      upToSequence: z.int().min(0),
      upToAttempt: z.int().min(0),
      by: z.string(),
      secondOperator: z.string().nullable(),
      reason: reasonCode,
      evidenceReference: reference,
      at: instant,
    })
    .nullable(),
  exportedAt: instant,
})
