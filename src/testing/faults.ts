// The faults of providers, and with them the fault model: what may go wrong between a caller and money, and what never does.
//
// A fault stands for something that a caller must survive, because no host can keep it from happening. It meets one
// request, in the order in which the faults were queued, and is used up by it:
//
// - The request is lost before the effect, or refused: nothing has happened, and the caller may or may not be told so.
// - The answer is lost after the effect, or says something else than what happened: money has moved.
// - The effect comes later than the answer, twice, or is undone: what the answer said was true and is not any more.
// - A read is down, behind, cut short, about something else, or from a replica that knows better or less.
//
// Several faults look exactly alike to the caller. That is their point: `drop_before_commit`, `commit_then_drop` and
// `late_landing` are one and the same time-out, with no charge, one charge, and one charge after the next look.
//
// What never goes wrong, so that a test can rest on it: the books themselves and the counters. A charge is whole or
// absent, every request that arrives is counted, whatever becomes of it, and every effect is counted that took place.
// What an adapter says about itself is never counted at all. A request that would move no money (a replay under a known
// key, the same key with another body) is met by no fault. Time is a clock that stands still until it is moved, and
// chance comes from a seed, so that a run repeats itself to the byte.

/** What may happen to a request that would move money. Spec: harness 2, http "countersign serve". */
export type ChargeFaultName =
  /** Refused for certain: no effect, now or later. */
  | 'refuse_before_commit'
  /** Lost before the effect: a time-out, and no effect ever. */
  | 'drop_before_commit'
  /** The effect, then a time-out. */
  | 'commit_then_drop'
  /** The effect, then an answer of status 500. */
  | 'commit_then_error'
  /** The effect, then an answer of status 200 with an error inside. */
  | 'commit_then_error_inside'
  /** The effect, and never an answer. */
  | 'hang'
  /** A time-out; the effect comes right after the next look-up, which still sees nothing. */
  | 'late_landing'
  /** The effect twice, and one answer. */
  | 'double_effect'
  /** No effect, and an answer of status 500 that is stored under the request's key and replayed for ever. */
  | 'stored_error'
  /** The effect, and the key is forgotten at once, as at the end of its lifetime. */
  | 'forgotten_key'
  /** Turned away before anything, with 429, 425 or 409 (the key's first request is still under way). */
  | 'rate_limited'
  | 'too_early'
  | 'key_in_use'
  /** Accepted, and failed afterwards: no effect. */
  | 'fail_after_acceptance'
  /** The effect, undone right after the next look-up. */
  | 'reverse_after_look'

/** What may happen to a look-up. */
export type LookUpFaultName =
  /** The read fails. */
  | 'unavailable'
  /** The read never ends. */
  | 'read_hangs'
  /** Nothing is found, and the read says itself that its positive control failed. */
  | 'unhealthy_absence'
  /** In good health, from before anything happened. It says from when it is. */
  | 'stale_reads'
  /** The first page only. It says that there are more. */
  | 'page_break'
  /** Answers about another reference, in which there is a charge. */
  | 'wrong_identity'
  /** Matches every reference that begins with the one asked for. */
  | 'prefix_match'
  /** Another replica answers, which has never heard of it and says that it is up to date. */
  | 'replica_disagrees'

/** Every fault that there is, under the one name that it has everywhere. */
export type FaultName = ChargeFaultName | LookUpFaultName

/** The charge faults under the names of constants. */
export const ChargeFault = {
  REFUSED_BEFORE_COMMIT: 'refuse_before_commit',
  TIMEOUT_BEFORE_COMMIT: 'drop_before_commit',
  TIMEOUT_AFTER_COMMIT: 'commit_then_drop',
  ERROR_AFTER_COMMIT: 'commit_then_error',
  ERROR_INSIDE_OK_AFTER_COMMIT: 'commit_then_error_inside',
  HANG_AFTER_COMMIT: 'hang',
  LATE_LANDING: 'late_landing',
  DOUBLE_EFFECT: 'double_effect',
  STORED_ERROR: 'stored_error',
  FORGOTTEN_KEY: 'forgotten_key',
  RATE_LIMITED: 'rate_limited',
  TOO_EARLY: 'too_early',
  KEY_IN_USE: 'key_in_use',
  FAIL_AFTER_ACCEPTANCE: 'fail_after_acceptance',
  REVERSE_AFTER_LOOK: 'reverse_after_look',
} as const satisfies Readonly<Record<string, ChargeFaultName>>

/** The look-up faults under the names of constants. */
export const LookUpFault = {
  UNAVAILABLE: 'unavailable',
  READ_HANGS: 'read_hangs',
  UNHEALTHY_ABSENCE: 'unhealthy_absence',
  STALE_READS: 'stale_reads',
  PAGE_BREAK: 'page_break',
  WRONG_IDENTITY: 'wrong_identity',
  PREFIX_MATCH: 'prefix_match',
  REPLICA_DISAGREES: 'replica_disagrees',
} as const satisfies Readonly<Record<string, LookUpFaultName>>
