// Invariants I1, I5 and I6: who owns an effect, when another attempt is admitted, and how often an effect takes place.
import type { Attempt, Effect, ProofKind } from '../../../src/effect/effect.ts'
import type { Committed, Looked } from '../book.ts'
import { denials, isOwnWord, knownOf, wasRefused } from '../known.ts'
import { ATTEMPTS_MAX, EXECUTE_TIMEOUT_MS, IN_FLIGHT_MS } from '../payment.ts'
import { callsIn, committedIn, looksIn, resolutionsIn } from './entries.ts'
import type { Invariant, View, Witness } from './invariant.ts'

export const claimInvariants: readonly Invariant[] = [
  {
    id: 'I1',
    says: 'one proposal owns an effect, and it passes on only once the effect is known to be FAILED',
    *violations(view) {
      yield* ownership(view)
      for (const entry of committedIn(view.fresh)) yield* changeOfOwner(entry)
    },
  },
  {
    id: 'I5',
    says: 'another attempt needs every earlier one proven to have had no effect, looked at anew, under the same identity',
    *violations({ world, fresh }) {
      for (const { order, before, change } of committedIn(fresh)) {
        const opened = change.effect?.opened ?? null
        if (opened === null || before.effect === null || before.effect.attempts.length === 0) continue
        const again = { order, opened, effect: before.effect, what: `attempt ${opened.number} of ${opened.proposal}` }
        yield* earlierAttempts(again)
        yield* identity(again)
        yield* lookedAgain(world, again)
      }
    },
  },
  {
    id: 'I6',
    says: 'an effect takes place once, and never more often than it was called',
    *violations({ world }) {
      const called = callsIn(world.book.entries).map(({ input }) => input.semanticEffectReference)
      for (const reference of new Set(called)) yield* occurrences(world, reference)
    },
  },
]

const IN_DOUBT = new Set<string>(['executing', 'failed_unknown', 'verification_pending'])

function* ownership({ world, effects }: View): Iterable<string> {
  for (const { key, owner, settlement } of effects) {
    const all = [...world.book.proposals.values()]
      .map(({ proposal }) => proposal)
      .filter(({ effect }) => effect.domain === key.domain && effect.reference === key.reference)
    const inDoubt = all.filter(({ status }) => IN_DOUBT.has(status)).map(({ ref }) => ref)
    if (inDoubt.length > 1) yield `${inDoubt.join(' and ')} are all in doubt about one effect`
    for (const ref of inDoubt) if (ref !== owner) yield `${ref} is in doubt and no owner`
    const verified = all.filter(({ status }) => status === 'verified').map(({ ref }) => ref)
    if (verified.length > 1 && settlement?.verdict !== 'occurred') yield `${verified.join(' and ')} are all verified`
  }
}

function* changeOfOwner({ before, change }: Committed): Iterable<string> {
  const write = change.effect
  if (write === null || before.effect === null || before.effect.owner === write.row.owner) return
  const { status, conflict } = knownOf(before.effect)
  const { settlement, attempts } = before.effect
  const what = `the claim passed from ${before.effect.owner} to ${write.row.owner}`
  if (write.opened === null) yield `${what} without an attempt`
  if (attempts.some(({ ending }) => ending === null)) yield `${what} during a call`
  if (status !== 'FAILED' || conflict) yield `${what} while the effect was ${status}`
  const isAlone = settlement?.verdict === 'did_not_occur' && settlement.secondOperator === null
  if (isAlone) yield `${what} on one operator’s word`
}

/** An admission beside earlier attempts. */
interface Again {
  readonly order: number
  readonly opened: Attempt
  /** As it was before. */
  readonly effect: Effect
  readonly what: string
}

function* earlierAttempts({ effect, what }: Again): Iterable<string> {
  const { attempts } = effect
  for (const attempt of attempts) {
    if (!isClosedAsFailed(effect, attempt)) yield `${what} was admitted while attempt ${attempt.number} was open`
  }
  if (attempts.length >= ATTEMPTS_MAX) yield `${what} is over the budget of attempts`
}

// The key rises by one generation only where every attempt that was seen was definitely refused (rules R5).
function* identity({ effect, opened, what }: Again): Iterable<string> {
  const { attempts } = effect
  const seen = sent(attempts)
  const latest = Math.max(...attempts.map(({ generation }) => generation))
  const isUsed = seen.some(({ generation }) => generation === latest)
  const rises = isUsed && seen.every((attempt) => wasRefused(effect, attempt))
  if (opened.generation !== (rises ? latest + 1 : latest)) yield `${what} carries generation ${opened.generation}`
  const twin = attempts.find(({ generation }) => generation === opened.generation)
  if (twin !== undefined && twin.idempotencyKey !== opened.idempotencyKey) yield `${what} carries another key`
}

