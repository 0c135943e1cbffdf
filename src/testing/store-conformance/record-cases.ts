// Cases about records: receipts, decisions and observations are only ever added, without gaps, each where it belongs.
import assert from 'node:assert/strict'
import type { Receipt } from '../../proposal/receipts/receipt.ts'
import type { ApprovalWrite } from '../../runtime/ports.ts'
import { sealed, updating } from './sample-changes.ts'
import { ending, observing } from './sample-effects.ts'
import { inStatus, nextRef, SAMPLE_START } from './sample-proposals.ts'
import type { ConformanceCase } from './conformance-case.ts'
import {
  approval,
  attempted,
  breaks,
  commits,
  decided,
  deciding,
  effectOf,
  evidence,
  liveOf,
  moved,
  prepared,
  refuses,
} from './steps.ts'

/** Guarantee 5: append-only, gap-free, chained. */
export const recordCases: readonly ConformanceCase[] = [
  {
    code: 'decisions_out_of_order',
    title: 'decisions are read in their order, with comments and revocations',
    async run({ store }) {
      const live = await prepared(store)
      const [first, second] = [approval(live), approval(live, { decision: 'approve', rolesAtDecision: [] })]
      const once = await decided(store, live, [
        { kind: 'decided', proposal: live.proposal.ref, approval: first, comment: sealed('why') },
      ])
      const twice = await decided(store, once, [
        { kind: 'decided', proposal: live.proposal.ref, approval: second, comment: null },
      ])

      const revoked = await decided(store, twice, [
        { kind: 'revoked', proposal: live.proposal.ref, approvalId: first.approvalId, revokedAt: SAMPLE_START + 5 },
      ])

      assert.deepEqual(revoked.approvals, [{ ...first, revokedAt: SAMPLE_START + 5 }, second])
      assert.deepEqual(revoked.comments, new Map([[first.approvalId, sealed('why')]]))
    },
  },
  {
    code: 'decision_repeated',
    title: 'a decision has an id of its own and is taken back once',
    async run({ store }) {
      const live = await prepared(store)
      const { ref } = live.proposal
      const given: ApprovalWrite = { kind: 'decided', proposal: ref, approval: approval(live), comment: null }
      const back: ApprovalWrite = {
        kind: 'revoked',
        proposal: ref,
        approvalId: given.approval.approvalId,
        revokedAt: SAMPLE_START,
      }
      const once = await decided(store, live, [given])

      await breaks(store, deciding(once, [given]), 'the same id twice')
      await breaks(store, deciding(once, [{ ...back, approvalId: nextRef() }]), 'an approval that is not there')
      const revoked = await decided(store, once, [back])
      await breaks(store, deciding(revoked, [back]), 'taken back twice')

      assert.deepEqual(await liveOf(store, live.proposal), revoked)
    },
  },
  ...brokenReceipts().map(([title, alter]): ConformanceCase => {
    return {
      code: 'receipt_chain_unchecked',
      title: `a receipt is refused ${title}`,
      async run({ store }) {
        const live = await moved(store, await prepared(store), 'approved', { core: { updatedAt: SAMPLE_START + 5 } })
        const change = updating(live, inStatus(live.proposal, 'withdrawn'))

        await breaks(store, { ...change, receipts: change.receipts.flatMap(alter) }, title)

        assert.deepEqual(await liveOf(store, live.proposal), live)
        assert.equal((await store.receipts(live.proposal.tenant, live.proposal.ref)).length, 2)
      },
    }
  }),
  {
    code: 'receipts_truncated',
    title: 'every receipt is read, however many there are',
    async run({ store }) {
      let live = await prepared(store)
      for (let round = 0; round < 6; round += 1) {
        live = await moved(store, live, round % 2 === 0 ? 'approved' : 'awaiting_approval')
      }

      const receipts = await store.receipts(live.proposal.tenant, live.proposal.ref)

      assert.equal(receipts.length, live.proposal.revision + 1)
    },
  },
  {
    code: 'receipts_out_of_order',
    title: 'receipts are read as a chain without gaps',
    async run({ store }) {
      const live = await moved(store, await moved(store, await prepared(store), 'approved'), 'withdrawn')

      const receipts = await store.receipts(live.proposal.tenant, live.proposal.ref)

      assert.deepEqual(
        receipts.map(({ sequence }) => sequence),
        [1, 2, 3],
      )
      assert.deepEqual(
        receipts.slice(1).map(({ previousHash }) => previousHash),
        receipts.slice(0, -1).map(({ hash }) => hash),
      )
      assert.equal(receipts.at(-1)?.hash, live.lastHash)
    },
  },
  {
    code: 'observation_gap',
    title: 'observations are numbered without gaps and cover attempts that were started',
    async run({ store }) {
      const { effect } = await attempted(store)

      await breaks(store, evidence(observing(effect, { sequence: 2 })), 'a gap')
      await breaks(store, evidence(observing(effect, { covers: { from: 1, to: 2 } })), 'an attempt of the future')

      assert.deepEqual(await effectOf(store, effect.key), effect)
    },
  },
  {
    code: 'event_tells_wrong',
    title: 'an event tells of the revision and the status that its change stores',
    async run({ store }) {
      const live = await prepared(store)
      const change = updating(live, inStatus(live.proposal, 'approved'))

      await breaks(
        store,
        { ...change, events: change.events.map((event) => ({ ...event, revision: 2 })) },
        'another revision',
      )
      await breaks(
        store,
        { ...change, events: change.events.map((event) => ({ ...event, status: 'verified' })) },
        'another status',
      )

      assert.equal((await store.events(live.proposal.tenant, 0, 10)).length, 1)
    },
  },
  {
    code: 'record_rewritten_in_sql',
    title: 'the database keeps every record as it is',
    needs: ['attack'],
    async run({ store, attack }) {
      await prepared(store, {}, { requestKeyHash: 'hash-1' })
      const { live, effect } = await attempted(store)
      await commits(store, evidence(ending(effect)))
      await commits(store, evidence(observing(await effectOf(store, effect.key))))
      const before = await effectOf(store, effect.key)
      const decision: ApprovalWrite = {
        kind: 'decided',
        proposal: live.proposal.ref,
        approval: approval(live),
        comment: null,
      }
      const kept = await decided(store, live, [decision], 'verification_pending')

      await refuses(attack, RECORD_ATTACKS)

      assert.deepEqual(await liveOf(store, live.proposal), kept)
      assert.deepEqual(await effectOf(store, effect.key), before)
    },
  },
]

