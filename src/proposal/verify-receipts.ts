// What is wrong with a chain of receipts: its integrity, and apart from it whether it tells a possible story.
import type { ChainHead } from './receipt-chain.ts'
import type { Receipt } from './receipt.ts'

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

/** A problem and the sequence of the receipt that shows it. */
export interface ReceiptProblem<P = IntegrityProblem | ConsistencyProblem> {
  readonly sequence: number
  readonly problem: P
}

/** The two judgements, apart: a chain can be intact and yet tell something impossible, and the other way round. */
export interface ReceiptsCheck {
  readonly intact: boolean
  readonly consistent: boolean
  readonly integrity: readonly ReceiptProblem<IntegrityProblem>[]
  readonly consistency: readonly ReceiptProblem<ConsistencyProblem>[]
}

/**
 * Checks a chain, given from its first receipt on. Without the salt (it is erased with the content) only the links can be
 * checked. That receipts are missing at the end shows only against `expectedHead`, kept elsewhere. Spec: lifecycle 10.
 */
export function verifyReceipts(
  receipts: readonly Receipt[],
  salt: Uint8Array | null,
  expectedHead?: ChainHead,
): ReceiptsCheck {
  throw new TypeError(String([receipts, salt, expectedHead]))
}
