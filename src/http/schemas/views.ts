// What readers are shown: a proposal, its tombstone, and the lines of a list.
import { z } from 'zod'
import {
  anyJson,
  attention,
  count,
  evidenceSummary,
  instant,
  nextStep,
  principal,
  reasonCode,
  reference,
  status,
} from './common.ts'
import { component } from './components.ts'
import { amountCondition, approverSource } from './policies.ts'

const approvalView = component(
  'ApprovalView',
  'One decision.',
  z.strictObject({
    approvalId: reference,
    decision: z.enum(['approve', 'reject']),
    approver: principal,
    decidedAt: instant,
    expiresAt: instant,
    revokedAt: instant.nullable(),
    comment: z.string().nullable(),
  }),
)

const requirementExplanation = component(
  'RequirementExplanation',
  'One requirement of the policy: whether it is met, by whom, and who could still meet it.',
  z.strictObject({
    name: z.string(),
    count,
    state: z.enum(['met', 'missing', 'does_not_apply']),
    when: amountCondition.nullable(),
    approvedBy: z.array(z.string()),
    missing: count,
    couldGive: z.array(z.strictObject({ requirement: z.string(), from: approverSource })),
    sentence: z.string(),
  }),
)

const policyExplanation = component(
  'PolicyExplanation',
  'The policy of a proposal, explained to a person.',
  z.strictObject({
    met: z.boolean(),
    validUntil: instant.nullable(),
    noApproval: z.string().nullable(),
    requirements: z.array(requirementExplanation),
    excluded: z.array(
      z.strictObject({
        principal: z.string(),
        because: z.enum(['requester', 'agent', 'agent_owner', 'replaced_requester']),
      }),
    ),
    switchedOff: z.array(z.strictObject({ exclusion: z.enum(['requester', 'agent_owner']), reason: z.string() })),
    assurance: z.array(z.string()),
    sentences: z.array(z.string()),
  }),
)

const drift = component(
  'Drift',
  'One field that differs; `before` or `after` is absent where there was, or is, nothing.',
  z.strictObject({ path: z.string(), before: z.exactOptional(z.unknown()), after: z.exactOptional(z.unknown()) }),
)

const proposalView = component(
  'ProposalView',
  'A proposal as a reader sees it.',
  z.strictObject({
    kind: z.literal('proposal'),
    proposal: reference,
    action: z.string(),
    status,
    revision: count,
    requester: principal,
    agent: principal.nullable(),
    agentOwner: principal.nullable(),
    subject: reference.nullable(),
    effectReference: reference,
    commitment: z.string().describe('Names exactly what is shown here; an approval must repeat it.'),
    createdAt: instant,
    expiresAt: instant,
    preview: anyJson.describe('What would happen; null while it cannot be opened or is not what was committed to.'),
    contentAvailable: z.boolean(),
    policy: policyExplanation,
    approvals: z.array(approvalView),
    evidence: evidenceSummary.nullable(),
    attention: z.array(attention),
    nextStep,
    waitUntil: instant.nullable(),
    related: z.array(z.strictObject({ proposal: reference, action: z.string(), status, sameEffect: z.boolean() })),
    replaces: reference.nullable(),
    replacedBy: reference.nullable(),
    supersededBy: reference.nullable(),
    driftPaths: z.array(z.string()),
    changedSinceReplaced: z.array(drift),
    blockedBy: reasonCode.nullable(),
    result: anyJson,
    erasure: z.enum(['none', 'requested', 'pending', 'erased']),
    receipts: z
      .strictObject({ count, lastHash: z.string() })
      .describe('How long the chain of receipts is, and its last hash.'),
  }),
)

const tombstone = component(
  'Tombstone',
  'What is kept of an erased proposal.',
  z.strictObject({
    tenant: reference,
    ref: reference,
    action: z.string(),
    effect: z.strictObject({ tenant: reference, domain: z.string(), reference }),
    status,
    evidence: z.enum(['CONFIRMED', 'FAILED', 'UNKNOWN']).nullable(),
    attemptCount: count,
    createdAt: instant,
    expiresAt: instant,
    settledAt: instant.nullable(),
    metRequirements: z.array(z.string()),
    replacedBy: reference.nullable(),
    supersededBy: reference.nullable(),
    revision: count,
    erasedAt: instant,
    reason: reasonCode,
    receiptCount: count,
    lastHash: z.string(),
  }),
)

const erasedView = component(
  'ErasedView',
  'What is left of an erased proposal; its evidence is that of the effect by now.',
  z.strictObject({
    kind: z.literal('erased'),
    tombstone,
    evidence: evidenceSummary.nullable(),
    attention: z.array(attention),
  }),
)

export const anyView = z.discriminatedUnion('kind', [proposalView, erasedView])

const listItem = component(
  'ListItem',
  'One line of a list: references, codes and times.',
  z.strictObject({
    proposal: reference,
    action: z.string(),
    status,
    revision: count,
    requester: principal,
    agent: principal.nullable(),
    subject: reference.nullable(),
    createdAt: instant,
    expiresAt: instant,
    attention: z.array(attention),
  }),
)

export const listPage = component(
  'ListPage',
  'A page, newest first. It can be shorter than its limit and still have a next one.',
  z.strictObject({ items: z.array(listItem), next: z.string().nullable() }),
)
