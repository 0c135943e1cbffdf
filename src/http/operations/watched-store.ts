// A store that is watched: what it commits is counted, from the changes themselves, whoever asked for them.
import type { Change, Committed, Conflict, Store } from '../../runtime/ports.ts'

/** What is counted of commits. */
export interface CommitFigures {
  attemptStarted(): void
  conflict(on: Conflict['on']): void
  receipt(type: string): void
}

/** The same store; a change is counted when it is durable. */
export function watchedStore(store: Store, figures: CommitFigures): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return async (change: Change) => counted(figures, change, await target.commit(change))
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}

function counted(figures: CommitFigures, change: Change, answer: Committed | Conflict): Committed | Conflict {
  if (answer.kind === 'conflict') {
    figures.conflict(answer.on)
    return answer
  }
  if (change.effect !== null && change.effect.opened !== null) figures.attemptStarted()
  for (const { body } of change.receipts) if (body !== null) figures.receipt(body.type)
  return answer
}
