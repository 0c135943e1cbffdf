// Seeded bugs in what a store does with a change: guards that it forgets, and answers that are not true.
import { randomUUID } from 'node:crypto'
import type { Effect } from '../../../src/effect/effect.ts'
import { StoreUnavailable } from '../../../src/proposal/errors.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { isClosed, mayMove } from '../../../src/proposal/status.ts'
import type { Change, Committed, Conflict, EffectWrite, Store } from '../../../src/runtime/ports.ts'
import type { SeededBug } from './seeded-bug.ts'

/** What a faulty store does differently from a correct one. */
export type Fault = (store: Store) => Partial<Store>

type Answer = Committed | Conflict

/** A change and its answer, altered on the way. */
function around(alter: (store: Store, change: Change, commit: Store['commit']) => Promise<Answer>): Fault {
  return (store) => ({ commit: (change) => alter(store, change, (altered) => store.commit(altered)) })
}

/** Writes a change again as if what it met had not been in its way. */
function forcing(on: Conflict['on'], force: (change: Change, store: Store) => Promise<Change | null>): Fault {
  return around(async (store, change, commit) => {
    const answer = await commit(change)
    if (answer.kind === 'committed' || answer.on !== on) return answer
    const forced = await force(change, store)
    return forced === null ? answer : commit(forced)
  })
}

/** Tells the loser of a race that it has won, if there was a race at all. */
function flattering(on: Conflict['on']): Fault {
  let underWay = 0
  return around(async (_store, change, commit) => {
    underWay += 1
    const isRace = underWay > 1
    await Promise.resolve()
    const answer = await commit(change).finally(() => {
      underWay -= 1
    })
    return isRace && answer.kind === 'conflict' && answer.on === on ? { kind: 'committed', at: 0 } : answer
  })
}

/** Shows proposals as they were never stored. */
function pretending(isPretended: (change: Change, before: Proposal) => boolean): Fault {
  return (store) => {
    const shown = new Map<string, Proposal>()
    return {
      async commit(change) {
        const [write] = change.proposals
        if (write?.kind === 'update' && change.proposals.length === 1) {
          const before = await store.proposal(change.tenant, write.proposal.ref)
          if (before?.kind === 'live' && isPretended(change, before.proposal)) {
            shown.set(write.proposal.ref, write.proposal)
            return { kind: 'committed', at: 0 }
          }
        }
        return store.commit(change)
      },
      async proposal(tenant, ref) {
        const read = await store.proposal(tenant, ref)
        return read?.kind === 'live' ? { ...read, proposal: shown.get(ref) ?? read.proposal } : read
      },
    }
  }
}

