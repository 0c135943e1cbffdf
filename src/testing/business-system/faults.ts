// The faults of the business system: every one of the fault model, as a server with books of its own has it.
//
// The fault model stands in `../faults.ts`, and a fault has the same name and effect there and here. Over HTTP a time-out
// is a connection that breaks, and a read that is unsound in any way says `provisional`.
//
// What the books say never goes wrong, so that a test can rest on it. A booking is whole or absent, durable once
// committed, made against the versions that it states in its own transaction, and counted; a read of business state is
// current. `drop_before_commit` leaves its key finished without effect, which is all that is remembered of the request.
import type { FaultName } from '../faults.ts'
import { answer, problem, type Reply } from './reply.ts'
import type { LookUp } from './wire.ts'

/** A request that would move money, in the hands of a fault. Each act is part of the transaction of the request. */
export interface PostingAtHand {
  /** Books it, and answers what the caller would be told. */
  book(): Reply
  /** Books it, and then once more under the same key. */
  bookTwice(): Reply
  /** Declines it, and answers so. */
  decline(): Reply
  /** Books nothing, and answers with an error now and whenever the key comes again. */
  failForGood(): Reply
  /** Answers as if it had been booked, and books nothing. */
  acceptAndFail(): Reply
  /** Books it, and does not know its key any more. */
  bookAndForgetKey(): Reply
  /** Books it, and reverses it once somebody has looked for it. */
  bookAndReverseLater(): Reply
  /** Forgets the request, and remembers its key as finished without effect. */
  finishWithoutEffect(): void
  /** Lets it arrive once somebody has looked for it. */
  landLater(): void
}

/** A look-up by key, in the hands of a fault. */
export interface LookUpAtHand {
  /** Answers that nothing was ever seen: as of before, or as if that were up to date. */
  nothingSeen(state: LookUp['state']): Reply
  /** Answers about the first half of the keys, and calls it provisional. */
  firstPage(): Reply
  /** Answers about every key that begins with one of those that were asked for. */
  byPrefix(): Reply
  /** Answers about a key that nobody asked for. */
  aboutAnother(): Reply
}

type PostingFault = (posting: PostingAtHand) => Reply
type LookUpFault = (lookUp: LookUpAtHand) => Reply

/** A fault meets postings or look-ups: it has the one function that takes the place of what would have been done. */
interface Fault {
  readonly posting?: PostingFault
  readonly lookUp?: LookUpFault
}

const faults: Readonly<Record<FaultName, Fault>> = {
  refuse_before_commit: {
    posting: (posting) => posting.decline(),
  },
  drop_before_commit: {
    posting: (posting) => {
      posting.finishWithoutEffect()
      return { kind: 'drop' }
    },
  },
  commit_then_drop: {
    posting: (posting) => {
      posting.book()
      return { kind: 'drop' }
    },
  },
  commit_then_error: {
    posting: (posting) => {
      posting.book()
      return problem('internal_error')
    },
  },
  commit_then_error_inside: {
    posting: (posting) => {
      posting.book()
      return answer(200, { error: { status: 502, code: 'upstream_failed' } })
    },
  },
  hang: {
    posting: (posting) => {
      posting.book()
      return { kind: 'silence' }
    },
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
  stored_error: {
    posting: (posting) => posting.failForGood(),
  },
  forgotten_key: {
    posting: (posting) => posting.bookAndForgetKey(),
  },
  fail_after_acceptance: {
    posting: (posting) => posting.acceptAndFail(),
  },
  reverse_after_look: {
    posting: (posting) => posting.bookAndReverseLater(),
  },
  rate_limited: {
    posting: () => problem('rate_limited'),
  },
  too_early: {
    posting: () => problem('too_early'),
  },
  key_in_use: {
    posting: () => problem('key_in_use'),
  },
  stale_reads: {
    lookUp: (lookUp) => lookUp.nothingSeen('provisional'),
  },
  unhealthy_absence: {
    lookUp: (lookUp) => lookUp.nothingSeen('provisional'),
  },
  page_break: {
    lookUp: (lookUp) => lookUp.firstPage(),
  },
  prefix_match: {
    lookUp: (lookUp) => lookUp.byPrefix(),
  },
  wrong_identity: {
    lookUp: (lookUp) => lookUp.aboutAnother(),
  },
  unavailable: {
    lookUp: () => problem('unavailable'),
  },
  read_hangs: {
    lookUp: () => ({ kind: 'silence' }),
  },
  replica_disagrees: {
    lookUp: (lookUp) => lookUp.nothingSeen('complete'),
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
