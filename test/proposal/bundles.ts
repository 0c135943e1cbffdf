// Evidence bundles for tests: the story of a proposal as a chain, beside the evidence that such a story leaves.
import type { Effect } from '../../src/effect/effect.ts'
import { toBase64Url } from '../../src/effect/hash.ts'
import type { EvidenceBundle } from '../../src/proposal/receipts/evidence-bundle.ts'
import { chainReceipt } from '../../src/proposal/receipts/receipt-chain.ts'
import type { Receipt, ReceiptBody, ReceiptType } from '../../src/proposal/receipts/receipt.ts'
import type { Status } from '../../src/proposal/status.ts'
import { attempt, ending, ref } from '../effect/builders.ts'
import { confirmation, P1 } from './lifecycle/sample.ts'

const TENANT = ref('tenant-1')
const ACTION = 'example.payments/refund@1'
/** The salt of the samples' receipts. */
export const salt: Uint8Array = new Uint8Array(32).fill(7)

/** One receipt of a story: what it says, which status follows, and of which attempt. */
export type Step = readonly [type: ReceiptType, status: Status, attempt?: number]

/** The story of a refund that is accepted and then found. */
export const verifiedStory: readonly Step[] = [
  ['proposal.prepared', 'awaiting_approval'],
  ['approval.approved', 'approved'],
  ['execution.started', 'executing', 1],
  ['execution.accepted', 'verification_pending', 1],
  ['verification.verified_completion', 'verified', 1],
]

/** Its one attempt, confirmed. */
export const confirmed: Pick<Effect, 'attempts' | 'observations'> = {
  attempts: [attempt({ ending: ending('accepted') })],
  observations: [confirmation()],
}

/** A chain that tells the story. */
export function chainOf(
  story: readonly Step[],
  under: Uint8Array = salt,
  proposal: Receipt['proposal'] = P1,
): Receipt[] {
  const chain: Receipt[] = []
  for (const [index, step] of story.entries()) {
    chain.push(
      chainReceipt(under, chain.at(-1) ?? null, { tenant: TENANT, proposal, body: bodyOf(step, 1_000 + index) }),
    )
  }
  return chain
}

/** The bundle of a story and what is known, or one that differs from it in some fields. */
export function bundle(
  story: readonly Step[] = verifiedStory,
  known: Partial<Pick<Effect, 'attempts' | 'observations' | 'settlement'>> = confirmed,
  fields: Partial<EvidenceBundle> = {},
): EvidenceBundle {
  const receipts = fields.receipts ?? chainOf(story)
  return {
    format: 'countersign/evidence/v1',
    tenant: TENANT,
    proposal: P1,
    action: ACTION,
    effect: { domain: 'example.payments/refund', reference: 'refund:1' },
    status: story.at(-1)?.[1] ?? 'awaiting_approval',
    revision: story.length - 1,
    receiptSalt: toBase64Url(salt),
    receipts,
    lastHash: receipts.at(-1)?.hash ?? '',
    attempts: (known.attempts ?? []).map(({ token: _token, ...one }, index) => ({ ...one, number: index + 1 })),
    observations: (known.observations ?? []).map((one, index) => ({ ...one, sequence: index + 1 })),
    settlement: known.settlement ?? null,
    exportedAt: 2_000_000,
    ...fields,
  }
}

/** The bundle after erasure: no salt, and nothing but the links of the chain. */
export function erased(whole: EvidenceBundle): EvidenceBundle {
  return { ...whole, receiptSalt: null, receipts: whole.receipts.map((receipt) => ({ ...receipt, body: null })) }
}

function bodyOf([type, status, attemptNumber]: Step, at: number): ReceiptBody {
  return {
    type,
    at,
    participant: 'user:anna',
    trigger: 'user:anna',
    action: ACTION,
    status,
    attempt: attemptNumber ?? null,
    reason: null,
    externalReference: null,
    detail: [],
    runtimeVersion: '1.0.0',
  }
}
