// The faults of the business system, and with them the fault model: what may go wrong, and what never does.
//
// A fault stands for something that a runtime must survive, because no host can keep it from happening:
//
// - The answer is lost after the effect: the caller sees a broken connection (`commit_then_drop`) or waits in vain
//   (`hang`), and the money has moved.
// - The request is lost before the effect: the caller sees the very same broken connection (`drop_before_commit`), and
//   the money has not moved and never will by this request, which is all that the business system remembers of it.
// - The request arrives after the caller has given it up (`late_landing`): the connection breaks as well, a look-up finds
//   nothing, and only then the money moves.
// - The request is declined in so many words (`refuse_before_commit`): nothing has moved, and the caller is told.
// - The business system itself moves the money twice under one key (`double_effect`), and answers as if all were well.
// - The look-up lags behind the books (`stale_reads`): it answers in good health, from before, that there is nothing.
//
// What never goes wrong, so that a test can rest on it: what the books say. A booking is whole or absent, durable once
// committed, made against the versions that it states in its own transaction, and counted; a read of business state is current; a
// fault is used up by the request that it meets and by no other. A request that would not move money (a refusal, a
// replay of a key that is booked) is met by none.
import type { Reply } from './reply.ts'
import type { KnownRequest } from './wire.ts'

/** The names of the faults, as `_faults` takes them. Spec: http "countersign serve", harness 2. */
export type FaultName =
  | 'commit_then_drop'
  | 'drop_before_commit'
  | 'refuse_before_commit'
  | 'hang'
  | 'late_landing'
  | 'double_effect'
  | 'stale_reads'

/** A request that would move money, in the hands of a fault. Each act is part of the transaction of the request. */
export interface PostingAtHand {
  /** Books it, and answers what the caller would be told. */
  book(): Reply
  /** Books it, and then once more under the same key. */
  bookTwice(): Reply
  /** Declines it, and answers so. */
  decline(): Reply
  /** Forgets the request, and remembers its key as finished without effect. */
  finishWithoutEffect(): void
  /** Lets it arrive once somebody has looked for it. */
  landLater(): void
}

/** The answer of a look-up that lags, whatever was looked up: nothing was found. */
export interface StaleAnswer {
  readonly state: 'provisional'
  readonly requests: readonly KnownRequest[]
}

type PostingFault = (posting: PostingAtHand) => Reply
type LookUpFault = (idempotencyKeys: readonly string[]) => StaleAnswer

/** A fault meets postings or look-ups: it has the one function that takes the place of what would have been done. */
interface Fault {
  readonly posting?: PostingFault
  readonly lookUp?: LookUpFault
}

const faults: Readonly<Record<FaultName, Fault>> = {
  commit_then_drop: {
    posting: (posting) => {
      posting.book()
      return { kind: 'drop' }
    },
  },
  drop_before_commit: {
    posting: (posting) => {
      posting.finishWithoutEffect()
      return { kind: 'drop' }
    },
  },
  refuse_before_commit: {
    posting: (posting) => posting.decline(),
  },
  late_landing: {
    posting: (posting) => {
      posting.landLater()
      return { kind: 'drop' }
    },
  },
  double_effect: {
    posting: (posting) => posting.bookTwice(),
  },
  hang: {
    posting: (posting) => {
      posting.book()
      return { kind: 'silence' }
    },
  },
  stale_reads: {
    lookUp: (idempotencyKeys) => ({
      state: 'provisional',
      requests: idempotencyKeys.map((idempotencyKey) => ({ idempotencyKey, state: 'never_seen' })),
    }),
  },
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name)
}

/** The faults that wait for their requests, first come, first used. They are kept in memory: a restart clears them. */
export class FaultQueue {
  readonly #waiting: Fault[] = []

  /** Lets the fault meet the next `count` requests of its kind, after those that wait already. */
  add(name: FaultName, count: number): void {
    for (let added = 0; added < count; added += 1) this.#waiting.push(faults[name])
  }

  /** The fault that meets this request that would move money, used up by being asked for. */
  takeForPosting(): PostingFault | null {
    return this.#take((fault) => fault.posting)
  }

  /** The fault that meets this look-up by key, used up by being asked for. */
  takeForLookUp(): LookUpFault | null {
    return this.#take((fault) => fault.lookUp)
  }

  #take<Meeting>(meetingOf: (fault: Fault) => Meeting | undefined): Meeting | null {
    for (const [index, fault] of this.#waiting.entries()) {
      const meeting = meetingOf(fault)
      if (meeting === undefined) continue
      this.#waiting.splice(index, 1)
      return meeting
    }
    return null
  }
}