// Rules R1, and where not all was closed by the executor's own word in time, design D10 as well.
function* lookedAgain(world: Witness, again: Again): Iterable<string> {
  const { effect, opened, what } = again
  const { attempts } = effect
  const look = lookBefore(world, again)
  const answer = look?.ended?.answer ?? null
  if (look === null || answer === null) {
    yield `${what} was admitted without a look at the target`
    return
  }
  const { covers } = look.input
  if (covers.from > 1 || covers.to < attempts.length) yield `${what} was looked at in part`
  if (!ABSENT.has(answer.status)) yield `${what} was admitted although the target said ${answer.status}`
  if (attempts.every(isOwnWord)) return

  const proof = proofBefore(world, again)
  if (proof === null || !world.profile.resend.includes(proof)) yield `${what} was sent again on ${proof}`
  const isElsewhere = attempts.some(({ target }) => target !== opened.target)
  if (isElsewhere && proof !== 'terminal' && proof !== 'cancelled') yield `${what} went to another target on ${proof}`
  const starts = sent(attempts).filter(({ generation }) => generation === opened.generation)
  const knownSince = Math.min(opened.startedAt, ...starts.map(({ startedAt }) => startedAt))
  const forgottenAt = knownSince + (world.profile.keyLifetimeMs ?? 0)
  if (opened.startedAt + EXECUTE_TIMEOUT_MS + IN_FLIGHT_MS > forgottenAt) yield `${what} outlives its key at the target`
}

const ABSENT = new Set<string>(['provisional_absence', 'authoritative_final_absence', 'verified_terminal_failure'])

function sent(attempts: readonly Attempt[]): readonly Attempt[] {
  return attempts.filter(({ ending }) => ending?.kind !== 'not_sent')
}

// The read of this execution, which came after its resolution; where others looked meanwhile, the one that clears the way.
function lookBefore(world: Witness, again: Again): Looked | null {
  const { order, effect } = again
  const since = resolvedBefore(world, again)
  const looks = looksIn(world.book.entries).filter(({ input, order: began, ended }) => {
    const isInTime = began > since && ended !== null && ended.order < order
    return isInTime && input.semanticEffectReference === effect.key.reference
  })
  return looks.findLast(({ ended }) => ABSENT.has(ended?.answer?.status ?? '')) ?? looks.at(-1) ?? null
}

// What such a read has put on record; where others looked meanwhile and learned less, the one that proves something.
function proofBefore(world: Witness, again: Again): ProofKind | null {
  const { order, effect } = again
  const since = resolvedBefore(world, again)
  const recorded = committedIn(world.book.entries).flatMap((entry) => {
    const isInTime = entry.order > since && entry.order < order && isAbout(entry, effect.key.reference)
    return isInTime ? (entry.change.effect?.observed?.observation ?? []) : []
  })
  return recorded.findLast(({ source, verdict }) => source === 'verifier' && verdict === 'FAILED')?.proof ?? null
}

// When this execution resolved, as the order of what happened has it.
function resolvedBefore({ book }: Witness, { order, opened, effect }: Again): number {
  const { reference } = effect.key
  const previous = committedIn(book.entries).findLast((entry) => {
    return entry.order < order && entry.change.effect?.opened?.number === opened.number - 1 && isAbout(entry, reference)
  })
  const resolved = resolutionsIn(book.entries).find(({ proposal, order: began, ended }) => {
    const isOwn = proposal === opened.proposal && ended?.answer.precondition === opened.precondition
    return isOwn && began > (previous?.order ?? 0)
  })
  return resolved?.order ?? Number.POSITIVE_INFINITY
}

function isAbout({ change }: Committed, reference: string): boolean {
  return change.effect?.row.key.reference === reference
}

function isClosedAsFailed(effect: Effect, attempt: Attempt): boolean {
  const { settlement } = effect
  const isSettled =
    settlement?.verdict === 'did_not_occur' &&
    settlement.secondOperator !== null &&
    attempt.number <= settlement.upToAttempt
  return isOwnWord(attempt) || isSettled || denials(effect, attempt).length > 0
}

// Against a target that keeps its word, an effect is there once; where it does not, calls and proofs are the measure.
function* occurrences({ book, targets }: Witness, reference: string): Iterable<string> {
  const all = [...targets.values()]
  const booked = all
    .flatMap(({ booked: bookings }) => bookings)
    .filter(({ request }) => request.reference === reference)
  const once = booked.filter(({ isDuplicate }) => !isDuplicate).length
  const calls = callsIn(book.entries).filter(({ input }) => input.semanticEffectReference === reference).length
  const effect = [...book.effects.values()].find(({ key }) => key.reference === reference)
  const proofs = effect === undefined ? 0 : effect.attempts.filter((one) => isClosedAsFailed(effect, one)).length
  if (once > calls) yield `${reference} took place ${once} times in ${calls} calls`
  if (calls > 1 + proofs) yield `${reference} was called ${calls} times with ${proofs} proofs`
  if (once > 1 && !all.some(({ liedAbout }) => liedAbout.has(reference))) yield `${reference} took place ${once} times`
}
