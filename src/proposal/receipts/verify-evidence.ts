// Checking a bundle without the store: whether its chain is whole, whether it tells a possible story, and what it shows.
import { type EffectEvidence, evidenceOf, mayHaveOccurred } from '../../effect/effect-evidence.ts'
import { type EvidenceBundle, type MalformedBundle, parseBundle, saltOf } from './evidence-bundle.ts'
import type { ChainHead } from './receipt-chain.ts'
import type { Status } from '../status.ts'
import {
  type ConsistencyProblem,
  type IntegrityProblem,
  type ReceiptProblem,
  verifyReceipts,
} from './verify-receipts.ts'

/** Beside what shows in the chain alone: the salt was taken away, so that altered receipts would not show. */
export type BundleIntegrityProblem = IntegrityProblem | 'salt_missing'

/** Beside what shows in the chain alone: the rest of the bundle says something else than the chain. */
export type BundleConsistencyProblem =
  | ConsistencyProblem
  | 'status_differs'
  | 'action_differs'
  | 'attempts_differ'
  | 'evidence_not_numbered'

/** What a bundle shows, in three parts that do not stand for each other. Spec: lifecycle 10. */
export interface EvidenceReport {
  readonly kind: 'checked'
  /** Whether every receipt is what was chained, and none is missing. Of an erased proposal only the links are left. */
  readonly integrity: {
    readonly holds: boolean
    readonly checked: 'contents' | 'links'
    readonly problems: readonly ReceiptProblem<BundleIntegrityProblem>[]
  }
  /** Whether the receipts are a path through the lifecycle that ends where the bundle says. */
  readonly consistency: {
    readonly holds: boolean
    readonly problems: readonly ReceiptProblem<BundleConsistencyProblem>[]
  }
  /** What attempts, observations and settlement say, and whether the status says the same. */
  readonly outcome: Pick<EffectEvidence, 'conflict' | 'duplicatePossible' | 'settled'> & {
    /** Null where the proposal made no attempt. */
    readonly evidence: EffectEvidence['status']
    readonly statusAgrees: boolean
  }
}

/**
 * Checks a bundle offline. The evidence is folded anew; nothing in the bundle is believed because it says so. A problem
 * names the receipt that shows it, 0 for the bundle itself.
 *
 * Whoever can change a bundle can also chain it anew, salt and all. That shows only against `expectedHead`, the sequence
 * and hash of a receipt that somebody kept elsewhere, or in evidence that does not fit the story. Spec: lifecycle 10.
 */
export function verifyEvidence(bundle: unknown, expectedHead?: ChainHead): EvidenceReport | MalformedBundle {
  const parsed = parseBundle(bundle)
  if (parsed.kind === 'malformed') return parsed
  return checked(parsed.bundle, expectedHead)
}

function checked(bundle: EvidenceBundle, expectedHead: ChainHead | undefined): EvidenceReport {
  const salt = saltOf(bundle)
  const head = { sequence: bundle.revision + 1, hash: bundle.lastHash }
  const chain = verifyReceipts(bundle.receipts, salt, head)
  const integrity = [...chain.integrity, ...foreignReceipts(bundle), ...wholeProblems(bundle, expectedHead)]
  const consistency = [...chain.consistency, ...storyProblems(bundle)]
  return {
    kind: 'checked',
    integrity: {
      holds: integrity.length === 0,
      checked: salt === null ? 'links' : 'contents',
      problems: integrity,
    },
    consistency: { holds: consistency.length === 0, problems: consistency },
    outcome: outcomeOf(bundle),
  }
}

// A chain of another proposal is whole in itself.
function foreignReceipts({ tenant, proposal, receipts }: EvidenceBundle): ReceiptProblem<BundleIntegrityProblem>[] {
  const [first] = receipts
  if (first === undefined || (first.tenant === tenant && first.proposal === proposal)) return []
  return [{ sequence: first.sequence, problem: 'foreign' }]
}

