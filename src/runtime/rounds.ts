// Lost races: an operation that meets a newer revision looks again at everything, a bounded number of times.
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import type { Conflict } from './ports.ts'

/** How often an operation starts anew before it says that it lost. Every round was won by somebody else. */
const ROUNDS_MAX = 8

/** The answer of a round that lost a race and must look again. */
export const LOST_RACE: unique symbol = Symbol('lost race')

/** Runs rounds until one answers. The last word of an operation that always loses is the caller's. */
export async function untilSettled<T>(round: () => Promise<T | typeof LOST_RACE>, lost: () => Promise<T>): Promise<T> {
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    const answer = await round()
    if (answer !== LOST_RACE) return answer
  }
  return lost()
}

/** How often a fact is offered to the store while others keep changing what it belongs to. */
const FACT_ROUNDS_MAX = 1_000

/**
 * Runs rounds until a fact is stored: no status can make evidence fail, so this gives up only on a store that can not be
 * working any more.
 * @throws StoreUnavailable
 */
export async function untilStored<T>(round: () => Promise<T | typeof LOST_RACE>): Promise<T> {
  for (let rounds = 0; rounds < FACT_ROUNDS_MAX; rounds++) {
    const answer = await round()
    if (answer !== LOST_RACE) return answer
  }
  throw new StoreUnavailable('The store kept refusing a fact that nothing stands in the way of.')
}

/** How often a store that is out of reach is asked again, at once, before the caller is told. */
const TRIES_MAX = 3

/**
 * Asks the store, and asks the same again where it could not answer. What is asked must be a read, or a commit of one
 * and the same change, which lands once however often it is offered.
 */
export async function tried<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (tries >= TRIES_MAX || !(error instanceof StoreUnavailable || error instanceof PersistenceOutcomeUnknown)) {
        throw error
      }
    }
  }
}

/** Whether a conflict says that what was read is no longer what is stored. */
export function isLostRace(answer: Conflict): boolean {
  return answer.on !== 'request_key' && answer.on !== 'exists'
}
