// The scripts of a simulation: how the next call, read or resolution goes is drawn when it begins.
import type { ProofKind } from '../../src/effect/effect.ts'
import type { Profile } from '../model/payment.ts'
import {
  type CallScript,
  type LookScript,
  type ResolveScript,
  type Scripts,
  SMOOTH,
  type Word,
} from '../model/scripts.ts'
import type { Random } from './random.ts'
import type { Trouble } from './trouble.ts'

const WORDS: readonly Word[] = [
  'accepted',
  'threw',
  'threw',
  'failed_known',
  'definitive',
  'failed_unknown',
  'not_sent',
  'not_sent_after_sending',
  'garbage',
]
const LOOKS = [
  'lagging',
  'unavailable',
  'threw',
  'hanging',
  'slow',
  'garbage',
  'foreign_identity',
  'fact_missing',
  'other_amount',
  'two_matches',
  'reversed',
  'predating',
] as const
const RESOLUTIONS: readonly ResolveScript[] = [
  'threw',
  'hanging',
  'slow',
  'reports_drift',
  'offers_replacement',
  'offers_replacement',
  'offers_nonsense',
  'overtaken',
]

export class DrawnScripts implements Scripts {
  readonly #random: Random
  readonly #trouble: Trouble
  readonly #proofs: readonly ProofKind[]

  constructor(random: Random, trouble: Trouble, { failure, resend }: Profile) {
    this.#random = random
    this.#trouble = trouble
    this.#proofs = [...failure, ...resend]
  }

  get call(): CallScript {
    const random = this.#random
    if (!this.#trouble.strikes('call odd')) return SMOOTH
    if (random.chance(0.3)) return { ...SMOOTH, says: 'threw', landsAfterMs: random.chance(0.5) ? 0 : null }
    if (random.chance(0.3)) return { ...SMOOTH, says: 'threw', landsAfterMs: random.pick([10_000, 45_000, 70_000]) }
    return {
      landsAfterMs: random.pick([0, 0, 10_000, 45_000, 70_000, 200_000, null, null]),
      says: random.pick(WORDS),
      saysAfterMs: random.pick([0, 10_000, 19_999, 20_000, 30_000, 60_000, 120_000, null]),
      heedsSignal: random.chance(0.5),
      isSentTwice: random.chance(0.2),
    }
  }

  get look(): LookScript {
    const random = this.#random
    if (this.#trouble.strikes('look lies')) return { kind: random.pick(['false_completion', 'false_terminal']) }
    if (this.#trouble.strikes('look odd')) return { kind: random.pick(LOOKS) }
    if (random.chance(0.2)) return { kind: 'provisional' }
    if (random.chance(0.1)) return { kind: 'terminal_failure' }
    return { kind: 'final', proof: random.pick(this.#proofs) }
  }

  get resolve(): ResolveScript {
    return this.#trouble.strikes('resolve odd') ? this.#random.pick(RESOLUTIONS) : 'honest'
  }

  get acknowledges(): boolean {
    return this.#trouble.isOver || this.#random.chance(0.8)
  }
}
