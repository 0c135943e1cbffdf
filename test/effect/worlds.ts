// The oracle of the evidence fold: enumerates every world and removes those that the evidence rules out, word for word.
import type { AttemptEvidence, EvidenceFold, ObservationEvidence } from '../../src/effect/evidence.ts'

/** A world is the set of attempts, by number, that committed. */
export type World = ReadonlySet<number>

/** The worlds that the evidence leaves, out of 2^n; for a few attempts only. Spec: evidence "The model". */
export function worldsLeft(
  attempts: readonly AttemptEvidence[],
  observations: readonly ObservationEvidence[],
): readonly World[] {
  return worldsOf(attempts)
    .filter((world) => attempts.every((attempt) => allowsAttempt(world, attempt)))
    .filter((world) => observations.every((observation) => allowsObservation(world, observation, attempts)))
}

/** The fold by enumeration. */
export function foldByWorlds(
  attempts: readonly AttemptEvidence[],
  observations: readonly ObservationEvidence[],
): EvidenceFold {
  const left = worldsLeft(attempts, observations)
  if (left.length === 0) return { status: 'UNKNOWN', verificationConflict: true, duplicatePossible: false }
  const duplicatePossible = left.some((world) => world.size >= 2)
  if (left.every((world) => world.size > 0))
    return { status: 'CONFIRMED', verificationConflict: false, duplicatePossible }
  const onlyEmpty = left.every((world) => world.size === 0)
  return { status: onlyEmpty ? 'FAILED' : 'UNKNOWN', verificationConflict: false, duplicatePossible }
}

function worldsOf(attempts: readonly AttemptEvidence[]): readonly World[] {
  return attempts.reduce<readonly World[]>(
    (worlds, { number }) => worlds.flatMap((world) => [world, new Set([...world, number])]),
    [new Set()],
  )
}

function allowsAttempt(world: World, { evidence, number }: AttemptEvidence): boolean {
  switch (evidence) {
    case 'CONFIRMED':
      return world.has(number)
    case 'FAILED':
      return !world.has(number)
    case 'UNKNOWN':
      return true
  }
}

function allowsObservation(
  world: World,
  { covers, target, verdict }: ObservationEvidence,
  attempts: readonly AttemptEvidence[],
): boolean {
  const covered = attempts.filter(
    (attempt) => attempt.target === target && covers.from <= attempt.number && attempt.number <= covers.to,
  )
  switch (verdict) {
    case 'CONFIRMED':
      return covered.some(({ number }) => world.has(number))
    case 'FAILED':
      return !covered.some(({ number }) => world.has(number))
    case 'UNKNOWN':
      return true
  }
}
