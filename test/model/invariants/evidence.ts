// Invariants I10, I11 and I16: what counts as evidence of an effect, and what never does.
import type { Effect, Observation } from '../../../src/effect/effect.ts'
import type { Snapshot, Verified } from '../../../src/proposal/action.ts'
import type { Called, Committed } from '../book.ts'
import { boundaryOf, coveredBy, includesAll, knownOf, knownWhenRead } from '../known.ts'
import { EXECUTE_TIMEOUT_MS, IN_FLIGHT_MS, type Payment } from '../payment.ts'
import { callsIn, committedIn, effectOf, looksAt, namedCall } from './entries.ts'
import type { Invariant, Witness } from './invariant.ts'

export const evidenceInvariants: readonly Invariant[] = [
  {
    id: 'I10',
    says: 'FAILED comes from a typed word in time or a proof alone, CONFIRMED from a decisive verification alone',
    *violations({ world, fresh }) {
      for (const entry of committedIn(fresh)) {
        yield* ending(world, entry)
        yield* verdict(world, entry)
        yield* statuses(entry)
      }
    },
  },
  {
    id: 'I11',
    says: 'a throw, a time-out and a malformed return are UNKNOWN, and are recorded as such',
    *violations({ world }) {
      for (const called of callsIn(world.book.entries)) yield* unknownEnding(world, called)
    },
  },
  {
    id: 'I16',
    says: 'a verdict counts only with the right identity, target and coverage, and a denial only after the boundary',
    *violations({ world, fresh }) {
      for (const { order, before, change } of committedIn(fresh)) {
        const observation = change.effect?.observed?.observation
        if (observation === undefined || before.effect === null) continue
        if (observation.verdict === 'CONFIRMED') yield* confirmation(world, before.effect, observation)
        if (observation.verdict === 'FAILED') yield* denial(world, before.effect, observation, order)
      }
    },
  },
]

function* ending(world: Witness, { change, before }: Committed): Iterable<string> {
  const ended = change.effect?.ended ?? null
  const attempt = ended === null ? undefined : before.effect?.attempts[ended.number - 1]
  if (ended === null || attempt === undefined) return
  const { kind, evidence } = ended.ending
  const what = `attempt ${ended.number} of ${attempt.proposal} ended ${kind} as ${evidence}`
  if (evidence === 'CONFIRMED') yield what
  if (evidence !== 'FAILED') return
  const called = callsIn(world.book.entries).find(({ input }) => {
    return input.attempt === ended.number && input.context.proposal === attempt.proposal
  })
  if (called === undefined) {
    if (kind !== 'not_sent') yield `${what} without a call`
    return
  }
  const said = called.ended
  if (said?.word !== kind) yield `${what} after the word ${said?.word}`
  else if (said.atMs - called.atMs >= EXECUTE_TIMEOUT_MS) yield `${what} after its time-out`
  else if (kind === 'not_sent' && called.hasMarkedSending) yield `${what} after it had marked that it sends`
}

function* verdict(world: Witness, { change, before }: Committed): Iterable<string> {
  const observation = change.effect?.observed?.observation
  const { effect } = before
  if (observation === undefined || effect === null || observation.verdict === 'UNKNOWN') return
  const { source, answer, proof, sequence } = observation
  const what = `observation ${sequence} is ${observation.verdict} by ${source} ${answer} ${proof}`
  const said = looksAt(world, effect).flatMap((look) => {
    const said = world.book.mayBe(look, observation) ? (look.ended?.answer ?? null) : null
    return said?.status === answer ? [said] : []
  })
  if (source !== 'verifier' || said.length === 0) yield what
  if (observation.verdict === 'FAILED') {
    const isProof = answer === 'verified_terminal_failure' || answer === 'authoritative_final_absence'
    if (!isProof || proof === null || !world.profile.failure.includes(proof)) yield what
    return
  }
  if (!said.some((one) => isWhatWasApproved(world, effect, one))) yield `${what}, which is not what was approved`
}

