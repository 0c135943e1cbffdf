// What is wrong with a chain of receipts: its integrity, and apart from it whether it tells a possible story.
import { CanonicalJsonError } from '../../effect/canonical-json.ts'
import { type ChainHead, FIRST_HASH, receiptHash } from './receipt-chain.ts'
import type { Receipt, ReceiptBody } from './receipt.ts'
import { mayMove, STATUSES } from '../status.ts'

/** What shows that receipts were altered, added, moved or taken away. */
export type IntegrityProblem =
  | 'empty'
  | 'foreign'
  | 'order'
  | 'gap'
  | 'link_broken'
  | 'body_missing'
  | 'hash_differs'
  | 'head_differs'

/** What an untouched chain cannot say by the rules of the lifecycle: a fault of whoever wrote it. */
export type ConsistencyProblem = 'not_prepared_first' | 'action_changed' | 'time_goes_back' | 'transition_not_in_table'

/** A problem, and the sequence of the receipt that shows it. */
export interface ReceiptProblem<P extends string> {
  readonly sequence: number
  readonly problem: P
}

/** The two judgements apart: an intact chain can tell something impossible, and a possible story can be forged. */
export interface ReceiptsCheck {
  readonly intact: boolean
  readonly consistent: boolean
  readonly integrity: readonly ReceiptProblem<IntegrityProblem>[]
  readonly consistency: readonly ReceiptProblem<ConsistencyProblem>[]
}

/**
 * Checks a chain from its first receipt on. Without the salt, which goes with the content at erasure, only the links can
 * be checked. That receipts are missing at the end shows only against `expectedHead`, which somebody kept elsewhere: a
 * chain that was cut there is a chain. The story is judged on the bodies that are there. Spec: lifecycle 10.
 */
export function verifyReceipts(
  receipts: readonly Receipt[],
  salt: Uint8Array | null,
  expectedHead?: ChainHead,
): ReceiptsCheck {
  const integrity = [
    ...receipts.flatMap((receipt, index) => linkProblems(receipt, receipts[index - 1], receipts[0])),
    ...(salt === null ? [] : receipts.flatMap((receipt) => contentProblems(receipt, salt))),
    ...endProblems(receipts.at(-1), expectedHead),
  ]
  const consistency = storyProblems(receipts)
  return { intact: integrity.length === 0, consistent: consistency.length === 0, integrity, consistency }
}

type Integrity = ReceiptProblem<IntegrityProblem>
type Consistency = ReceiptProblem<ConsistencyProblem>

function linkProblems(receipt: Receipt, previous: Receipt | undefined, first: Receipt | undefined): Integrity[] {
  const { sequence } = receipt
  const expected = (previous?.sequence ?? 0) + 1
  const problems: IntegrityProblem[] = []
  if (receipt.tenant !== first?.tenant || receipt.proposal !== first.proposal) problems.push('foreign')
  if (sequence < expected) problems.push('order')
  if (sequence > expected) problems.push('gap')
  if (receipt.previousHash !== (previous?.hash ?? FIRST_HASH)) problems.push('link_broken')
  return problems.map((problem) => ({ sequence, problem }))
}

function contentProblems(receipt: Receipt, salt: Uint8Array): Integrity[] {
  const { sequence } = receipt
  if (receipt.body === null) return [{ sequence, problem: 'body_missing' }]
  return hashOrNull(receipt, salt) === receipt.hash ? [] : [{ sequence, problem: 'hash_differs' }]
}

/** Null for what cannot have been hashed: a receipt of a file may hold anything by now. */
function hashOrNull(receipt: Receipt, salt: Uint8Array): string | null {
  try {
    return receiptHash(salt, receipt)
  } catch (error) {
    if (error instanceof CanonicalJsonError) return null
    throw error
  }
}

function endProblems(last: Receipt | undefined, expectedHead: ChainHead | undefined): Integrity[] {
  if (last === undefined) return [{ sequence: 0, problem: 'empty' }]
  const reached =
    expectedHead === undefined || (last.sequence === expectedHead.sequence && last.hash === expectedHead.hash)
  return reached ? [] : [{ sequence: last.sequence, problem: 'head_differs' }]
}

function storyProblems(receipts: readonly Receipt[]): Consistency[] {
  return receipts.flatMap(({ sequence, body }, index) => {
    const previous = receipts[index - 1]
    const told = body === null ? [] : stepProblems(body, previous === undefined ? undefined : previous.body)
    return told.map((problem) => ({ sequence, problem }))
  })
}

/** One step of the story; `previous` is undefined before the first receipt, and null where the content is gone. */
function stepProblems(body: ReceiptBody, previous: ReceiptBody | null | undefined): ConsistencyProblem[] {
  if (previous === null) return []
  if (previous === undefined) {
    const opens =
      body.type === 'proposal.prepared' && (body.status === 'awaiting_approval' || body.status === 'approved')
    return opens ? [] : ['not_prepared_first']
  }
  const problems: ConsistencyProblem[] = []
  if (body.action !== previous.action) problems.push('action_changed')
  if (body.at < previous.at) problems.push('time_goes_back')
  if (!STATUSES.includes(previous.status) || !mayMove(previous.status, body.status))
    problems.push('transition_not_in_table')
  return problems
}