function wholeProblems(
  { receiptSalt, receipts }: EvidenceBundle,
  expectedHead: ChainHead | undefined,
): ReceiptProblem<BundleIntegrityProblem>[] {
  const problems: ReceiptProblem<BundleIntegrityProblem>[] = []
  // Content and salt are erased together.
  if (receiptSalt === null && receipts.some(({ body }) => body !== null)) {
    problems.push({ sequence: 0, problem: 'salt_missing' })
  }
  const isPassed = receipts.some(({ sequence, hash }) => {
    return sequence === expectedHead?.sequence && hash === expectedHead.hash
  })
  if (expectedHead !== undefined && !isPassed)
    problems.push({ sequence: expectedHead.sequence, problem: 'head_differs' })
  return problems
}

function storyProblems(bundle: EvidenceBundle): ReceiptProblem<BundleConsistencyProblem>[] {
  const problems: BundleConsistencyProblem[] = []
  const last = bundle.receipts.at(-1)?.body ?? null
  if (last !== null && last.status !== bundle.status) problems.push('status_differs')
  if (last !== null && last.action !== bundle.action) problems.push('action_differs')
  if (last !== null && startedByReceipts(bundle).join() !== startedByAttempts(bundle).join()) {
    problems.push('attempts_differ')
  }
  if (!isNumbered(bundle)) problems.push('evidence_not_numbered')
  return problems.map((problem) => ({ sequence: 0, problem }))
}

function startedByReceipts({ receipts }: EvidenceBundle): readonly (number | null)[] {
  return receipts.flatMap(({ body }) => (body?.type === 'execution.started' ? [body.attempt] : []))
}

function startedByAttempts({ proposal, attempts }: EvidenceBundle): readonly number[] {
  return attempts.filter((attempt) => attempt.proposal === proposal).map(({ number }) => number)
}

/** Whether attempts, observations and settlement are as a store keeps them; only then can they be folded. */
function isNumbered({ attempts, observations, settlement }: EvidenceBundle): boolean {
  return (
    attempts.every(({ number }, index) => number === index + 1) &&
    observations.every(({ sequence, covers: { from, to } }, index) => {
      return sequence === index + 1 && from <= to + 1 && to <= attempts.length
    }) &&
    (settlement === null ||
      (settlement.upToAttempt <= attempts.length && settlement.upToSequence <= observations.length))
  )
}

function outcomeOf(bundle: EvidenceBundle): EvidenceReport['outcome'] {
  // What no store ever holds says nothing.
  if (!isNumbered(bundle)) {
    return { evidence: null, conflict: false, duplicatePossible: false, settled: null, statusAgrees: false }
  }
  const known = evidenceOf(bundle)
  const { status: evidence, conflict, duplicatePossible, settled } = known
  const own = bundle.attempts.filter((attempt) => attempt.proposal === bundle.proposal)
  const didNothing = !conflict && !own.some((attempt) => mayHaveOccurred(bundle, attempt))
  return { evidence, conflict, duplicatePossible, settled, statusAgrees: agrees(bundle.status, known, didNothing) }
}

/** Whether the status says what is known; of its own attempts alone where it says that nothing was done. */
function agrees(status: Status, { status: evidence, settled }: EffectEvidence, didNothing: boolean): boolean {
  switch (status) {
    case 'verified':
      return evidence === 'CONFIRMED'
    case 'superseded':
      return evidence === 'CONFIRMED' || evidence === null
    case 'failed_known':
      return evidence !== null && didNothing
    case 'closed_unknown':
      return settled === 'closed_unknown'
    case 'awaiting_approval':
    case 'approved':
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
      return didNothing
    case 'executing':
    case 'verification_pending':
    case 'failed_unknown':
      return evidence === 'UNKNOWN'
    case 'verification_unresolved':
      return evidence !== null
  }
}
