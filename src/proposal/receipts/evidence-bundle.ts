// The evidence bundle: what is exported of one proposal, and the strict reading of what claims to be one.
import { z } from 'zod'
import {
  type Attempt,
  ATTEMPT_ENDINGS,
  type Evidence,
  type Observation,
  type ObservationFlag,
  type ProofKind,
  type Settlement,
} from '../../effect/effect.ts'
import type { IdempotencyKey } from '../../effect/effect-key.ts'
import { fromBase64Url } from '../../effect/hash.ts'
import { jsonPointer } from '../../effect/json-pointer.ts'
import { isReference, type ReasonCode } from '../../effect/reference.ts'
import type { Problem } from '../errors.ts'
import { RECEIPT_TYPES, type Receipt } from './receipt.ts'
import { STATUSES, type Status } from '../status.ts'

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
  /** The hash of the last receipt, as the store keeps it beside the chain. */
  readonly lastHash: string
  /**
   * All attempts on the effect, without the tokens, which are the attempts' own; none if this proposal made none. Another
   * proposal is named only if the exporter might read it.
   */
  readonly attempts: readonly Omit<Attempt, 'token'>[]
  readonly observations: readonly Observation[]
  readonly settlement: Settlement | null
  readonly exportedAt: number
}

/** What is no bundle: where, and which rule it breaks; never the value. */
export interface MalformedBundle {
  readonly kind: 'malformed'
  readonly problems: readonly Problem[]
}

/** The bundle, if it is one in every field; whatever it is, nothing is thrown. */
export function parseBundle(
  value: unknown,
): { readonly kind: 'bundle'; readonly bundle: EvidenceBundle } | MalformedBundle {
  const parsed = parsedOrNull(value)
  if (parsed?.success === true) return { kind: 'bundle', bundle: parsed.data }
  const issues = parsed?.error.issues ?? [{ path: [], code: 'unreadable' }]
  return {
    kind: 'malformed',
    problems: issues.map(({ path, code }) => ({
      path: jsonPointer(path.map(String)),
      rule: code,
      message: 'is not what a bundle has there',
    })),
  }
}

/** The salt as bytes; null for a bundle of an erased proposal. */
export function saltOf({ receiptSalt }: EvidenceBundle): Uint8Array | null {
  return receiptSalt === null ? null : fromBase64Url(receiptSalt, SALT_BYTES)
}

// An accessor or a proxy may throw whatever it likes: then there is nothing that could be read.
function parsedOrNull(value: unknown): z.ZodSafeParseResult<EvidenceBundle> | null {
  try {
    return bundleSchema.safeParse(value)
  } catch {
    return null
  }
}

/** Exactly the codes of a union: one that is missing or too many does not compile. */
function oneOf<T extends string>(codes: Readonly<Record<T, true>>): z.ZodType<T> {
  return z.enum(Object.keys(codes) as [T, ...T[]])
}

const evidence = oneOf<Evidence>({ CONFIRMED: true, FAILED: true, UNKNOWN: true })
const proof = oneOf<ProofKind>({ terminal: true, cancelled: true, fenced: true, key_consumed: true, settled: true })
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
      kind: z.enum(ATTEMPT_ENDINGS),
      evidence,
      at: instant,
      reason: reasonCode.nullable(),
      externalReference: reference.nullable(),
    })
    .nullable(),
})

const observationSchema = z.strictObject({
  sequence: z.int().min(1),
  source: oneOf<Observation['source']>({ verifier: true, executor: true, fence: true, cancel: true, event: true }),
  answer: z.string(),
  verdict: evidence,
  covers: z.strictObject({ from: z.int().min(1), to: z.int().min(0) }),
  target: z.string(),
  proof: proof.nullable(),
  flags: z.array(
    oneOf<ObservationFlag>({
      effect_mismatch: true,
      predates_attempt: true,
      duplicate: true,
      reference_differs: true,
      reversed: true,
      late: true,
      fact_missing: true,
    }),
  ),
  reason: reasonCode.nullable(),
  externalReference: reference.nullable(),
  matches: z.int().nullable(),
  beganAt: instant,
  endedAt: instant,
})

const settlementSchema = z.strictObject({
  verdict: oneOf<Settlement['verdict']>({ occurred: true, did_not_occur: true, closed_unknown: true }),
  upToSequence: z.int().min(0),
  upToAttempt: z.int().min(0),
  by: z.string(),
  secondOperator: z.string().nullable(),
  reason: reasonCode,
  evidenceReference: reference,
  at: instant,
})

const bundleSchema: z.ZodType<EvidenceBundle> = z.strictObject({
  format: z.literal('countersign/evidence/v1'),
  tenant: reference,
  proposal: reference,
  action: z.string(),
  effect: z.strictObject({ domain: z.string(), reference }),
  status: z.enum(STATUSES),
  revision: z.int().min(0),
  receiptSalt: z
    .string()
    .refine((salt) => fromBase64Url(salt, SALT_BYTES) !== null)
    .nullable(),
  receipts: z.array(receiptSchema),
  lastHash: z.string(),
  attempts: z.array(attemptSchema),
  observations: z.array(observationSchema),
  settlement: settlementSchema.nullable(),
  exportedAt: instant,
})
