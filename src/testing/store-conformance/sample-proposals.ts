// Sample proposals: complete, valid and dull, in any status.
import type { EffectKey } from '../../effect/effect-key.ts'
import { parseReasonCode, parseReference, type Reference } from '../../effect/reference.ts'
import type { Proposal, ProposalCore } from '../../proposal/proposal.ts'
import type { Status } from '../../proposal/status.ts'

/** When the samples begin, an instant. */
export const SAMPLE_START: number = Date.UTC(2030, 0, 1)

/** How long a sample proposal lives. */
const SAMPLE_LIFETIME_MS: number = 10 * 60_000

let serial = 0

/** A number that was not given before in this process. */
export function nextSerial(): number {
  serial += 1
  return serial
}

/** Text as a reference. */
export function reference(text: string): Reference {
  return parseReference(text, '')
}

/** A fresh reference of the length of a ULID; later ones are greater. */
export function nextRef(): Reference {
  return reference(`01SAMPLE${String(nextSerial()).padStart(18, '0')}`)
}

/** The tenant of all samples that name no other. */
export const SAMPLE_TENANT: Reference = reference('tenant-a')

/** A new proposal that nobody has decided on. */
export function sampleProposal(overrides: Partial<ProposalCore> = {}): Proposal {
  const tenant = overrides.tenant ?? SAMPLE_TENANT
  const ref = overrides.ref ?? nextRef()
  return {
    status: 'awaiting_approval',
    tenant,
    ref,
    action: 'example.payments/refund@1',
    definitionDigest: 'd'.repeat(64),
    effect: sampleEffectKey(tenant, `refund-of-${ref}`),
    subject: reference('order-1'),
    requester: { kind: 'user', id: reference('alice') },
    agent: { kind: 'agent', id: reference('assistant') },
    agentOwner: { kind: 'user', id: reference('alice') },
    replaces: null,
    policy: {
      require: [
        {
          name: 'finance',
          count: 1,
          from: { role: 'finance-manager' },
          when: { path: '/amount', atLeast: { amount: '10.00', currency: 'EUR' } },
          applies: true,
        },
        { name: 'director', count: 1, from: { principals: ['user:cfo'] }, when: null, applies: true },
      ],
      excluded: [{ principal: 'user:alice', because: 'requester' }],
      switchedOff: [{ exclusion: 'agent_owner', reason: 'The owner is the requester.' }],
      approvalTtlMs: SAMPLE_LIFETIME_MS,
      assurance: ['authenticated_session'],
      whileRelatedInDoubt: 'warn',
      noApproval: null,
    },
    commandFingerprint: 'f'.repeat(64),
    commitment: `c1_${'A'.repeat(43)}`,
    createdAt: SAMPLE_START,
    expiresAt: SAMPLE_START + SAMPLE_LIFETIME_MS,
    revision: 0,
    updatedAt: SAMPLE_START,
    erasure: 'none',
    blockedBy: null,
    attention: [],
    ...overrides,
  }
}

/** The effect of that name. */
export function sampleEffectKey(tenant: Reference, name: string): EffectKey {
  return { tenant, domain: 'example.payments/refund', reference: reference(name) }
}

/** The next revision of a proposal, in the status and with all that the status asks for. */
export function inStatus(before: Proposal, status: Status, overrides: Partial<ProposalCore> = {}): Proposal {
  const core: ProposalCore = { ...coreOf(before), revision: before.revision + 1, ...overrides }
  const at = core.updatedAt
  const reason = parseReasonCode('sample_reason', '')
  switch (status) {
    case 'awaiting_approval':
    case 'approved':
      return { ...core, status }
    case 'executing':
    case 'verification_pending':
      return { ...core, status, attempt: 1 }
    case 'failed_unknown':
      return { ...core, status, attempt: 1, reason }
    case 'verification_unresolved':
      return { ...core, status, reason }
    case 'verified':
      return { ...core, status, settledAt: at }
    case 'failed_known':
    case 'closed_unknown':
      return { ...core, status, reason, settledAt: at }
    case 'rejected':
    case 'expired':
      return { ...core, status, closedAt: at }
    case 'withdrawn':
      return { ...core, status, reason, closedAt: at }
    case 'stale':
      return { ...core, status, reason, driftPaths: ['/amount', '/orderVersion'], replacedBy: null, closedAt: at }
    case 'superseded':
      return { ...core, status, supersededBy: reference('01SAMPLEWINNER'), closedAt: at }
  }
}

// Without what only some statuses have.
function coreOf(proposal: Proposal): ProposalCore {
  const { attempt: _1, reason: _2, driftPaths: _3, replacedBy: _4, ...rest } = { ...NO_FIELDS, ...proposal }
  const { supersededBy: _5, settledAt: _6, closedAt: _7, status: _8, ...core } = rest
  return core
}

const NO_FIELDS = {
  attempt: null,
  reason: null,
  driftPaths: null,
  replacedBy: null,
  supersededBy: null,
  settledAt: null,
  closedAt: null,
}
