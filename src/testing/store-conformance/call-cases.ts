// Cases about guarded calls: claimed once, started by one, completed once, and released only where nothing was started.
import assert from 'node:assert/strict'
import { counterpart } from '../../effect/effect-key.ts'
import { callOf, endedCall, startedCall } from './call-steps.ts'
import type { ConformanceCase } from './conformance-case.ts'
import {
  claimingCall,
  endingCall,
  progressing,
  releasing,
  sampleCallKey,
  startingCall,
  takingOver,
} from './sample-calls.ts'
import { emptyChange, updating } from './sample-changes.ts'
import { claiming, SAMPLE_LEASE_MS } from './sample-effects.ts'
import { inStatus, reference, SAMPLE_START, SAMPLE_TENANT } from './sample-proposals.ts'
import { breaks, commits, conflicts, moved, prepared, refuses } from './steps.ts'

/** Guarantees 1 to 4, for guarded calls. */
export const callCases: readonly ConformanceCase[] = [
  {
    code: 'call_misread',
    title: 'a call is read as it was written, by its key and by its id',
    async run({ store }) {
      const key = sampleCallKey()
      const change = claimingCall(key)
      await commits(store, change)

      const claimed = await callOf(store, key)
      assert.deepEqual(claimed.claim, change.call?.kind === 'claim' && change.call.claim)
      assert.equal(claimed.effect.kind, 'call')
      assert.deepEqual(claimed.attempts, [])

      const ended = await endedCall(store, claimed)
      assert.deepEqual(ended.attempts, [
        { number: 1, error: 'lost', isRetryable: true, decision: null, nextAttemptAt: null },
      ])
      assert.deepEqual(await store.callById(SAMPLE_TENANT, claimed.claim.actionId), key)
      assert.equal(await store.callById(reference('tenant-other'), claimed.claim.actionId), null)
      assert.equal(await store.call({ ...key, tenant: reference('tenant-other') }), null)
    },
  },
  {
    code: 'call_claim_not_unique',
    title: 'of many who claim a call one does',
    async run({ store }) {
      const key = sampleCallKey()
      const claims = Array.from({ length: 8 }, () => claimingCall(key))

      const answers = await Promise.all(claims.map(async (claim) => store.commit(claim)))

      const won = claims.filter((_claim, index) => answers[index]?.kind === 'committed')
      assert.equal(won.length, 1)
      const [winner] = won
      assert.equal((await callOf(store, key)).claim.holder, winner?.call?.kind === 'claim' && winner.call.claim.holder)
    },
  },
  {
    code: 'call_claim_not_unique_elsewhere',
    title: 'of many who claim a call over two connections one does',
    needs: ['second'],
    async run({ store, second }) {
      const key = sampleCallKey()
      const other = await second()

      const answers = await Promise.all(
        [store, other, store, other].map(async (connection) => connection.commit(claimingCall(key))),
      )

      assert.equal(answers.filter(({ kind }) => kind === 'committed').length, 1)
      await callOf(other, key)
    },
  },
  {
    code: 'call_and_proposal_mixed',
    title: 'a call and a proposal never claim the same effect',
    async run({ store }) {
      const proposed = await moved(store, await prepared(store), 'approved')
      const called = counterpart(proposed.proposal.effect)
      const barred = { ...claiming(proposed.proposal, null), formerKeys: [called] }
      await commits(store, claimingCall(called))
      await conflicts(store, updating(proposed, inStatus(proposed.proposal, 'executing'), { effect: barred }), 'effect')

      const first = await moved(store, await prepared(store), 'approved')
      await moved(store, first, 'executing', { change: { effect: claiming(first.proposal, null) } })
      const late = claimingCall(counterpart(first.proposal.effect))
      const effect = late.effect && { ...late.effect, formerKeys: [first.proposal.effect] }
      await conflicts(store, { ...late, effect }, 'effect')
    },
  },
  {
    code: 'call_release_incomplete',
    title: 'a claim that was never started is released whole, and its key is free',
    async run({ store }) {
      const key = sampleCallKey()
      await commits(store, claimingCall(key))
      const claimed = await callOf(store, key)

      await commits(store, releasing(claimed))

      assert.equal(await store.call(key), null)
      assert.equal(await store.effect(key), null)
      assert.equal(await store.callById(SAMPLE_TENANT, claimed.claim.actionId), null)
      await conflicts(store, startingCall(claimed), 'effect')
      await commits(store, claimingCall(key, { requestHash: 'another' }))
      assert.equal((await callOf(store, key)).claim.requestHash, 'another')
    },
  },
  {
    code: 'call_start_and_release_mixed',
    title: 'a start and a release exclude each other',
    async run({ store }) {
      const key = sampleCallKey()
      await commits(store, claimingCall(key))
      const claimed = await callOf(store, key)
      const start = startingCall(claimed)

      const [started, released] = await Promise.all([store.commit(start), store.commit(releasing(claimed))])

      assert.notEqual(started.kind, released.kind)
      const call = await store.call(key)
      assert.equal(call === null, released.kind === 'committed')
    },
  },
  {
    code: 'started_call_released',
    title: 'a call that was started is never released, by whatever version',
    async run({ store }) {
      const started = await startedCall(store)

      await breaks(store, releasing(started), 'a started call')

      assert.deepEqual(await callOf(store, started.effect.key), started)
    },
  },
  {
    code: 'call_lease_ignored',
    title: 'a claim is taken over when its lease has ended by the clock of the store, and before it is started',
    async run({ store }) {
      const live = sampleCallKey()
      await commits(store, claimingCall(live, { leaseUntil: Date.UTC(9000, 0, 1) }))
      await conflicts(store, takingOver(await callOf(store, live)), 'leased')

      const lapsed = sampleCallKey()
      await commits(store, claimingCall(lapsed, { leaseUntil: 1 }))
      const before = await callOf(store, lapsed)
      await commits(store, takingOver(before))
      await conflicts(store, startingCall(before), 'effect')

      const taken = await callOf(store, lapsed)
      assert.notEqual(taken.claim.holder, before.claim.holder)
      assert.equal(taken.claim.leaseUntil, SAMPLE_START + 2 * SAMPLE_LEASE_MS)
      assert.equal(taken.effect.epoch, before.effect.epoch + 1)

      const started = sampleCallKey()
      await commits(store, claimingCall(started, { leaseUntil: 1 }))
      await commits(store, startingCall(await callOf(store, started)))
      await breaks(store, takingOver(await callOf(store, started)), 'a started call')
    },
  },
  {
    code: 'completed_call_changed',
    title: 'a call is completed once, when its attempts have ended, and never started again',
    async run({ store }) {
      const started = await startedCall(store)
      await breaks(store, progressing(started, { completedAt: SAMPLE_START }), 'an open attempt')
      await commits(store, endingCall(started, { completedAt: SAMPLE_START }))
      const completed = await callOf(store, started.effect.key)

      assert.equal(completed.claim.state, 'COMPLETED')
      assert.equal(completed.claim.completedAt, SAMPLE_START)
      await breaks(store, progressing(completed, { completedAt: SAMPLE_START + 1 }), 'completed before')
      await breaks(store, startingCall(completed), 'a completed call')
      assert.deepEqual(await callOf(store, started.effect.key), completed)

      const claimed = sampleCallKey()
      await commits(store, claimingCall(claimed))
      const unstarted = await callOf(store, claimed)
      await breaks(store, progressing(unstarted, { completedAt: SAMPLE_START }), 'no attempt')
    },
  },
  {
    code: 'call_attempt_rewritten',
    title: 'an attempt is told of once when it has ended, and decided on once',
    async run({ store }) {
      const started = await startedCall(store)
      const told = { number: 1, error: null, isRetryable: false }
      await breaks(store, progressing(started, { ended: told }), 'an open attempt')
      const ended = await endedCall(store, started)
      await breaks(store, progressing(ended, { ended: told }), 'told of before')
      await breaks(store, progressing(ended, { ended: { ...told, number: 2 } }), 'never made')
      await breaks(
        store,
        progressing(ended, { decided: [{ number: 2, decision: 'stop', nextAttemptAt: null }] }),
        'never made',
      )
      await breaks(
        store,
        progressing(ended, { decided: [{ number: 1, decision: 'retry', nextAttemptAt: null }] }),
        'without its time',
      )

      const retry = { number: 1, decision: 'retry', nextAttemptAt: SAMPLE_START + 5 } as const
      await commits(store, progressing(ended, { decided: [retry] }))

      const decided = await callOf(store, ended.effect.key)
      assert.deepEqual(decided.attempts, [{ ...ended.attempts[0], ...retry }])
      await breaks(store, progressing(decided, { decided: [{ ...retry, nextAttemptAt: SAMPLE_START + 6 }] }), 'twice')
      await commits(store, startingCall(decided))
    },
  },
  {
    code: 'call_without_effect',
    title: 'a guarded call is never without its effect, nor the effect of one without its call',
    async run({ store }) {
      const claim = claimingCall(sampleCallKey())

      await breaks(store, { ...claim, call: null }, 'an effect without its call')
      await breaks(store, { ...claim, effect: null }, 'a call without its effect')
      const live = await moved(store, await prepared(store), 'approved')
      const proposed = claiming(live.proposal, null)
      await breaks(
        store,
        updating(live, inStatus(live.proposal, 'executing'), { effect: proposed, call: claim.call }),
        'a call with the effect of a proposal',
      )
      const release = { kind: 'release', key: live.proposal.effect, version: 1 } as const
      await breaks(store, { ...emptyChange(SAMPLE_TENANT), call: release }, 'the effect of a proposal')
    },
  },
  {
    code: 'call_rewritten_in_sql',
    title: 'the database never lets go of a call that was started',
    needs: ['attack'],
    async run({ store, attack }) {
      const started = await startedCall(store)

      await refuses(attack, [
        'delete from effects',
        'delete from calls',
        'delete from call_attempts; delete from attempts',
        `update calls set holder = 'mine'`,
        `update calls set request_hash = 'mine'`,
        `update calls set state = 'COMPLETED', completed_at = 1`,
        'insert or replace into calls select * from calls',
      ])
      assert.deepEqual(await callOf(store, started.effect.key), started)

      await commits(store, endingCall(started, { completedAt: SAMPLE_START }))
      const completed = await callOf(store, started.effect.key)
      await refuses(attack, [
        `update calls set state = 'PENDING', completed_at = null`,
        'delete from call_attempts',
        `update call_attempts set error = 'another'`,
        'delete from calls',
        'delete from effects',
      ])
      assert.deepEqual(await callOf(store, started.effect.key), completed)
    },
  },
]
