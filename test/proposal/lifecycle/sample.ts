// Valid proposals in every status, and whole effects, so that a test names only what it is about.
import type { Attempt, Effect, Observation, Settlement } from '../../../src/effect/effect.ts'
import { unclaimed } from '../../../src/effect/effect-changes.ts'
import { toBase64Url } from '../../../src/effect/hash.ts'
import { parseReasonCode, type ReasonCode } from '../../../src/effect/reference.ts'
import type { Approval } from '../../../src/proposal/approval.ts'
import type { FrozenPolicy } from '../../../src/proposal/policy/freeze-policy.ts'
import type { Proposal, ProposalCore } from '../../../src/proposal/proposal.ts'
import type { Status } from '../../../src/proposal/status.ts'
import { leaseUntil, observation, ref, startedAt } from '../../effect/builders.ts'
import { approval, frozen, HOUR_MS, principal, role } from '../policy-fixtures.ts'

export const code = (text: string): ReasonCode => parseReasonCode(text, '')

/** Two commitments as they are shown. */
const COMMITMENT: string = shown(1)
export const OTHER_COMMITMENT: string = shown(2)

const createdAt: number = startedAt - 10_000
export const expiresAt: number = createdAt + 24 * HOUR_MS
export const updatedAt: number = createdAt + 5_000
/** A moment after every boundary of the samples' attempts, within the proposal's lifetime. */
export const now: number = leaseUntil + 10 * 60_000

export const P1 = ref('proposal-1')
export const P2 = ref('proposal-2')

/** One approval by finance; the requester and the agent's owner are excluded. */
export const policy: FrozenPolicy = frozen({ require: [role('finance', 1, 'finance')] })

const core: ProposalCore = {
  tenant: ref('tenant-1'),
  ref: P1,
  action: 'example.payments/refund@1',
  definitionDigest: 'digest-1',
  effect: { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') },
  subject: ref('order-1'),
  requester: principal('user:rita'),
  agent: principal('agent:bot'),
  agentOwner: principal('user:olga'),
  replaces: ref('proposal-0'),
  policy,
  commandFingerprint: 'fingerprint-1',
  commitment: COMMITMENT,
  createdAt,
  expiresAt,
  revision: 7,
  updatedAt,
  erasure: 'none',
  blockedBy: null,
  attention: [],
}

/** A proposal in the status, with the core's fields changed as given. */
export function sample(status: Status, changes: Partial<ProposalCore> = {}): Proposal {
  return { ...core, ...statusFields(status), ...changes } as Proposal
}

function statusFields(status: Status): Partial<Proposal> {
  switch (status) {
    case 'awaiting_approval':
    case 'approved':
      return { status }
    case 'executing':
    case 'verification_pending':
      return { status, attempt: 1 }
    case 'failed_unknown':
      return { status, attempt: 1, reason: code('executor_threw') }
    case 'verification_unresolved':
      return { status, reason: code('absences_spent') }
    case 'verified':
      return { status, settledAt: updatedAt }
    case 'failed_known':
    case 'closed_unknown':
      return { status, reason: code('proven_absent'), settledAt: updatedAt }
    case 'rejected':
    case 'expired':
      return { status, closedAt: updatedAt }
    case 'withdrawn':
      return { status, reason: code('not_needed'), closedAt: updatedAt }
    case 'stale':
      return {
        status,
        reason: code('material_drift'),
        driftPaths: ['/refunded'],
        replacedBy: null,
        closedAt: updatedAt,
      }
    case 'superseded':
      return { status, supersededBy: P2, closedAt: updatedAt }
  }
}

/** An effect that the first proposal owns; attempts and observations are numbered as they are given. */
export function claimed(
  attempts: readonly Attempt[],
  observations: readonly Observation[] = [],
  settlement: Settlement | null = null,
  changes: Partial<Effect> = {},
): Effect {
  return {
    ...unclaimed(core.effect),
    version: attempts.length + observations.length,
    owner: P1,
    epoch: attempts.length,
    attempts: attempts.map((one, index) => ({ ...one, number: index + 1 })),
    observations: observations.map((one, index) => ({ ...one, sequence: index + 1 })),
    settlement,
    ...changes,
  }
}

/** The decisive answers of a verifier about the attempts from 1 on. */
export function confirmation(fields: Partial<Observation> = {}): Observation {
  return observation({ answer: 'verified_completion', verdict: 'CONFIRMED', matches: 1, ...fields })
}

export function absence(fields: Partial<Observation> = {}): Observation {
  const proof = 'terminal'
  return observation({
    answer: 'authoritative_final_absence',
    verdict: 'FAILED',
    proof,
    beganAt: leaseUntil + 60_000,
    endedAt: leaseUntil + 60_100,
    ...fields,
  })
}

/** An approval of the samples' commitment by somebody from finance, for a day. */
export function given(approver: string, fields: Partial<Approval> = {}): Approval {
  return approval(approver, {
    commitment: COMMITMENT,
    rolesAtDecision: ['finance'],
    decidedAt: createdAt + 1_000,
    expiresAt,
    ...fields,
  })
}

function shown(fill: number): string {
  return `c1_${toBase64Url(new Uint8Array(32).fill(fill))}`
}