/** Bugs of the writer, each with the code of the guarantee that it breaks. */
export const writeBugs: readonly SeededBug<Fault>[] = [
  {
    title: 'gives every try of a change an id of its own',
    code: 'change_landed_twice',
    subject: around((_store, change, commit) => commit({ ...change, changeId: randomUUID() })),
  },
  {
    title: 'forgets notAfter',
    code: 'not_after_ignored',
    subject: around((_store, change, commit) => commit({ ...change, notAfter: null })),
  },
  {
    title: 'forgets notBefore',
    code: 'not_before_ignored',
    subject: around((_store, change, commit) => commit({ ...change, notBefore: null })),
  },
  {
    title: 'writes the proposals of a change one after the other',
    code: 'change_half_applied',
    subject: around(async (_store, change, commit) => {
      const [first, ...others] = change.proposals
      if (first === undefined || others.length === 0) return commit(change)
      for (const write of change.proposals) {
        const ref = write.kind === 'erase' ? write.tombstone.ref : write.proposal.ref
        const own = <T extends { readonly proposal: string }>(all: readonly T[]): readonly T[] =>
          all.filter(({ proposal }) => proposal === ref)
        const part = { receipts: own(change.receipts), events: own(change.events), approvals: own(change.approvals) }
        const answer = await commit({ ...change, ...part, changeId: `${change.changeId}-${ref}`, proposals: [write] })
        if (answer.kind === 'conflict') return answer
      }
      return { kind: 'committed', at: 0 }
    }),
  },
  { title: 'answers committed for a lost race', code: 'revision_not_guarded', subject: flattering('revision') },
  {
    title: 'lets a revision skip',
    code: 'revision_skipped',
    subject: forcing('revision', async (change, store) => {
      const [write] = change.proposals
      if (write?.kind !== 'update') return null
      const stored = await store.proposal(change.tenant, write.proposal.ref)
      if (stored?.kind !== 'live' || write.proposal.revision <= stored.proposal.revision + 1) return null
      return atRevision(change, write.proposal, stored.proposal.revision + 1, stored.lastHash)
    }),
  },
  {
    title: 'lets a second proposal have the same request key',
    code: 'request_key_reused',
    subject: forcing('request_key', async (change) => ({
      ...change,
      proposals: change.proposals.map((write) =>
        write.kind === 'insert' ? { ...write, requestKeyHash: null } : write,
      ),
    })),
  },
  {
    title: 'ignores the unique key of effects',
    code: 'claim_not_unique',
    subject: forcing('effect', async (change, store) => {
      return change.effect?.expect === 'absent' ? withEffect(change, await takenOver(store, change.effect)) : null
    }),
  },
  {
    title: 'lets a claim pass on whatever the version',
    code: 'claim_version_ignored',
    subject: forcing('effect', async (change, store) => {
      const { effect } = change
      if (effect === null || effect.opened === null || effect.expect === 'absent') return null
      return withEffect(change, await takenOver(store, effect))
    }),
  },
  {
    title: 'does not look at effects of former domains',
    code: 'former_domain_ignored',
    subject: around((_store, change, commit) => {
      return commit(change.effect === null ? change : { ...change, effect: { ...change.effect, formerKeys: [] } })
    }),
  },
  {
    title: 'ends an attempt by any token',
    code: 'attempt_token_ignored',
    subject: forcing('fenced', async (change, store) => {
      const { effect } = change
      const stored = effect && (await store.effect(effect.row.key))
      const open = stored?.attempts.find(({ ending }) => ending === null)
      if (effect === null || effect.ended === null || open === undefined) return null
      return { ...change, effect: { ...effect, ended: { ...effect.ended, token: open.token, number: open.number } } }
    }),
  },
  { title: 'tells everybody that they ended the attempt', code: 'attempt_ended_twice', subject: flattering('fenced') },
  {
    title: 'takes evidence from before the fence was raised',
    code: 'fence_ignored',
    subject: forcing('effect', async (change, store) => {
      const { effect } = change
      const stored = effect && (await store.effect(effect.row.key))
      if (effect === null || stored === null || effect.opened !== null) return null
      const row = { ...effect.row, version: stored.version + 1, epoch: stored.epoch }
      return { ...change, effect: { ...effect, row, expect: stored.version } }
    }),
  },
  {
    title: 'numbers observations itself',
    code: 'observation_gap',
    subject: around(async (store, change, commit) => {
      const { effect } = change
      if (effect === null || effect.observed === null) return commit(change)
      const sequence = ((await store.effect(effect.row.key))?.observations.length ?? 0) + 1
      const observation = { ...effect.observed.observation, sequence }
      return commit({ ...change, effect: { ...effect, observed: { ...effect.observed, observation } } })
    }),
  },
  {
    title: 'lets a proposal move wherever it is sent',
    code: 'move_outside_table',
    subject: pretending(({ proposals: [write] }, before) => {
      return write?.kind === 'update' && !mayMove(before.status, write.proposal.status)
    }),
  },
  {
    title: 'writes a status without its receipt',
    code: 'status_without_receipt',
    subject: pretending(({ receipts, effect }) => receipts.length === 0 && effect === null),
  },
  {
    title: 'takes no evidence about a closed proposal',
    code: 'evidence_refused',
    subject: around(async (store, change, commit) => {
      const { effect } = change
      if (effect === null || effect.observed === null || change.proposals.length > 0) return commit(change)
      const owner = effect.row.owner === null ? null : await store.proposal(change.tenant, effect.row.owner)
      if (owner?.kind === 'live' && isClosed(owner.proposal.status))
        throw new StoreUnavailable('The proposal is closed.')
      return commit(change)
    }),
  },
]

function withEffect(change: Change, effect: EffectWrite | null): Change | null {
  return effect === null ? null : { ...change, effect }
}

/** The claim as one of a free effect, whoever holds it: the attempt that is open is ended on the way. */
async function takenOver(store: Store, write: EffectWrite): Promise<EffectWrite | null> {
  const stored: Effect | null = await store.effect(write.row.key)
  if (stored === null || write.opened === null) return null
  const open = stored.attempts.find(({ ending }) => ending === null)
  const epoch = stored.epoch + 1
  const ending = { kind: 'not_sent', evidence: 'FAILED', at: 0, reason: null, externalReference: null } as const
  return {
    ...write,
    row: { ...write.row, version: stored.version + 1, epoch },
    expect: stored.version,
    opened: { ...write.opened, number: stored.attempts.length + 1, epoch },
    ended: open === undefined ? null : { number: open.number, token: open.token, ending, detail: null },
  }
}

function atRevision(change: Change, proposal: Proposal, revision: number, previousHash: string): Change {
  return {
    ...change,
    proposals: [{ kind: 'update', proposal: { ...proposal, revision } }],
    receipts: change.receipts.map((receipt) => ({ ...receipt, sequence: revision + 1, previousHash })),
    events: change.events.map((event) => ({ ...event, revision })),
  }
}
