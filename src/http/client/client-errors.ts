// The client's own errors: what keeps an answer from being one. What a server refuses is told by the refusals themselves.
import type { ErasedView, ProposalView } from '../../runtime/read.ts'
import { HttpRefusal } from '../wire/http-refusals.ts'

/** No connection could be made, so nothing was done. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  readonly code = 'unreachable'
  constructor(options?: ErrorOptions) {
    super('The server cannot be reached; nothing was done.', options)
  }
}

/**
 * The request may have been received, and its answer is lost: what was asked for may have been done. `latest` is the
 * proposal as it was read after an execution, which is never sent again by itself; null where nothing was read.
 * `requestKey` is that of a preparation: the same one again finds the proposal, or prepares it.
 */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost'
  readonly code = 'answer_lost'
  readonly latest: ProposalView | ErasedView | null
  readonly requestKey: string | null
  constructor(
    options: {
      readonly latest?: ProposalView | ErasedView | null
      readonly requestKey?: string
      readonly cause?: unknown
    } = {},
  ) {
    super('The answer was lost; read the proposal before doing anything else.', { cause: options.cause })
    this.latest = options.latest ?? null
    this.requestKey = options.requestKey ?? null
  }
}

/** What was received is no answer of this API: a redirect, another form, or another server. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
  readonly code = 'malformed_answer'
  /** The HTTP status. */
  readonly status: number
  constructor(status: number, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.status = status
  }
}

/** The server met a fault of its own or of an action. Whether anything was changed is not known. Status 500. */
export class ServerFault extends HttpRefusal {
  readonly code = 'internal'
  constructor() {
    super('internal')
  }
}
