// The scripts of a fake target: when a request lands, what its caller hears and when, and what a read answers.
import type { ProofKind } from '../../src/effect/effect.ts'

/** What an executor says at the end. A word of failure that would be a lie in time is thrown as an error instead. */
export type Word =
  | 'accepted'
  | 'threw'
  | 'failed_known'
  | 'definitive'
  | 'failed_unknown'
  | 'not_sent'
  | 'not_sent_after_sending'
  | 'garbage'

/** How a call goes. Milliseconds from its start; null is never. */
export interface CallScript {
  readonly landsAfterMs: number | null
  readonly says: Word
  readonly saysAfterMs: number | null
  /** Whether the executor gives up when its signal fires. */
  readonly heedsSignal: boolean
  /** The network delivers the request once more, a second later. */
  readonly isSentTwice: boolean
}

/** How a read goes; the first three tell the truth as far as they see it. */
export type LookScript =
  | { readonly kind: 'provisional' }
  | { readonly kind: 'final'; readonly proof: ProofKind }
  | { readonly kind: 'terminal_failure' }
  | {
      readonly kind:
        | 'lagging'
        | 'unavailable'
        | 'threw'
        | 'hanging'
        | 'slow'
        | 'garbage'
        | 'foreign_identity'
        | 'fact_missing'
        | 'other_amount'
        | 'two_matches'
        | 'reversed'
        | 'predating'
        | 'false_completion'
        | 'false_terminal'
    }

/** How a resolution goes. */
export type ResolveScript =
  | 'honest'
  | 'threw'
  | 'hanging'
  | 'slow'
  | 'reports_drift'
  | 'offers_replacement'
  | 'offers_nonsense'
  /** Somebody else writes between the resolution and the call. */
  | 'overtaken'

/** What happens around the next calls of the host. */
export interface Scripts {
  call: CallScript
  look: LookScript
  resolve: ResolveScript
  /** Whether the target acknowledges a fence and a cancellation. */
  acknowledges: boolean
}

/** Everything goes well at once. */
export const SMOOTH: CallScript = {
  landsAfterMs: 0,
  says: 'accepted',
  saysAfterMs: 0,
  heedsSignal: true,
  isSentTwice: false,
}

export function smoothScripts(): Scripts {
  return { call: SMOOTH, look: { kind: 'provisional' }, resolve: 'honest', acknowledges: true }
}
