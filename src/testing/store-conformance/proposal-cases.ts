// Cases about proposals: one winner per revision, and what a proposal is for ever.
import assert from 'node:assert/strict'
import type { Proposal, ProposalCore } from '../../proposal/proposal.ts'
import type { LiveProposal } from '../../runtime/ports.ts'
import { inserting, updating } from './sample-changes.ts'
import { inStatus, nextRef, reference, SAMPLE_START, sampleEffectKey, sampleProposal } from './sample-proposals.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { breaks, commits, conflicts, liveOf, moved, prepared, refuses } from './steps.ts'

/** Guarantee 2: one winner per revision; identity, creation, content and commitment never change. */
export const proposalCases: readonly ConformanceCase[] = [
  {
    code: 'revision_not_guarded',
    title: 'of many changes at one revision one lands, the others are told',
    async run({ store }) {
      const live = await prepared(store)

      const answers = await Promise.all(rivals(live).map((change) => store.commit(change)))

      assertOneWinner(answers)
      assert.equal((await liveOf(store, live.proposal)).proposal.revision, 1)
      assert.equal((await store.receipts(live.proposal.tenant, live.proposal.ref)).length, 2)
    },
  },
  {
    code: 'revision_not_guarded_elsewhere',
    title: 'of many changes at one revision over two connections one lands',
    needs: ['second'],
    async run({ store, second }) {
      const live = await prepared(store)
      const other = await second()

      const changes = rivals(live)
      const answers = await Promise.all(
        changes.map((change, index) => (index % 2 === 0 ? store : other).commit(change)),
      )

      assertOneWinner(answers)
    },
  },
  {
    code: 'revision_skipped',
    title: 'a revision is neither repeated nor left out',
    async run({ store }) {
      const live = await prepared(store)
      const approved = await moved(store, live, 'approved')
      const next = inStatus(approved.proposal, 'withdrawn')

      await conflicts(store, updating(live, inStatus(live.proposal, 'rejected')), 'revision')
      await conflicts(store, updating(approved, { ...next, revision: next.revision + 1 }), 'revision')

      assert.deepEqual(await liveOf(store, live.proposal), approved)
    },
  },
  {
    code: 'conflict_left_traces',
    title: 'a change in conflict leaves nothing behind, not even its id',
    async run({ store }) {
      const live = await prepared(store)
      const first = updating(live, inStatus(live.proposal, 'approved'))
      const head = { proposal: inStatus(live.proposal, 'approved'), lastHash: first.receipts[0]?.hash ?? '' }
      const second = updating(head, inStatus(head.proposal, 'withdrawn'))

      await conflicts(store, second, 'revision')
      assert.deepEqual(await liveOf(store, live.proposal), live)
      await commits(store, first)
      await commits(store, second)

      assert.equal((await liveOf(store, live.proposal)).proposal.status, 'withdrawn')
    },
  },
  {
    code: 'missing_proposal_updated',
    title: 'a change of a proposal that is not there is a conflict',
    async run({ store }) {
      const proposal = sampleProposal()
      const change = updating({ proposal, lastHash: '0'.repeat(64) }, inStatus(proposal, 'approved'))

      await conflicts(store, change, 'revision')
    },
  },
  {
    code: 'reference_reused',
    title: 'a reference is given once',
    async run({ store }) {
      const live = await prepared(store)

      await conflicts(store, inserting(sampleProposal({ ref: live.proposal.ref, subject: null })), 'exists')

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
  {
    code: 'request_key_reused',
    title: 'a request key is used once, and the second proposal is not stored',
    async run({ store }) {
      const first = await prepared(store, {}, { requestKeyHash: 'hash-1' })
      const second = sampleProposal()

      await conflicts(store, inserting(second, { requestKeyHash: 'hash-1' }), 'request_key')

      assert.equal(await store.byRequestKey(second.tenant, 'hash-1'), first.proposal.ref)
      assert.equal(await store.proposal(second.tenant, second.ref), null)
    },
  },
  ...identityChanges().map(([field, change]): ConformanceCase => {
    return {
      code: 'identity_changed',
      title: `${field} of a proposal never changes`,
      async run({ store }) {
        const live = await prepared(store)

        await breaks(store, updating(live, inStatus(live.proposal, 'approved', change)), field)

        assert.deepEqual(await liveOf(store, live.proposal), live)
      },
    }
  }),
  {
    code: 'proposal_started_wrong',
    title: 'a proposal starts open at revision 0',
    async run({ store }) {
      const proposal = sampleProposal()

      await breaks(store, inserting(inStatus(proposal, 'approved')), 'revision 1')
      await breaks(store, inserting({ ...inStatus(proposal, 'withdrawn'), revision: 0 }), 'closed')
      await breaks(store, inserting({ ...proposal, erasure: 'erased' }), 'erased')

      assert.equal(await store.proposal(proposal.tenant, proposal.ref), null)
    },
  },
  {
    code: 'time_went_back',
    title: 'the time of a proposal never goes back',
    async run({ store }) {
      const live = await prepared(store)
      const earlier = inStatus(live.proposal, 'approved', { updatedAt: SAMPLE_START - 1 })

      await breaks(store, updating(live, earlier), 'an earlier time')
    },
  },
  {
    code: 'hidden_proposal_shown',
    title: 'a hidden proposal is never shown again',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'pending' } })

      await breaks(store, updating(live, inStatus(live.proposal, 'withdrawn', { erasure: 'none' })), 'shown again')
    },
  },
  {
    code: 'proposal_written_twice',
    title: 'a change writes a proposal once',
    async run({ store }) {
      const live = await prepared(store)
      const first = updating(live, inStatus(live.proposal, 'approved'))
      const second = updating(live, inStatus(live.proposal, 'withdrawn'))

      await breaks(store, { ...first, proposals: [...first.proposals, ...second.proposals] }, 'written twice')
    },
  },
  {
    code: 'proposal_rewritten_in_sql',
    title: 'the database refuses to rewrite or remove a proposal',
    needs: ['attack'],
    async run({ store, attack }) {
      const live = await prepared(store)

      await refuses(attack, attacks(live.proposal))

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
]

function rivals(live: LiveProposal): readonly ReturnType<typeof updating>[] {
  const statuses = ['approved', 'rejected', 'withdrawn', 'expired', 'awaiting_approval', 'approved'] as const
  return statuses.map((status) => updating(live, inStatus(live.proposal, status)))
}

function assertOneWinner(answers: readonly unknown[]): void {
  const told = answers.map((answer) => JSON.stringify(answer))
  assert.equal(told.filter((answer) => answer.includes('"committed"')).length, 1)
  assert.equal(told.filter((answer) => answer === '{"kind":"conflict","on":"revision"}').length, answers.length - 1)
}

function identityChanges(): readonly (readonly [field: string, change: Partial<ProposalCore>])[] {
  const other = { kind: 'user', id: reference('mallory') } as const
  const sample = sampleProposal()
  return [
    ['action', { action: 'example.payments/refund@2' }],
    ['definition', { definitionDigest: 'e'.repeat(64) }],
    ['effect', { effect: sampleEffectKey(sample.tenant, 'another') }],
    ['subject', { subject: reference('order-2') }],
    ['requester', { requester: other }],
    ['agent', { agent: null }],
    ['agent owner', { agentOwner: other }],
    ['replaced proposal', { replaces: nextRef() }],
    ['policy', { policy: { ...sample.policy, require: [] } }],
    ['fingerprint', { commandFingerprint: null }],
    ['commitment', { commitment: `c1_${'B'.repeat(43)}` }],
    ['creation', { createdAt: SAMPLE_START + 1 }],
    ['expiry', { expiresAt: sample.expiresAt + 1 }],
  ]
}

function attacks({ tenant, ref }: Proposal): readonly string[] {
  const here = `where tenant = '${tenant}' and ref = '${ref}'`
  const sets = [
    'expires_at = expires_at + 1',
    `commitment = 'c1_x'`,
    `snapshot = x'00'`,
    `policy = '{}'`,
    `requester = 'user:mallory'`,
    'revision = revision + 2',
    'revision = revision',
    'revision = revision + 1',
    `ref = 'other'`,
    `tenant = 'other'`,
    `status = 'approved'`,
    `effect_domain = 'call:x'`,
  ]
  return [...sets.map((set) => `update proposals set ${set} ${here}`), `delete from proposals ${here}`]
}
