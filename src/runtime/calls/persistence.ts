// How the store's failures reach the caller of a guarded call: as one error, with what was seen in this process.
import { ActionPersistenceError, type Invoked, type ObservedOutcome } from '../../effect/calls/action-error.ts'
import { StoreUnavailable } from '../../proposal/errors.ts'
import { type LOST_RACE, untilStored } from '../rounds.ts'

/** What the store answered, or how it failed. */
export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly mayHaveLanded: boolean; readonly cause: unknown }

/** Asks the store once. Only a store that says so is believed to have stored nothing. */
export async function asked<T>(ask: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { kind: 'answered', value: await ask() }
  } catch (cause) {
    return { kind: 'failed', mayHaveLanded: !(cause instanceof StoreUnavailable), cause }
  }
}

/**
 * Asks the store.
 * @throws ActionPersistenceError
 */
export async function demanded<T>(ask: () => Promise<T>, invoked: Invoked, observed: ObservedOutcome): Promise<T> {
  const answer = await asked(ask)
  if (answer.kind === 'failed') throw new ActionPersistenceError(invoked, observed, answer.cause)
  return answer.value
}

/**
 * Runs rounds until one is not lost; a store that keeps refusing what nothing stands in the way of has failed.
 * @throws ActionPersistenceError, and whatever a round throws.
 */
export async function untilWon<T>(
  round: () => Promise<T | typeof LOST_RACE>,
  invoked: Invoked,
  observed: ObservedOutcome,
): Promise<T> {
  try {
    return await untilStored(round)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new ActionPersistenceError(invoked, observed, error)
    throw error
  }
}
