// Cases about changes: read your own writes, land once, whole or not at all.
import assert from 'node:assert/strict'
import type { Change } from '../../runtime/ports.ts'
import { emptyChange, inserting, sealed, updating } from './sample-changes.ts'
import { claiming, ending, observing } from './sample-effects.ts'
import { inStatus, nextRef, reference, SAMPLE_TENANT, sampleProposal } from './sample-proposals.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { breaks, commits, conflicts, effectOf, liveOf, moved, prepared } from './steps.ts'

/** Guarantee 1: read your own committed writes; the same change twice lands once. */
export const changeCases: readonly ConformanceCase[] = [
  {
    code: 'write_not_read_back',
    title: 'a new proposal is read back as it was written',
    async run({ store }) {
      const proposal = sampleProposal()
      const change = inserting(proposal, { requestKeyHash: 'hash-1' })
      await commits(store, change)

      const live = await liveOf(store, proposal)

      assert.deepEqual(live, {
        kind: 'live',
        proposal,
        approvals: [],
        comments: new Map(),
        content: { snapshot: sealed(`snapshot of ${proposal.ref}`), preview: sealed(`preview of ${proposal.ref}`) },
        result: null,
        key: { kekVersion: 'k1', wrapped: sealed(`key of ${proposal.ref}`) },
        receiptSalt: sealed(`salt of ${proposal.ref}`),
        lastHash: change.receipts[0]?.hash,
      })
      assert.deepEqual(await store.receipts(proposal.tenant, proposal.ref), change.receipts)
      assert.equal(await store.byRequestKey(proposal.tenant, 'hash-1'), proposal.ref)
      const [event] = await store.events(proposal.tenant, 0, 10)
      assert.deepEqual({ ...event, position: 0 }, { ...change.events[0], position: 0 })
    },
  },
  {
    code: 'optional_field_lost',
    title: 'a proposal without any optional field is read back as it was written',
    async run({ store }) {
      const bare = { subject: null, agent: null, agentOwner: null, replaces: null, commandFingerprint: null }

      const live = await prepared(store, bare)

      assert.deepEqual(live.proposal, sampleProposal({ ...bare, ref: live.proposal.ref }))
    },
  },
  {
    code: 'result_lost',
    title: 'the result is kept by changes that bring none',
    async run({ store }) {
      const live = await prepared(store)
      const after = inStatus(live.proposal, 'verified')
      const change = updating(live, after, {
        proposals: [{ kind: 'update', proposal: after, result: sealed('result') }],
      })
      await commits(store, change)

      const reopened = await moved(store, await liveOf(store, after), 'verification_unresolved')

      assert.deepEqual(reopened.result, sealed('result'))
    },
  },
  {
    code: 'effect_not_read_back',
    title: 'an effect is read back with its attempts and observations',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'approved')
      const claim = claiming(live.proposal, null, { precondition: reference('order-version:7') })
      const executing = await moved(store, live, 'executing', { change: { effect: claim } })
      const end = ending(await effectOf(store, claim.row.key), { externalReference: reference('rf_1') })
      const pending = await moved(store, executing, 'verification_pending', { change: { effect: end } })
      const seen = observing(await effectOf(store, claim.row.key), { proof: 'terminal', flags: ['late'], matches: 1 })
      await moved(store, pending, 'verified', { change: { effect: seen } })

      const effect = await effectOf(store, claim.row.key)

      assert.deepEqual(effect, {
        ...seen.row,
        attempts: [{ ...claim.opened, ending: end.ended?.ending }],
        observations: [seen.observed?.observation],
      })
      assert.deepEqual(await store.attemptDetail(claim.row.key, 1), end.ended?.detail)
      assert.equal(await store.attemptDetail(claim.row.key, 2), null)
    },
  },
  {
    code: 'phantom_read',
    title: 'what was never stored is null',
    async run({ store }) {
      assert.equal(await store.proposal(SAMPLE_TENANT, nextRef()), null)
      assert.equal(await store.effect(sampleProposal().effect), null)
      assert.equal(await store.attemptDetail(sampleProposal().effect, 1), null)
      assert.equal(await store.byRequestKey(SAMPLE_TENANT, 'hash-0'), null)
      assert.deepEqual(await store.receipts(SAMPLE_TENANT, nextRef()), [])
    },
  },
  {
    code: 'change_landed_twice',
    title: 'the same change twice lands once and answers with the time of the first',
    async run({ store }) {
      const change = inserting(sampleProposal())

      const first = await commits(store, change)
      const second = await commits(store, change)

      assert.equal(second, first)
      assert.equal((await store.events(change.tenant, 0, 10)).length, 1)
    },
  },
  {
    code: 'old_change_applied_again',
    title: 'a change that comes again after others changes nothing',
    async run({ store }) {
      const proposal = sampleProposal()
      const change = inserting(proposal)
      const at = await commits(store, change)
      const approved = await moved(store, await liveOf(store, proposal), 'approved')

      assert.equal(await commits(store, change), at)

      assert.deepEqual(await liveOf(store, proposal), approved)
    },
  },
  {
    code: 'change_raced_itself',
    title: 'many tries of one change at once land once',
    async run({ store }) {
      const change = inserting(sampleProposal())

      const answers = await Promise.all(Array.from({ length: 8 }, () => store.commit(change)))

      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
      assert.equal((await store.events(change.tenant, 0, 10)).length, 1)
    },
  },
  {
    code: 'change_landed_twice_elsewhere',
    title: 'a change that comes again over another connection lands once',
    needs: ['second'],
    async run({ store, second }) {
      const other = await second()
      const change = inserting(sampleProposal())

      const [here, there] = await Promise.all([store.commit(change), other.commit(change)])

      assert.deepEqual(here, there)
      assert.equal(here.kind, 'committed')
      assert.equal((await other.events(change.tenant, 0, 10)).length, 1)
    },
  },
  {
    code: 'write_lost_on_reopen',
    title: 'what was committed is there when the store is opened again',
    needs: ['reopen'],
    async run({ store, reopen }) {
      const change = inserting(sampleProposal())
      const at = await commits(store, change)
      const [insert] = change.proposals
      assert.equal(insert?.kind, 'insert')

      const again = await reopen()

      assert.deepEqual((await liveOf(again, insert.proposal)).proposal, insert.proposal)
      assert.equal(await commits(again, change), at)
    },
  },
  {
    code: 'change_half_applied',
    title: 'a change with a fault in its last part leaves nothing behind',
    async run({ store }) {
      const good = inserting(sampleProposal())
      const bad = inserting(sampleProposal())
      const broken = bad.receipts.map((receipt) => ({ ...receipt, previousHash: 'a'.repeat(64) }))
      const change: Change = {
        ...emptyChange(good.tenant),
        proposals: [...good.proposals, ...bad.proposals],
        receipts: [...good.receipts, ...broken],
      }

      await breaks(store, change, 'a receipt that continues no chain')

      assert.deepEqual(await store.list({ tenant: good.tenant, limit: 10 }), [])
      await commits(store, { ...change, receipts: [...good.receipts, ...bad.receipts] })
    },
  },
  {
    code: 'answer_aliases_state',
    title: 'nothing that a store answers can be used to change what it keeps',
    async run({ store }) {
      const live = await prepared(store)
      const bytes = live.content.snapshot
      bytes.fill(0)
      try {
        Object.assign(live.proposal, { status: 'verified' })
      } catch {
        // Frozen, which is as good.
      }

      const again = await liveOf(store, sampleProposal({ ref: live.proposal.ref }))

      assert.equal(again.proposal.status, 'awaiting_approval')
      assert.deepEqual(again.content.snapshot, sealed(`snapshot of ${again.proposal.ref}`))
    },
  },
  {
    code: 'not_after_ignored',
    title: 'a change is too late from the instant on that it must not reach',
    async run({ store }) {
      const at = await commits(store, inserting(sampleProposal()))
      const late = { ...inserting(sampleProposal()), notAfter: at }

      await conflicts(store, late, 'too_late')

      await commits(store, { ...late, notAfter: at + 1e9 })
    },
  },
  {
    code: 'not_before_ignored',
    title: 'a change is too early until the instant that it must not precede',
    async run({ store }) {
      const at = await commits(store, inserting(sampleProposal()))
      const early = { ...inserting(sampleProposal()), notBefore: at + 1e9 }

      await conflicts(store, early, 'too_early')

      await commits(store, { ...early, notBefore: at })
    },
  },
  {
    code: 'answered_after_close',
    title: 'nothing is answered after the store was closed',
    async run({ store }) {
      await store.health()
      await store.close()
      await store.close()

      const unavailable = { name: 'StoreUnavailable' }
      await assert.rejects(store.health(), unavailable)
      await assert.rejects(store.commit(inserting(sampleProposal())), unavailable)
      await assert.rejects(store.proposal(SAMPLE_TENANT, nextRef()), unavailable)
    },
  },
]
