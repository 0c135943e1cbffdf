// Listening to an operation that outlived its time; the runner holds on to what it listens to, and nobody else waits for it.
import type { Attempt } from '../../effect/effect.ts'
import type { CallCore } from './call-core.ts'

/** Listens, and stores the word when it comes. */
export function hearLate(core: CallCore, attempt: Attempt, hear: () => Promise<unknown>): void {
  core.hearing.set(attempt.token, heard(core, attempt, hear))
}

async function heard(core: CallCore, { token }: Attempt, hear: () => Promise<unknown>): Promise<void> {
  try {
    await hear()
  } catch {
    // Nobody is left to be told; a verifier finds out what the call did.
    core.warn('late_word_lost', 'A late word of an operation could not be stored.')
  } finally {
    core.hearing.delete(token)
  }
}
