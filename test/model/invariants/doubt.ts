// Invariants I14, I15 and I17: contradictions and late words, and what looking into something in doubt costs.
import type { Effect, Observation } from '../../../src/effect/effect.ts'
import type { Called, Committed } from '../book.ts'
import { boundaryOf, coveredBy, knownOf, knownWhenRead } from '../known.ts'
import { BUDGETS } from '../payment.ts'
import { callsIn, committedIn, effectOf, looksIn, namedCall } from './entries.ts'
import type { Invariant, View, Witness } from './invariant.ts'

export const doubtInvariants: readonly Invariant[] = [
  {
    id: 'I14',
    says: 'evidence that contradicts itself is kept and asks for a person',
    *violations(view) {
      for (const entry of committedIn(view.fresh)) yield* overwritten(entry)
      yield* contradictions(view)
    },
  },
  {
    id: 'I15',
    says: 'a late word is kept as evidence and changes no status',
    *violations(view) {
      yield* lateReceipts(view)
      // A fault of the store may have lost the word; nobody repeats it.
      if (view.world.hadTrouble || view.world.isBusy) return
      for (const called of callsIn(view.world.book.entries)) yield* lateWord(view.world, called)
    },
  },
  {
    id: 'I17',
    says: 'one verifier is asked at a time, and each answer is counted against its own budget',
    *violations(view) {
      for (const entry of committedIn(view.fresh)) yield* budgets(view.world, entry)
      yield* overlapping(view)
    },
  },
]

function* overwritten({ before, after }: Committed): Iterable<string> {
  if (before.effect === null || after.effect === null) return
  const kept = after.effect.observations.slice(0, before.effect.observations.length)
  const isSame = JSON.stringify(kept) === JSON.stringify(before.effect.observations)
  if (!isSame) yield `the evidence of ${before.effect.key.reference} was changed`
}

const CLOSED = new Set<string>(['rejected', 'withdrawn', 'expired', 'stale', 'superseded'])

function* contradictions({ world, effects }: View): Iterable<string> {
  // A fault may have kept the status from following the evidence; whoever looks next brings it along.
  if (world.hadTrouble || world.isBusy) return
  for (const effect of effects) {
    if (!knownOf(effect).conflict) continue
    for (const ref of new Set([effect.owner, ...effect.attempts.map(({ proposal }) => proposal)])) {
      const held = world.book.proposals.get(ref ?? '')
      if (held === undefined || held.tombstone !== null) continue
      const { status, attention } = held.proposal
      const moved = held.receipts.findLast(({ body }, index) => body?.status !== held.receipts[index - 1]?.body?.status)
      const isAskedAgain = moved?.body?.type === 'operation.resumed'
      const asks = status === 'verification_unresolved' || status === 'executing' || CLOSED.has(status) || isAskedAgain
      if (ref === effect.owner && !asks) yield `${ref} is ${status} although its evidence contradicts itself`
      if (!attention.includes('conflicting_evidence')) yield `${ref} does not tell that its evidence contradicts itself`
    }
  }
}

function* lateReceipts({ proposals }: View): Iterable<string> {
  for (const { ref, receipts } of proposals) {
    for (const [index, { body }] of receipts.entries()) {
      const before = receipts[index - 1]?.body
      if (body?.type !== 'execution.late' || before === undefined || before === null) continue
      if (body.status !== before.status) yield `a late word moved ${ref} from ${before.status} to ${body.status}`
    }
  }
}

function* lateWord(world: Witness, called: Called): Iterable<string> {
  const { ended, input, instance } = called
  const effect = effectOf(world, called)
  if (ended === null || effect === null || !world.isAtWork(instance)) return
  const endedBy = committedIn(world.book.entries).find(({ change }) => {
    const isAbout = change.effect?.row.key.reference === effect.key.reference
    return isAbout && change.effect?.ended?.number === input.attempt
  })
  if (endedBy === undefined || endedBy.order > ended.order) return
  const isKept = effect.observations.some(({ source, flags, verdict, covers }) => {
    return source === 'executor' && flags.includes('late') && verdict === 'UNKNOWN' && covers.to === input.attempt
  })
  if (!isKept) yield `the late word of ${namedCall(called)} is not kept`
}

function* budgets(world: Witness, { order, before, after, change }: Committed): Iterable<string> {
  if (before.effect === null || after.effect === null) return
  const absences = after.effect.absencesSpent - before.effect.absencesSpent
  const unavailables = after.effect.unavailablesSpent - before.effect.unavailablesSpent
  const isOpened = change.effect?.opened !== null
  if (isOpened && !isFresh(after.effect)) yield 'a new attempt begins with budgets that are spent'
  const isResumed = change.receipts.some(({ body }) => body?.type === 'operation.resumed')
  const observed = change.effect?.observed?.observation
  const possible: readonly Budget[] = observed === undefined ? [null] : budgetsOf(world, before.effect, observed, order)
  const isRight = possible.some((budget) => {
    return absences === (budget === 'absence' ? 1 : 0) && unavailables === (budget === 'unavailable' ? 1 : 0)
  })
  if (!isOpened && !isResumed && !isRight) yield `${observed?.answer} spent ${absences} and ${unavailables}`
  const isOverdrawn =
    after.effect.absencesSpent > BUDGETS.absences || after.effect.unavailablesSpent > BUDGETS.unavailables
  const owner = change.proposals.find((write) => write.kind === 'update' && write.proposal.ref === after.effect?.owner)
  const isPending = owner?.kind === 'update' && owner.proposal.status === 'verification_pending'
  if (isOverdrawn && absences + unavailables > 0 && isPending) yield 'a budget is overdrawn'
}

function isFresh({ absencesSpent, unavailablesSpent }: Effect): boolean {
  return absencesSpent === 0 && unavailablesSpent === 0
}

type Budget = 'absence' | 'unavailable' | null

/** What an answer may be counted against: an absence only once one is no longer to be expected. */
function budgetsOf(world: Witness, before: Effect, observation: Observation, order: number): readonly Budget[] {
  const { source, answer, verdict, reason, beganAt } = observation
  if (source !== 'verifier' || verdict !== 'UNKNOWN') return [null]
  if (answer === 'target_unavailable') return ['unavailable']
  // Something was found, and what it is cannot be told.
  if (!ABSENT.has(answer)) return [reason === null ? null : 'unavailable']
  // By a clock that jumped nothing is late enough to be told.
  if (reason === 'clock_unsettled') return [null]
  const covered = coveredBy(observation, before.attempts)
  const known = knownWhenRead(world.book, before, observation, order)
  // A return that is recorded while the read is under way may be known to whoever judges it.
  return [known, before.observations].map((returns) => (beganAt < boundaryOf(covered, returns) ? null : 'absence'))
}

const ABSENT = new Set<string>(['provisional_absence', 'authoritative_final_absence', 'verified_terminal_failure'])

// What is looked at once more before another attempt (rules R1) is not leased: a second read does no harm.
function* overlapping({ world, fresh }: View): Iterable<string> {
  for (const looked of looksIn(fresh)) {
    const isTwice = looksIn(world.book.entries).some((other) => {
      const isSame = other.input.semanticEffectReference === looked.input.semanticEffectReference
      const isOpen = other.order < looked.order && (other.ended === null || other.ended.order > looked.order)
      const isLeased = other.isInDoubt && looked.isInDoubt && other.instance === looked.instance
      return isSame && isOpen && isLeased
    })
    if (isTwice) yield `${looked.input.context.proposal} was looked into while it was being looked into`
  }
}
