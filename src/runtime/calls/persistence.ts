// How the store's failures reach the caller of a guarded call: as one error, with what was seen in this process.
import { ActionPersistenceError, type Invoked, type ObservedOutcome } from '../../effect/calls/action-error.ts'
import { StoreUnavailable } from '../../proposal/errors.ts'

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
