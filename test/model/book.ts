// The book of a model run: everything that became durable and everything that the host was asked, in one order.
import type { Effect, Observation } from '../../src/effect/effect.ts'
import type { Execute, Resolved, Verified, Verify } from '../../src/proposal/action.ts'
import type { Approval } from '../../src/proposal/approval.ts'
import type { Proposal } from '../../src/proposal/proposal.ts'
import type { Receipt } from '../../src/proposal/receipts/receipt.ts'
import type { Tombstone } from '../../src/proposal/tombstone.ts'
import type { Change, EffectWrite } from '../../src/runtime/ports.ts'
import { nameOf } from './effect-name.ts'
import type { Payment } from './payment.ts'
import { withIdentity } from './tampering.ts'

/** A proposal as the changes told it. */
export interface Held {
  readonly proposal: Proposal
  readonly approvals: readonly Approval[]
  /** With their bodies, also after erasure. */
  readonly receipts: readonly Receipt[]
  readonly tombstone: Tombstone | null
}

/** A change that landed. */
export interface Committed {
  readonly kind: 'committed'
  readonly order: number
  readonly at: number
  /** The monotonic time when the store was asked. */
  readonly beganMs: number
  readonly change: Change
  /** What the change wrote to, as it was before. */
  readonly before: { readonly proposals: ReadonlyMap<string, Held>; readonly effect: Effect | null }
  readonly after: { readonly effect: Effect | null }
  /** Who had lost the right to decide when the store was asked. */
  readonly barred: ReadonlySet<string>
  /** When the runtime was told that it had landed; null if it never was. */
  acknowledged: number | null
}

/** How an executor ended. */
export interface CallEnd {
  readonly order: number
  readonly atMs: number
  /** The typed word that it gave; null for anything else. */
  readonly word: 'accepted' | 'stale_no_effect' | 'failed_known' | 'failed_unknown' | 'not_sent' | null
}

/** A call of the executor, and what was durable when it was entered. */
export interface Called {
  readonly kind: 'called'
  readonly order: number
  readonly at: number
  readonly atMs: number
  readonly input: Execute<Payment>
  readonly action: string
  readonly held: Held
  readonly effect: Effect | null
  readonly instance: number
  hasMarkedSending: boolean
  ended: CallEnd | null
}

/** A read of the verifier. */
export interface Looked {
  readonly kind: 'looked'
  readonly order: number
  readonly at: number
  /** Whether what it looked into was in doubt; otherwise it was looked at once more before another attempt. */
  readonly isInDoubt: boolean
  readonly input: Verify<Payment>
  readonly action: string
  readonly instance: number
  ended: { readonly order: number; readonly answer: Verified<Payment> | null } | null
}

/** A resolution of the present state of the business. */
export interface ResolvedState {
  readonly kind: 'resolved'
  readonly order: number
  readonly proposal: string
  ended: { readonly order: number; readonly answer: Resolved<Payment> } | null
}

/** What an operation told its caller of a proposal. */
export interface Answered {
  readonly kind: 'answered'
  readonly order: number
  readonly operation: string
  readonly proposal: string
  readonly status: string
  readonly revision: number
}

export type Entry = Committed | Called | Looked | ResolvedState | Answered

/** Whatever was written by a change, put together by nobody else's code than this. */
export class Book {
  readonly entries: Entry[] = []
  readonly proposals = new Map<string, Held>()
  readonly effects = new Map<string, Effect>()
  readonly #changes = new Map<string, Committed>()
  readonly #skewMs: number
  #order = 0

  /** The clocks of the processes that write into it are at most so far from the store's. */
  constructor(skewMs = 0) {
    this.#skewMs = skewMs
  }

  /** Whether a read may be the one that is on record as made between these instants of the store's clock. */
  mayBe({ at }: Looked, { beganAt, endedAt }: Pick<Observation, 'beganAt' | 'endedAt'>): boolean {
    return at >= beganAt - this.#skewMs && at <= endedAt + this.#skewMs
  }

  next(): number {
    this.#order += 1
    return this.#order
  }

  /** Adds what was seen of the host; its order is that of its beginning. */
  add<E extends Exclude<Entry, Committed>>(entry: E): E {
    this.entries.push(entry)
    return entry
  }

