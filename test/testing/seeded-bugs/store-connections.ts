// Seeded bugs of a second connection: what it tells the loser of a race, and what it does not see.
import type { Conflict } from '../../../src/runtime/ports.ts'
import type { SeededBug } from './seeded-bug.ts'
import type { Fault } from './store-writes.ts'

/** Whoever loses over this connection is told that they have won. */
function flattering(...conflicts: readonly Conflict['on'][]): Fault {
  return (store) => ({
    async commit(change) {
      const answer = await store.commit(change)
      return answer.kind === 'conflict' && conflicts.includes(answer.on) ? { kind: 'committed', at: 0 } : answer
    },
  })
}

/** Bugs that only two connections show, each with the code of the guarantee that it breaks. */
export const connectionBugs: readonly SeededBug<Fault>[] = [
  {
    title: 'tells the loser of a revision that it has won',
    code: 'revision_not_guarded_elsewhere',
    subject: flattering('revision'),
  },
  {
    title: 'tells the loser of a reference that it has won',
    code: 'reference_raced',
    subject: flattering('exists'),
  },
  {
    title: 'tells the loser of a request key that it has won',
    code: 'request_key_raced',
    subject: flattering('request_key'),
  },
  {
    title: 'tells the loser of a claim that it has won',
    code: 'claim_not_unique_elsewhere',
    subject: flattering('effect'),
  },
  {
    title: 'tells the loser of an attempt that it has ended it',
    code: 'attempt_ended_twice_elsewhere',
    subject: flattering('fenced'),
  },
  {
    title: 'takes no evidence while a proposal moves',
    code: 'evidence_refused_while_moving',
    subject: (store) => ({
      async commit(change) {
        const isMove = change.effect === null && change.receipts.some(({ body }) => body?.status === 'failed_unknown')
        return isMove ? { kind: 'conflict', on: 'effect' } : store.commit(change)
      },
    }),
  },
  {
    title: 'gives its changes ids of its own',
    code: 'change_landed_twice_elsewhere',
    subject: (store) => ({
      commit: async (change) => store.commit({ ...change, changeId: `${change.changeId}-other` }),
    }),
  },
]
