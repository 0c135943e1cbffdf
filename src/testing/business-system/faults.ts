// The faults of the business system: those of the fault model that a server with books of its own can be told to have.
//
// The fault model stands in `../faults.ts`, and a fault has the same name and effect there and here; over HTTP a time-out
// is a connection that breaks. What the books cannot show is left to the provider in the process of the test: an effect
// that fails after acceptance or is undone, a key that is forgotten, answers about somebody else.
//
// What the books say never goes wrong, so that a test can rest on it. A booking is whole or absent, durable once
// committed, made against the versions that it states in its own transaction, and counted; a read of business state is
// current. `drop_before_commit` leaves its key finished without effect, which is all that is remembered of the request.
import type { FaultName } from '../faults.ts'
import { answer, problem, type Reply } from './reply.ts'
import type { LookUp } from './wire.ts'

/** The names of the faults, as `_faults` takes them. Spec: http "countersign serve", harness 2. */
export type BusinessFaultName = Extract<
  FaultName,
  | 'refuse_before_commit'
  | 'drop_before_commit'
  | 'commit_then_drop'
  | 'commit_then_error'
  | 'commit_then_error_inside'
  | 'hang'
  | 'late_landing'
  | 'double_effect'
  | 'stored_error'
  | 'rate_limited'
  | 'too_early'
  | 'key_in_use'
  | 'stale_reads'
  | 'unavailable'
  | 'read_hangs'
  | 'replica_disagrees'
>

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
  /** Forgets the request, and remembers its key as finished without effect. */
  finishWithoutEffect(): void
  /** Lets it arrive once somebody has looked for it. */
  landLater(): void
}

/** A look-up by key, in the hands of a fault. */
export interface LookUpAtHand {
  /** Answers that nothing was ever seen: as of before, or as if that were up to date. */
  nothingSeen(state: LookUp['state']): Reply
}

type PostingFault = (posting: PostingAtHand) => Reply
type LookUpFault = (lookUp: LookUpAtHand) => Reply

/** A fault meets postings or look-ups: it has the one function that takes the place of what would have been done. */
interface Fault {
  readonly posting?: PostingFault
  readonly lookUp?: LookUpFault
}

const faults: Readonly<Record<BusinessFaultName, Fault>> = {
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

export function isFaultName(name: string): name is BusinessFaultName {
  return Object.hasOwn(faults, name)
}

/** The faults that wait for their requests, first come, first used. They are kept in memory: a restart clears them. */
export class FaultQueue {
  readonly #waiting: Fault[] = []

  /** Lets the fault meet the next `count` requests of its kind, after those that wait already. */
  add(name: BusinessFaultName, count: number): void {
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