// One match, with the facts that its owner was approved for, and an attempt under that key as well.
function isWhatWasApproved(world: Witness, effect: Effect, answer: Verified<Payment>): boolean {
  if (answer.status !== 'verified_completion' && answer.status !== 'reversed_after_completion') return false
  const carriers = effect.attempts.filter(({ idempotencyKey }) => idempotencyKey === answer.identity)
  const isOf = (ref: string | null): boolean => ref !== null && isSame(world.preparedFor(ref), answer.facts)
  return answer.matches === 1 && isOf(effect.owner) && carriers.some(({ proposal }) => isOf(proposal))
}

function isSame(
  { order, amount }: Snapshot<Payment>,
  facts: { readonly '/order': unknown; readonly '/amount': unknown },
): boolean {
  return JSON.stringify([facts['/order'], facts['/amount']]) === JSON.stringify([order, amount])
}

function* statuses({ change, before, after }: Committed): Iterable<string> {
  const { effect } = after
  for (const write of change.proposals) {
    if (write.kind !== 'update' || effect?.owner !== write.proposal.ref) continue
    const { ref, status } = write.proposal
    if (before.proposals.get(ref)?.proposal.status === status) continue
    const known = knownOf(effect).status
    const isFalse =
      (status === 'verified' && known !== 'CONFIRMED') || (status === 'failed_known' && known !== 'FAILED')
    if (isFalse) yield `${ref} became ${status} while its effect was ${known}`
  }
}

function* unknownEnding(world: Witness, called: Called): Iterable<string> {
  const { ended, instance, input } = called
  const attempt = effectOf(world, called)?.attempts[input.attempt - 1]
  if (ended === null || attempt === undefined) return
  const isTyped = ended.word !== null && ended.word !== 'accepted' && ended.word !== 'failed_unknown'
  const evidence = attempt.ending?.evidence ?? 'UNKNOWN'
  if (!isTyped && evidence !== 'UNKNOWN') yield `${namedCall(called)} ended without proof and is ${evidence}`
  const mayBeLost = world.hadTrouble || world.isBusy || !world.isAtWork(instance)
  if (attempt.ending === null && !mayBeLost) yield `${namedCall(called)} has ended and is recorded as under way`
}

function* confirmation(world: Witness, effect: Effect, observation: Observation): Iterable<string> {
  const covered = new Set(coveredBy(observation, effect.attempts).map((attempt): string => attempt.idempotencyKey))
  const isEchoed = looksAt(world, effect).some((look) => {
    const answer = look.ended?.answer ?? null
    return world.book.mayBe(look, observation) && answer !== null && 'matches' in answer && covered.has(answer.identity)
  })
  if (!isEchoed) yield `observation ${observation.sequence} confirms another identity`
}

function* denial(world: Witness, effect: Effect, observation: Observation, order: number): Iterable<string> {
  const { covers, beganAt, proof, target, sequence } = observation
  const what = `observation ${sequence} denies`
  const covered = coveredBy(observation, effect.attempts)
  if (covered.length === 0) yield `${what} no attempt of ${target}`
  const boundary = boundaryOf(covered, knownWhenRead(world.book, effect, observation, order))
  if (beganAt < boundary) yield `${what} ${boundary - beganAt} ms before the boundary`
  const earlier = effect.observations.filter((other) => other.target === target && includesAll(other.covers, covers))
  if (proof === 'settled') {
    const isFirst = !earlier.some((other) => {
      const isApart = other.beganAt >= boundary && other.beganAt + IN_FLIGHT_MS <= beganAt
      return other.proof === 'settled' && isApart
    })
    if (isFirst) yield `${what} on one settled read alone`
  }
  if (proof === 'fenced' || proof === 'cancelled') {
    const source = proof === 'fenced' ? 'fence' : 'cancel'
    const isTaken = earlier.some((other) => {
      return other.source === source && other.answer === 'acknowledged' && other.endedAt <= beganAt
    })
    if (!isTaken) yield `${what} as ${proof} without the target’s word`
  }
}
