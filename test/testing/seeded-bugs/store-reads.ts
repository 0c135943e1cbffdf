// Seeded bugs in what a store answers: what it loses, mixes up, or still knows after erasure.
import type { Receipt } from '../../../src/proposal/receipts/receipt.ts'
import type { Reference } from '../../../src/effect/reference.ts'
import type { ErasedProposal, LiveProposal, Sealed } from '../../../src/runtime/ports.ts'
import type { SeededBug } from './seeded-bug.ts'
import type { Fault } from './store-writes.ts'

/** Bugs of the reader, each with the code of the guarantee that it breaks. */
export const readBugs: readonly SeededBug<Fault>[] = [
  {
    title: 'answers twice with the same bytes',
    code: 'answer_aliases_state',
    subject: (store) => {
      const read = new Map<string, LiveProposal | ErasedProposal | null>()
      return {
        commit: (change) => {
          read.clear()
          return store.commit(change)
        },
        async proposal(tenant, ref) {
          const known = read.get(tenant + ref) ?? (await store.proposal(tenant, ref))
          read.set(tenant + ref, known)
          return known
        },
      }
    },
  },
  {
    title: 'forgets who may be executed from the instant at which it expires on',
    code: 'due_execution_wrong',
    subject: (store) => ({
      due: (query) => store.due(query.kind === 'execution' ? { ...query, until: query.until - 1 } : query),
    }),
  },
  {
    title: 'finds what has expired one millisecond late',
    code: 'due_expiry_wrong',
    subject: (store) => ({
      due: (query) => store.due(query.kind === 'expiry' ? { ...query, until: query.until - 1 } : query),
    }),
  },
  {
    title: 'knows of no leases that are over',
    code: 'due_lease_missed',
    subject: (store) => ({ due: async (query) => (query.kind === 'lease' ? [] : store.due(query)) }),
  },
  {
    title: 'knows of no verification that is due',
    code: 'due_verification_missed',
    subject: (store) => ({ due: async (query) => (query.kind === 'verification' ? [] : store.due(query)) }),
  },
  {
    title: 'loses proposals in doubt for which nothing is scheduled',
    code: 'due_unscheduled_missed',
    subject: (store) => ({ due: async (query) => (query.kind === 'unscheduled' ? [] : store.due(query)) }),
  },
  {
    title: 'takes for old what was settled a moment ago',
    code: 'due_retention_wrong',
    subject: (store) => ({
      due: (query) => store.due(query.kind === 'settled' ? { ...query, until: query.until + 1 } : query),
    }),
  },
  {
    title: 'begins every page behind the instant of the last one',
    code: 'due_pages_wrong',
    subject: (store) => ({
      async due(query) {
        const { after } = query
        return (await store.due(query)).filter(({ at }) => after === null || at > after.at)
      },
    }),
  },
  {
    title: 'reads receipts newest first',
    code: 'receipts_out_of_order',
    subject: (store) => ({ receipts: async (...input) => (await store.receipts(...input)).toReversed() }),
  },
  {
    title: 'reads five receipts and no more',
    code: 'receipts_truncated',
    subject: (store) => ({ receipts: async (...input) => (await store.receipts(...input)).slice(0, 5) }),
  },
  {
    title: 'keeps what receipts say beside a tombstone',
    code: 'tombstone_keeps_receipts',
    subject: (store) => {
      const kept = new Map<string, Receipt>()
      return {
        commit: (change) => {
          for (const receipt of change.receipts) kept.set(receipt.hash, receipt)
          return store.commit(change)
        },
        receipts: async (...input) => (await store.receipts(...input)).map((one) => kept.get(one.hash) ?? one),
      }
    },
  },
  {
    title: 'keeps sealed content beside a tombstone',
    code: 'tombstone_keeps_content',
    subject: (store) => {
      const kept = new Map<string, Sealed | null>()
      return {
        commit: (change) => {
          const { effect } = change
          if (effect?.ended) kept.set(effect.row.key.reference, effect.ended.detail)
          return store.commit(change)
        },
        attemptDetail: async (key, number) => {
          return (await store.attemptDetail(key, number)) ?? (number === 1 ? (kept.get(key.reference) ?? null) : null)
        },
      }
    },
  },
  {
    title: 'forgets an erasure before its files were scrubbed',
    code: 'open_erasure_forgotten',
    subject: (store) => ({
      async erasuresOpen(tenant, after, limit) {
        const refs: Reference[] = []
        for (const ref of await store.erasuresOpen(tenant, after, limit)) {
          if ((await store.proposal(tenant, ref))?.kind === 'live') refs.push(ref)
        }
        return refs
      },
    }),
  },
  {
    title: 'shows the events of every tenant to each',
    code: 'tenant_read_leaked',
    subject: (store) => ({
      async events(_tenant, after, limit) {
        const all = await Promise.all((await store.tenants()).map((tenant) => store.events(tenant, after, limit)))
        return all.flat().toSorted((a, b) => a.position - b.position)
      },
    }),
  },
  {
    title: 'remembers the last domain of an action only',
    code: 'domain_forgotten',
    subject: (store) => ({
      async adopt(claims) {
        const identity = await store.adopt(claims)
        const last = Object.entries(identity.domains).map(([action, domains]) => [action, domains.slice(-1)] as const)
        return { ...identity, domains: Object.fromEntries<readonly string[]>(last) }
      },
    }),
  },
  {
    title: 'says that it wrapped the key of an erased proposal anew',
    code: 'destroyed_key_returned',
    subject: (store) => ({
      async rewrap(tenant, ref, old, renewed) {
        if ((await store.proposal(tenant, ref))?.kind === 'erased') return true
        return store.rewrap(tenant, ref, old, renewed)
      },
    }),
  },
  {
    title: 'reads what is told of attempts newest first',
    code: 'call_attempts_out_of_order',
    subject: (store) => ({
      async call(key) {
        const call = await store.call(key)
        return call && { ...call, attempts: call.attempts.toReversed() }
      },
    }),
  },
  {
    title: 'orders the attempts of a call by the letters of their numbers',
    code: 'call_attempts_out_of_order',
    subject: (store) => ({
      async call(key) {
        const call = await store.call(key)
        const byLetters = call?.effect.attempts.toSorted((one, other) => (`${one.number}` < `${other.number}` ? -1 : 1))
        return call && { ...call, effect: { ...call.effect, attempts: byLetters ?? [] } }
      },
    }),
  },
  {
    title: 'does not filter lists by subject',
    code: 'filter_ignored',
    subject: (store) => ({
      list: ({ subject: _ignored, ...query }) => store.list(query),
    }),
  },
]