  /** Takes a change that landed into the book; one that had landed before is in it. */
  commit(change: Change, at: Pick<Committed, 'at' | 'beganMs' | 'barred'>): Committed {
    const known = this.#changes.get(change.changeId)
    if (known !== undefined) return known
    const refs = change.proposals.map((write) => (write.kind === 'erase' ? write.tombstone.ref : write.proposal.ref))
    const found = refs.map((ref) => [ref, this.proposals.get(ref)] as const)
    const effect = change.effect === null ? null : (this.effects.get(nameOf(change.effect.row.key)) ?? null)
    const before = {
      proposals: new Map(found.flatMap(([ref, held]) => (held === undefined ? [] : [[ref, held]]))),
      effect,
    }
    for (const write of change.proposals) this.#write(change, write)
    const after = change.effect === null ? null : grown(effect, change.effect)
    if (after !== null) this.effects.set(nameOf(after.key), after)
    const entry: Committed = {
      ...at,
      kind: 'committed',
      order: this.next(),
      change,
      before,
      after: { effect: after },
      acknowledged: null,
    }
    this.entries.push(entry)
    this.#changes.set(change.changeId, entry)
    return entry
  }

  /** Takes in what somebody did to an effect behind the store's back. */
  overwrite(effect: Effect): void {
    this.effects.set(nameOf(effect.key), effect)
  }

  // Once every proposal behind an effect is erased, its settlement names nobody any more (policy-and-protection 5).
  #forgetOperators(effect: Effect): void {
    const { settlement, attempts, version } = effect
    const isErased = attempts.every(({ proposal }) => this.proposals.get(proposal ?? '')?.tombstone !== null)
    if (settlement === null || settlement.by === 'erased' || !isErased) return
    const secondOperator = settlement.secondOperator === null ? null : 'erased'
    this.overwrite({ ...effect, version: version + 1, settlement: { ...settlement, by: 'erased', secondOperator } })
  }

  #write(change: Change, write: Change['proposals'][number]): void {
    if (write.kind === 'erase') {
      const held = this.proposals.get(write.tombstone.ref)
      if (held === undefined) throw new Error('nothing is erased that was never there')
      const receipts = [...held.receipts, ...change.receipts.filter(({ proposal }) => proposal === write.tombstone.ref)]
      this.proposals.set(write.tombstone.ref, { ...held, receipts, tombstone: write.tombstone })
      for (const effect of this.effects.values()) this.#forgetOperators(effect)
      return
    }
    const { proposal } = write
    const held = this.proposals.get(proposal.ref)
    const receipts = change.receipts.filter((receipt) => receipt.proposal === proposal.ref)
    this.proposals.set(proposal.ref, {
      // What a proposal is from its creation on is written once; a later write may repeat what an attacker put there.
      proposal: held === undefined ? proposal : withIdentity(proposal, held.proposal),
      approvals: decided(held?.approvals ?? [], change, proposal.ref),
      receipts: [...(held?.receipts ?? []), ...receipts],
      tombstone: null,
    })
  }
}

function decided(before: readonly Approval[], change: Change, ref: string): readonly Approval[] {
  const approvals = [...before]
  for (const write of change.approvals) {
    if (write.proposal !== ref) continue
    if (write.kind === 'decided') approvals.push(write.approval)
    const index = approvals.findIndex(({ approvalId }) => write.kind === 'revoked' && approvalId === write.approvalId)
    const revoked = approvals[index]
    if (write.kind === 'revoked' && revoked !== undefined) {
      approvals[index] = { ...revoked, revokedAt: write.revokedAt }
    }
  }
  return approvals
}

function grown(before: Effect | null, { row, opened, ended, observed }: EffectWrite): Effect {
  const attempts = (before?.attempts ?? []).map((attempt) => {
    return attempt.number === ended?.number ? { ...attempt, ending: ended.ending } : attempt
  })
  const observations: readonly Observation[] = before?.observations ?? []
  return {
    ...row,
    attempts: opened === null ? attempts : [...attempts, opened],
    observations: observed === null ? observations : [...observations, observed.observation],
  }
}
