// Cases about tenants: the same names in two of them are two things, and neither sees the other.
import assert from 'node:assert/strict'
import type { Change } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { erasing, inserting, updating } from './sample-changes.ts'
import { claiming } from './sample-effects.ts'
import { inStatus, nextRef, reference, SAMPLE_TENANT, sampleEffectKey } from './sample-proposals.ts'
import { breaks, commits, effectOf, liveOf, moved, prepared } from './steps.ts'
import { sampleProposal } from './sample-proposals.ts'

const OTHER = reference('tenant-b')

/** Guarantee 9: tenants never see each other. */
export const tenantCases: readonly ConformanceCase[] = [
  {
    code: 'tenants_share_names',
    title: 'the same reference, request key, change id and effect in two tenants are two of each',
    async run({ store }) {
      const ref = nextRef()
      const twins = [SAMPLE_TENANT, OTHER].map((tenant) => {
        const proposal = sampleProposal({ tenant, ref, effect: sampleEffectKey(tenant, 'the-same') })
        return { ...inserting(proposal, { requestKeyHash: 'hash-1' }), changeId: 'the-same' }
      })
      for (const twin of twins) await commits(store, twin)

      const approved = await moved(store, await liveOf(store, { tenant: OTHER, ref }), 'approved')
      await moved(store, approved, 'executing', { change: { effect: claiming(approved.proposal, null) } })

      assert.equal((await liveOf(store, { tenant: SAMPLE_TENANT, ref })).proposal.status, 'awaiting_approval')
      assert.equal(await store.effect(sampleEffectKey(SAMPLE_TENANT, 'the-same')), null)
      assert.equal((await effectOf(store, sampleEffectKey(OTHER, 'the-same'))).owner, ref)
    },
  },
  {
    code: 'tenant_read_leaked',
    title: 'no read answers with what is another tenant’s',
    async run({ store }) {
      const live = await moved(store, await prepared(store, {}, { requestKeyHash: 'hash-1' }), 'approved')
      const { proposal } = await moved(store, live, 'executing', { change: { effect: claiming(live.proposal, null) } })
      const late = proposal.expiresAt

      assert.equal(await store.proposal(OTHER, proposal.ref), null)
      assert.deepEqual(await store.receipts(OTHER, proposal.ref), [])
      assert.equal(await store.byRequestKey(OTHER, 'hash-1'), null)
      assert.equal(await store.effect({ ...proposal.effect, tenant: OTHER }), null)
      assert.equal(await store.attemptDetail({ ...proposal.effect, tenant: OTHER }, 1), null)
      assert.deepEqual(await store.list({ tenant: OTHER, limit: 10 }), [])
      assert.deepEqual(await store.list({ tenant: OTHER, effect: proposal.effect, dueAt: late, limit: 10 }), [])
      assert.deepEqual(await store.list({ tenant: OTHER, dueAt: late, limit: 10 }), [])
      assert.deepEqual(await store.due({ tenant: OTHER, kind: 'expiry', until: late, after: null, limit: 10 }), [])
      const { idempotencyKey } = claiming(proposal, null).opened ?? assert.fail()
      assert.equal(await store.effectByIdempotencyKey(OTHER, idempotencyKey), null)
      assert.deepEqual(await store.keysNotUnder(OTHER, 'k2', null, 10), [])
      const withdrawn = await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'pending' } })
      await commits(store, erasing(await moved(store, await prepared(store), 'withdrawn')))
      assert.notDeepEqual(await store.erasuresOpen(SAMPLE_TENANT, null, 10), [])
      assert.deepEqual(await store.erasuresOpen(OTHER, null, 10), [], withdrawn.proposal.ref)
      assert.deepEqual(await store.events(OTHER, 0, 10), [])
    },
  },
  {
    code: 'change_crossed_tenants',
    title: 'a change stays inside its tenant',
    async run({ store }) {
      const mine = inserting(sampleProposal())
      const theirs = inserting(sampleProposal({ tenant: OTHER }))
      const live = await moved(store, await prepared(store), 'approved')
      const claim = claiming(live.proposal, null)
      const key = { ...claim.row.key, tenant: OTHER }
      const executing = inStatus(live.proposal, 'executing')

      const mixed: readonly Change[] = [
        { ...mine, proposals: theirs.proposals },
        { ...mine, receipts: theirs.receipts },
        {
          ...mine,
          proposals: [...mine.proposals, ...theirs.proposals],
          receipts: [...mine.receipts, ...theirs.receipts],
        },
        updating(live, executing, { effect: { ...claim, row: { ...claim.row, key } } }),
        updating(live, executing, { effect: { ...claim, formerKeys: [key] } }),
      ]
      for (const change of mixed) await breaks(store, change, 'two tenants in one change')

      assert.deepEqual(await liveOf(store, live.proposal), live)
      assert.deepEqual(await store.list({ tenant: OTHER, limit: 10 }), [])
    },
  },
]
