// Attempts, observations and settlements with everything filled in, so that a test names only what it is about.
import type { Attempt, AttemptEnding, Observation, Settlement } from '../../src/effect/effect.ts'
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import type { EvidenceSource } from '../../src/effect/effect-evidence.ts'
import { parseReasonCode, parseReference, type ReasonCode, type Reference } from '../../src/effect/reference.ts'

export const ref = (text: string): Reference => parseReference(text, '')
const code = (text: string): ReasonCode => parseReasonCode(text, '')

const effectKey = { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') }

/** When an attempt starts and its lease ends, unless a test says otherwise. */
export const startedAt = 1_000_000
export const leaseUntil = startedAt + 60_000

export function attempt(fields: Partial<Attempt> = {}): Attempt {
  const { generation = 1 } = fields
  return {
    number: 1,
    proposal: ref('proposal-1'),
    action: 'example.payments/refund@1',
    target: 'psp',
    generation,
    idempotencyKey: idempotencyKey(effectKey, generation),
    epoch: 1,
    token: 'token-1',
    startedAt,
    leaseUntil,
    precondition: null,
    ending: null,
    ...fields,
  }
}

/** An ending of the kind, five seconds into the lease, with the evidence that such an ending is. */
export function ending(kind: AttemptEnding['kind'], fields: Partial<AttemptEnding> = {}): AttemptEnding {
  const isWordOfFailure = kind === 'stale_no_effect' || kind === 'failed_known' || kind === 'not_sent'
  return {
    kind,
    evidence: isWordOfFailure ? 'FAILED' : 'UNKNOWN',
    at: startedAt + 5_000,
    reason: null,
    externalReference: null,
    ...fields,
  }
}

export function observation(fields: Partial<Observation> = {}): Observation {
  return {
    sequence: 1,
    source: 'verifier',
    answer: 'provisional_absence',
    verdict: 'UNKNOWN',
    covers: { from: 1, to: 1 },
    target: 'psp',
    proof: null,
    flags: [],
    reason: null,
    externalReference: null,
    matches: null,
    beganAt: leaseUntil,
    endedAt: leaseUntil + 100,
    ...fields,
  }
}

export function settlement(verdict: Settlement['verdict'], fields: Partial<Settlement> = {}): Settlement {
  return {
    verdict,
    upToSequence: 0,
    upToAttempt: 1,
    by: ref('user:operator'),
    secondOperator: null,
    reason: code('statement_checked'),
    evidenceReference: ref('case-1'),
    at: leaseUntil + 1_000,
    ...fields,
  }
}

/** Numbers attempts and observations in the order in which they are given. */
export function effect(
  attempts: EvidenceSource['attempts'],
  observations: readonly Observation[] = [],
  settled: Settlement | null = null,
): EvidenceSource {
  return {
    attempts: attempts.map((one, index) => ({ ...one, number: index + 1 })),
    observations: observations.map((one, index) => ({ ...one, sequence: index + 1 })),
    settlement: settled,
  }
}