const RECORD_ATTACKS: readonly string[] = [
  ...['receipts', 'approvals', 'observations', 'events', 'changes', 'keys', 'request_keys'].map(
    (table) => `delete from ${table}`,
  ),
  `update request_keys set proposal = proposal`,
  `update receipts set status = 'verified'`,
  `update receipts set hash = previous_hash`,
  `update receipts set type = null, at = null, participant = null, caller = null, action = null, status = null,
    attempt = null, reason = null, external_reference = null, detail = null, runtime_version = null`,
  `update approvals set approver = 'user:mallory'`,
  `update approvals set comment = null`,
  `update observations set verdict = 'CONFIRMED'`,
  `update observations set facts = null`,
  `update events set status = 'verified'`,
  `update events set position = position + 1`,
  `update changes set at = at + 1`,
  `update keys set proposal = 'other'`,
]

function brokenReceipts(): readonly (readonly [title: string, alter: (receipt: Receipt) => readonly Receipt[]])[] {
  const body = (receipt: Receipt, change: object): Receipt => ({
    ...receipt,
    body: receipt.body && { ...receipt.body, ...change },
  })
  return [
    ['that continues another chain', (receipt) => [{ ...receipt, previousHash: 'a'.repeat(64) }]],
    ['that leaves a sequence out', (receipt) => [{ ...receipt, sequence: receipt.sequence + 1 }]],
    ['that repeats a sequence', (receipt) => [{ ...receipt, sequence: receipt.sequence - 1 }]],
    ['that tells of an earlier time', (receipt) => [body(receipt, { at: SAMPLE_START })]],
    ['that tells of another status', (receipt) => [body(receipt, { status: 'rejected' })]],
    ['that tells nothing', (receipt) => [{ ...receipt, body: null }]],
    ['that comes twice', (receipt) => [receipt, receipt]],
    ['of a proposal that is not written', (receipt) => [receipt, { ...receipt, proposal: nextRef() }]],
  ]
}
