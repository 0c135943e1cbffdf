// The truth: what is known of an effect is so at a target that keeps its word; and every event that was stored is announced.
import { sortedText } from '../sorted-text.ts'
import { knownOf } from '../known.ts'
import { committedIn } from './entries.ts'
import type { Invariant, View } from './invariant.ts'

export const truthInvariants: readonly Invariant[] = [
  {
    id: 'I10',
    says: 'what is known of an effect is so, as long as its target keeps its word',
    *violations(view) {
      for (const effect of view.effects) {
        const { reference } = effect.key
        const targets = [...view.world.targets.values()]
        const isOpenToDoubt = targets.some(({ untrueOf }) => untrueOf.has(reference)) || effect.settlement !== null
        const { status, conflict } = knownOf(effect)
        if (isOpenToDoubt || conflict) continue
        const booked = targets.flatMap((target) =>
          target.booked.filter(({ request }) => request.reference === reference),
        )
        if (status === 'CONFIRMED' && booked.length === 0) yield `${reference} is CONFIRMED and never took place`
        if (status === 'FAILED' && booked.length > 0) yield `${reference} is FAILED and took place`
      }
    },
  },
  {
    id: 'I29',
    says: 'an event is there if, and only if, its change is',
    *violations(view) {
      if (view.events !== null) yield* announced(view, view.events)
    },
  },
]

function* announced({ world }: View, events: NonNullable<View['events']>): Iterable<string> {
  const stored = events.map(({ position: _, ...event }) => sortedText(event))
  const expected = committedIn(world.book.entries).flatMap(({ change }) =>
    change.events.map((event) => sortedText(event)),
  )
  for (const event of expected) if (!stored.includes(event)) yield `there is no ${event}`
  if (stored.length !== expected.length) yield `there are ${stored.length} events of ${expected.length}`
}
