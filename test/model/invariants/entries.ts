// What the checks pick out of the book: changes, calls and reads, and the admission that a call rests on.
import type { Effect } from '../../../src/effect/effect.ts'
import type { Called, Committed, Entry, Looked, ResolvedState } from '../book.ts'
import type { Witness } from './invariant.ts'

export function committedIn(entries: readonly Entry[]): readonly Committed[] {
  return entries.filter((entry) => entry.kind === 'committed')
}

export function callsIn(entries: readonly Entry[]): readonly Called[] {
  return entries.filter((entry) => entry.kind === 'called')
}

export function looksIn(entries: readonly Entry[]): readonly Looked[] {
  return entries.filter((entry) => entry.kind === 'looked')
}

export function resolutionsIn(entries: readonly Entry[]): readonly ResolvedState[] {
  return entries.filter((entry) => entry.kind === 'resolved')
}

/** The change that admitted the attempt of a call. */
export function admissionOf({ book }: Witness, { input }: Called): Committed | null {
  const found = committedIn(book.entries).find(({ change }) => {
    const opened = change.effect?.opened ?? null
    return opened?.proposal === input.context.proposal && opened.number === input.attempt
  })
  return found ?? null
}

/** The effect that was called, as it is now. */
export function effectOf({ book }: Witness, { input }: Called): Effect | null {
  return [...book.effects.values()].find(({ key }) => key.reference === input.semanticEffectReference) ?? null
}

/** The reads that asked about an effect. */
export function looksAt({ book }: Witness, { key }: Effect): readonly Looked[] {
  return looksIn(book.entries).filter(({ input }) => input.semanticEffectReference === key.reference)
}

/** An attempt by its name. */
export function namedCall({ input }: Called): string {
  return `attempt ${input.attempt} of ${input.context.proposal}`
}
