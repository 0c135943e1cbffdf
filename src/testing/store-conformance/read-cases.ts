// Cases about reads of many: filters, order, pages.
import assert from 'node:assert/strict'
import { parseReasonCode } from '../../effect/reference.ts'
import { principalName } from '../../proposal/principal.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import type { ListQuery, LiveProposal, Store } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { ending, raising, SAMPLE_LEASE_MS } from './sample-effects.ts'
import { reference, SAMPLE_START, SAMPLE_TENANT } from './sample-proposals.ts'
import { approval, attempted, commits, decided, effectOf, evidence, moved, prepared } from './steps.ts'

/** Reads: each filter narrows, pages follow on each other, nothing hidden is shown. */
export const readCases: readonly ConformanceCase[] = [
  {
    code: 'list_order_wrong',
    title: 'a list is newest first, and its pages follow on each other',
    async run({ store }) {
      const refs: string[] = []
      for (let index = 0; index < 7; index += 1) refs.unshift((await prepared(store)).proposal.ref)

      const pages: string[][] = []
      for (let after: Proposal['ref'] | undefined; pages.length < 4; ) {
        const page = await store.list({ tenant: SAMPLE_TENANT, limit: 3, ...(after === undefined ? {} : { after }) })
        pages.push(page.map(({ ref }) => ref))
        after = page.at(-1)?.ref
        if (after === undefined) break
      }

      assert.deepEqual(pages, [refs.slice(0, 3), refs.slice(3, 6), refs.slice(6), []])
    },
  },
  {
    code: 'list_by_age_wrong',
    title: 'a list is oldest first where that is asked for, and its pages follow on each other',
    async run({ store }) {
      const refs: string[] = []
      for (let index = 0; index < 5; index += 1) refs.push((await prepared(store)).proposal.ref)

      assert.deepEqual(await pagesOf(store, 'oldest'), [refs.slice(0, 2), refs.slice(2, 4), refs.slice(4)])
    },
  },
  {
    code: 'list_by_expiry_wrong',
    title: 'open proposals are listed nearest to their end first, and those that end together as they were prepared',
    async run({ store }) {
      const ends = [30, 10, 20, 10, 30]
      const live: LiveProposal[] = []
      for (const end of ends) live.push(await prepared(store, { expiresAt: SAMPLE_START + end }))
      await moved(store, await prepared(store, { expiresAt: SAMPLE_START + 5 }), 'withdrawn')
      const [a, b, c, d, e] = live.map(({ proposal }) => proposal.ref)

      assert.deepEqual(await pagesOf(store, 'expiry'), [[b, d], [c, a], [e]])
    },
  },
  {
    code: 'decided_not_listed',
    title: 'what somebody decided on is listed, also where it was taken back',
    async run({ store }) {
      const [first, second] = [await prepared(store), await prepared(store)]
      await prepared(store)
      const given = approval(first)
      const taken = await decided(store, first, [
        { kind: 'decided', proposal: first.proposal.ref, approval: given, comment: null },
      ])
      await decided(store, taken, [
        {
          kind: 'revoked',
          proposal: first.proposal.ref,
          approvalId: given.approvalId,
          revokedAt: SAMPLE_START + 5,
        },
      ])
      const other = {
        kind: 'decided',
        proposal: second.proposal.ref,
        approval: approval(second),
        comment: null,
      } as const
      await decided(store, second, [other])

      const decidedBy = principalName(given.approver)
      assert.deepEqual(await refsOf(store, { decidedBy }), refsIn(second, first))
      assert.deepEqual(await refsOf(store, { decidedBy: 'user:nobody' }), [])
    },
  },
  {
    code: 'filter_ignored',
    title: 'each filter of a list narrows, and all of them together',
    async run({ store }) {
      const plain = await prepared(store)
      const other = await prepared(store, {
        action: 'example.tickets/close@3',
        subject: reference('ticket-1'),
        requester: { kind: 'service', id: reference('bot') },
      })
      const approved = await moved(store, await prepared(store), 'approved')
      const found = async (query: Partial<ListQuery>): Promise<readonly string[]> => refsOf(store, query)

      assert.deepEqual(await found({ statuses: ['approved'] }), refsIn(approved))
      assert.deepEqual(await found({ statuses: ['approved', 'awaiting_approval'] }), refsIn(approved, other, plain))
      assert.deepEqual(await found({ statuses: [] }), [])
      assert.deepEqual(await found({ actionName: 'example.tickets/close' }), refsIn(other))
      assert.deepEqual(await found({ actionName: 'example.tickets/close@3' }), [])
      assert.deepEqual(await found({ requester: 'service:bot' }), refsIn(other))
      assert.deepEqual(await found({ subject: reference('ticket-1') }), refsIn(other))
      assert.deepEqual(await found({ effect: plain.proposal.effect }), refsIn(plain))
      assert.deepEqual(await found({ subject: reference('order-1'), statuses: ['awaiting_approval'] }), refsIn(plain))
      assert.deepEqual(await found({ subject: reference('order-1'), requester: 'service:bot' }), [])
    },
  },
  {
    code: 'hidden_proposal_listed',
    title: 'what is hidden by erasure is not listed, what is only asked for is',
    async run({ store }) {
      const asked = await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'requested' } })
      await moved(store, asked, 'withdrawn', { core: { erasure: 'requested' } })
      await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'pending' } })

      assert.deepEqual(await refsOf(store, {}), refsIn(asked))
    },
  },
  {
    code: 'attention_not_listed',
    title: 'those that need a person are unresolved or carry a flag',
    async run({ store }) {
      await prepared(store)
      const flagged = await moved(store, await prepared(store), 'rejected', { core: { attention: ['late_evidence'] } })
      const unresolved = await moved(store, await prepared(store), 'verification_unresolved')

      assert.deepEqual(await refsOf(store, { needsPerson: true }), refsIn(unresolved, flagged))
    },
  },
  {
    code: 'expiry_not_exclusive',
    title: 'open proposals are due when they have expired, exclusively',
    async run({ store }) {
      const soon = await prepared(store, { expiresAt: SAMPLE_START + 10 })
      const later = await prepared(store, { expiresAt: SAMPLE_START + 20 })
      await moved(store, await prepared(store, { expiresAt: SAMPLE_START + 10 }), 'withdrawn')

      assert.deepEqual(await refsOf(store, { dueAt: SAMPLE_START + 9 }), [])
      assert.deepEqual(await refsOf(store, { dueAt: SAMPLE_START + 10 }), refsIn(soon))
      assert.deepEqual(await refsOf(store, { dueAt: SAMPLE_START + 20 }), refsIn(later, soon))
    },
  },
  {
    code: 'due_effect_missed',
    title: 'the owner of an effect is due when its lease ends or its verification falls due',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      await prepared(store, { effect: effect.key })
      const leaseEnd = SAMPLE_START + SAMPLE_LEASE_MS

      assert.deepEqual(await refsOf(store, { dueAt: leaseEnd - 1 }), [])
      assert.deepEqual(await refsOf(store, { dueAt: leaseEnd }), refsIn(live))
      await commits(store, evidence(ending(effect)))
      assert.deepEqual(await refsOf(store, { dueAt: leaseEnd }), [])
      const due = raising(await effectOf(store, effect.key), { verifyDueAt: SAMPLE_START + 5 })
      await commits(store, evidence(due))
      assert.deepEqual(await refsOf(store, { dueAt: SAMPLE_START + 4 }), [])
      assert.deepEqual(await refsOf(store, { dueAt: SAMPLE_START + 5 }), refsIn(live))
    },
  },
  {
    code: 'effect_row_lost',
    title: 'leases, budgets and a settlement are read back as they were written',
    async run({ store }) {
      const { effect } = await attempted(store)
      const overrides = {
        verifyDueAt: SAMPLE_START + 1,
        verifyLease: { holder: 'runtime-1', until: SAMPLE_START + 2 },
        absencesSpent: 3,
        unavailablesSpent: 4,
        settlement: {
          verdict: 'did_not_occur',
          upToSequence: 0,
          upToAttempt: 1,
          by: reference('operator-1'),
          secondOperator: reference('operator-2'),
          reason: parseReasonCode('looked_up', ''),
          evidenceReference: reference('case-7'),
          at: SAMPLE_START + 6,
        },
      } as const

      await commits(store, evidence(raising(effect, overrides)))

      assert.deepEqual(await effectOf(store, effect.key), { ...effect, ...overrides, version: effect.version + 1 })
    },
  },
  {
    code: 'idempotency_key_not_found',
    title: 'an effect is found by the idempotency key of any of its attempts',
    async run({ store }) {
      const { effect } = await attempted(store)
      await attempted(store)
      const [attempt] = effect.attempts

      assert.deepEqual(await store.effectByIdempotencyKey(SAMPLE_TENANT, attempt?.idempotencyKey ?? ''), effect.key)
      assert.equal(await store.effectByIdempotencyKey(SAMPLE_TENANT, 'ik_unknown'), null)
    },
  },
  {
    code: 'standing_miscounted',
    title: 'those that wait are counted, and the oldest attempt in doubt is known',
    async run({ store }) {
      const nothing = { open: 0, inDoubt: 0, inDoubtSince: null, needsPerson: 0 }
      assert.deepEqual(await store.standing(SAMPLE_TENANT), nothing)

      await prepared(store)
      await moved(store, await prepared(store), 'approved')
      await moved(store, await prepared(store), 'withdrawn')
      await moved(store, await prepared(store), 'rejected', { core: { attention: ['late_evidence'] } })
      await moved(store, await prepared(store), 'verification_unresolved')
      const waiting = { open: 2, inDoubt: 0, inDoubtSince: null, needsPerson: 2 }
      assert.deepEqual(await store.standing(SAMPLE_TENANT), waiting)

      const { effect } = await attempted(store)
      const startedAt = effect.attempts[0]?.startedAt ?? Number.NaN
      assert.deepEqual(await store.standing(SAMPLE_TENANT), { ...waiting, inDoubt: 1, inDoubtSince: startedAt })
      await attempted(store)
      assert.deepEqual(await store.standing(SAMPLE_TENANT), { ...waiting, inDoubt: 2, inDoubtSince: startedAt })
      assert.deepEqual(await store.standing(reference('nobody')), nothing)
    },
  },
  {
    code: 'events_out_of_order',
    title: 'events are read in the order of their commits, after a position',
    async run({ store }) {
      const live = await prepared(store)
      const approved = await moved(store, live, 'approved')
      await moved(store, approved, 'withdrawn')

      const all = await store.events(SAMPLE_TENANT, 0, 10)

      assert.deepEqual(
        all.map(({ status, revision }) => [status, revision]),
        [
          ['awaiting_approval', 0],
          ['approved', 1],
          ['withdrawn', 2],
        ],
      )
      assert.deepEqual(
        all.map(({ position }) => position),
        all.map(({ position }) => position).toSorted((a, b) => a - b),
      )
      assert.deepEqual(await store.events(SAMPLE_TENANT, all[0]?.position ?? 0, 1), all.slice(1, 2))
      assert.deepEqual(await store.events(SAMPLE_TENANT, all[2]?.position ?? 0, 10), [])
    },
  },
]

function refsIn(...lives: readonly LiveProposal[]): readonly string[] {
  return lives.map(({ proposal }) => proposal.ref)
}

async function refsOf(store: Store, query: Partial<ListQuery>): Promise<readonly string[]> {
  const found = await store.list({ tenant: SAMPLE_TENANT, limit: 50, ...query })
  return found.map(({ ref }) => ref)
}

/** Every page of two, by reference. */
async function pagesOf(store: Store, order: 'oldest' | 'expiry'): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = []
  for (let after: Proposal['ref'] | undefined; pages.length < 9; ) {
    const page = await store.list({
      tenant: SAMPLE_TENANT,
      order,
      limit: 2,
      ...(after === undefined ? {} : { after }),
    })
    if (page.length > 0) pages.push(page.map(({ ref }) => ref))
    if (page.length < 2) break
    after = page.at(-1)?.ref
  }
  return pages
}
