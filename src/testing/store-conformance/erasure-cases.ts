// Cases about erasure: what is left is a tombstone, and nothing beside it says what was there.
import assert from 'node:assert/strict'
import type { LiveProposal, Store } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { erasing, inserting, sealed, updating } from './sample-changes.ts'
import { claiming, ending, observing } from './sample-effects.ts'
import { inStatus, sampleProposal } from './sample-proposals.ts'
import {
  approval,
  attempted,
  breaks,
  commits,
  conflicts,
  decided,
  effectOf,
  evidence,
  liveOf,
  moved,
  prepared,
  refuses,
  scrubs,
} from './steps.ts'

/** Guarantee 8: tombstones are content-free. */
export const erasureCases: readonly ConformanceCase[] = [
  {
    code: 'tombstone_not_read_back',
    title: 'an erased proposal is read as its tombstone',
    async run({ store }) {
      const live = await settled(store)
      const change = erasing(live, {
        evidence: 'CONFIRMED',
        attemptCount: 1,
        settledAt: 7,
        metRequirements: ['finance', 'director'],
      })
      await commits(store, change)

      const read = await store.proposal(live.proposal.tenant, live.proposal.ref)

      const [write] = change.proposals
      assert.deepEqual(read, { kind: 'erased', tombstone: write?.kind === 'erase' ? write.tombstone : null })
    },
  },
  {
    code: 'tombstone_keeps_receipts',
    title: 'receipts keep their links and nothing of what they say',
    async run({ store }) {
      const live = await settled(store)
      const { tenant, ref } = live.proposal
      const before = await store.receipts(tenant, ref)
      const change = erasing(live)
      await commits(store, change)

      const after = await store.receipts(tenant, ref)

      assert.deepEqual(
        after,
        [...before, ...change.receipts].map((receipt) => ({ ...receipt, body: null })),
      )
    },
  },
  {
    code: 'tombstone_keeps_content',
    title: 'the claim, its attempts and observations stay, without what was sealed beside them',
    async run({ store }) {
      const live = await settled(store)
      const before = await effectOf(store, live.proposal.effect)
      await commits(store, erasing(live))

      assert.deepEqual(await effectOf(store, live.proposal.effect), before)
      assert.equal(await store.attemptDetail(live.proposal.effect, 1), null)
    },
  },
  {
    code: 'erased_effect_claimed',
    title: 'the effect of an erased proposal is not claimed anew, its request key not used anew',
    async run({ store }) {
      const live = await settled(store, 'hash-1')
      await commits(store, erasing(live))
      const other = await moved(store, await prepared(store, { effect: live.proposal.effect }), 'approved')
      const claim = { effect: claiming(other.proposal, null) }

      await conflicts(store, updating(other, inStatus(other.proposal, 'executing'), claim), 'effect')
      await conflicts(store, inserting(sampleProposal(), { requestKeyHash: 'hash-1' }), 'request_key')

      assert.equal(await store.byRequestKey(live.proposal.tenant, 'hash-1'), live.proposal.ref)
    },
  },
  {
    code: 'erased_proposal_changed',
    title: 'an erased proposal is never changed and never listed',
    async run({ store }) {
      const live = await settled(store)
      await commits(store, erasing(live))
      const reopened = { proposal: { ...live.proposal, revision: live.proposal.revision + 1 }, lastHash: live.lastHash }

      await conflicts(store, updating(reopened, inStatus(reopened.proposal, 'verification_unresolved')), 'erased')
      await conflicts(store, erasing(reopened), 'erased')

      assert.deepEqual(await store.list({ tenant: live.proposal.tenant, limit: 10 }), [])
    },
  },
  {
    code: 'erasure_revision_ignored',
    title: 'erasure happens at its revision, or not at all',
    async run({ store }) {
      const live = await settled(store)
      const moving = await moved(store, live, 'verification_unresolved')

      await conflicts(store, erasing(live), 'revision')

      assert.deepEqual(await liveOf(store, live.proposal), moving)
    },
  },
  {
    code: 'open_proposal_erased',
    title: 'nothing open and nothing under way is erased',
    async run({ store }) {
      const open = await prepared(store)
      const { live } = await attempted(store)

      await breaks(store, erasing(open), 'an open proposal')
      await breaks(store, erasing(live), 'a call under way')

      assert.deepEqual(await liveOf(store, open.proposal), open)
    },
  },
  {
    code: 'tombstone_of_another',
    title: 'a tombstone is that of its proposal and holds the head of its chain',
    async run({ store }) {
      const live = await settled(store)

      await breaks(store, erasing(live, { lastHash: 'a'.repeat(64) }), 'another head')
      await breaks(store, erasing(live, { receiptCount: 3 }), 'another count')
      await breaks(store, erasing(live, { createdAt: 1 }), 'another creation')
      await breaks(store, erasing(live, { action: 'example.payments/refund@2' }), 'another action')
      await breaks(store, erasing(live, { status: 'failed_known' }), 'a status that the lifecycle does not allow')

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
  {
    code: 'erasure_touched_another',
    title: 'the erasure of one proposal touches no other',
    async run({ store }) {
      const [live, other] = [await settled(store), await settled(store)]
      await commits(store, erasing(live))

      assert.deepEqual(await liveOf(store, other.proposal), other)
      assert.deepEqual(
        await store.attemptDetail(other.proposal.effect, 1),
        sealed(`detail of token-${other.proposal.ref}-1`),
      )
    },
  },
  {
    code: 'scrub_not_done',
    title: 'scrubbing is done when nobody reads',
    async run({ store }) {
      await commits(store, erasing(await settled(store)))

      await scrubs(store)
    },
  },
  {
    code: 'tombstone_refilled_in_sql',
    title: 'the database lets nothing return to a tombstone',
    needs: ['attack'],
    async run({ store, attack }) {
      const live = await settled(store)
      const { tenant, ref } = live.proposal
      await commits(store, erasing(live))
      const tombstone = await store.proposal(tenant, ref)
      const here = `where tenant = '${tenant}' and ref = '${ref}'`

      await refuses(attack, [
        `update proposals set snapshot = x'00' ${here}`,
        `update proposals set requester = 'user:alice' ${here}`,
        `update proposals set erasure = 'none' ${here}`,
        `update proposals set revision = revision + 1 ${here}`,
        `update receipts set participant = 'user:alice'`,
        `update receipts set type = 'proposal.prepared'`,
        `update receipts set hash = previous_hash`,
        `update attempts set detail = x'00'`,
        `update observations set facts = x'00'`,
        `insert into keys (tenant, proposal, kek_version, wrapped) values ('${tenant}', '${ref}', 'k1', x'00')`,
        `insert into approvals (tenant, proposal, number, approval_id, decision, decided_at)
          values ('${tenant}', '${ref}', 1, 'a', 'revoke', 1)`,
        `delete from proposals ${here}`,
        'delete from receipts',
      ])

      assert.deepEqual(await store.proposal(tenant, ref), tombstone)
    },
  },
]

/** Guarantee 12: evidence can always be appended (rules R3). */
export const evidenceCases: readonly ConformanceCase[] = [
  ...(['verified', 'failed_known', 'verification_unresolved'] as const).map((status): ConformanceCase => {
    return {
      code: 'evidence_refused',
      title: `evidence is appended whatever the proposal: ${status}`,
      async run({ store }) {
        const { live, effect } = await attempted(store)
        await moved(store, live, status, { change: { effect: ending(effect) } })

        await commits(store, evidence(observing(await effectOf(store, effect.key), { verdict: 'CONFIRMED' })))
        await commits(store, evidence(observing(await effectOf(store, effect.key), { verdict: 'FAILED' })))

        assert.deepEqual(verdicts(await effectOf(store, effect.key)), ['CONFIRMED', 'FAILED'])
      },
    }
  }),
  {
    code: 'evidence_refused_after_erasure',
    title: 'evidence is appended after erasure, and what was sealed for the erased is dropped',
    async run({ store }) {
      const live = await settled(store)
      const late = observing(await effectOf(store, live.proposal.effect), { verdict: 'CONFIRMED', flags: ['late'] })
      await commits(store, erasing(live))

      await commits(store, evidence(late))

      assert.deepEqual(verdicts(await effectOf(store, live.proposal.effect)), ['UNKNOWN', 'CONFIRMED'])
    },
  },
  {
    code: 'evidence_refused_late',
    title: 'evidence is stored although the clock that decides is late',
    async run({ store }) {
      const { effect } = await attempted(store)

      await commits(store, evidence(ending(effect)))
      await commits(store, { ...evidence(observing(await effectOf(store, effect.key))), notAfter: null })
    },
  },
]

function verdicts({ observations }: Awaited<ReturnType<typeof effectOf>>): readonly string[] {
  return observations.map(({ verdict }) => verdict)
}

/** A verified proposal with everything that can hang on one. */
async function settled(store: Store, requestKeyHash: string | null = null): Promise<LiveProposal> {
  const first = await prepared(store, {}, { requestKeyHash })
  const { ref, effect } = first.proposal
  const once = await decided(store, first, [
    { kind: 'decided', proposal: ref, approval: approval(first), comment: sealed(`comment on ${ref}`) },
  ])
  const executing = await moved(store, once, 'executing', { change: { effect: claiming(first.proposal, null) } })
  const pending = await moved(store, executing, 'verification_pending', {
    change: { effect: ending(await effectOf(store, effect)) },
  })
  return moved(store, pending, 'verified', { change: { effect: observing(await effectOf(store, effect)) } })
}
