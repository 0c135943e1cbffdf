// One exchange: a case as it was sent, what came back, and what the store held before and after.
import type { AnswerFault } from '../validated-app.ts'
import type { Received } from '../world.ts'
import type { Case } from './cases.ts'
import type { Mood } from './moods.ts'
import type { Stock, Stocked } from './stock.ts'

/** What was sent, holes filled. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | null
  /** Every text that stands somewhere in it. */
  readonly texts: readonly string[]
}

export interface Exchange {
  readonly asked: Case
  readonly mood: Mood
  readonly sent: Sent
  readonly answer: Received
  /** What of the answer the document does not allow. */
  readonly faults: readonly AnswerFault[]
  readonly before: Stock
  readonly after: Stock
  /** The proposal that the path names; null where it names none that exists. */
  readonly about: Stocked | null
  /** The orders of proposals that are erased by now. */
  readonly erasedOrders: readonly string[]
  /** What the same request about no proposal at all was answered, where it was about one of another tenant. */
  readonly twin: Received | null
  /** What reading what was just prepared or erased answered; null where nothing was. */
  readonly readBack: Received | null
}
