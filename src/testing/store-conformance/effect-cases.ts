// Cases about effects: one claim, one open attempt, and fences that hold.
import assert from 'node:assert/strict'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Effect } from '../../effect/effect.ts'
import type { EffectWrite, LiveProposal, Store } from '../../runtime/ports.ts'
import { updating } from './sample-changes.ts'
import { claiming, ending, observing, raising } from './sample-effects.ts'
import { inStatus, nextSerial, SAMPLE_TENANT, sampleEffectKey } from './sample-proposals.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { attempted, breaks, commits, conflicts, effectOf, evidence, moved, prepared, refuses } from './steps.ts'

/** Guarantee 3: one claim per effect; it passes on only under the expected version. */
export const claimCases: readonly ConformanceCase[] = [
  {
    code: 'claim_not_unique',
    title: 'of many proposals one claims the effect, the others stay as they were',
    async run({ store }) {
      const rivals = await approvedRivals(store, 5)

      const answers = await Promise.all(
        rivals.map((rival) => store.commit(executing(rival, claiming(rival.proposal, null)))),
      )

      await assertOneClaim(store, rivals, answers)
    },
  },
  {
    code: 'claim_not_unique_elsewhere',
    title: 'of many proposals over two connections one claims the effect',
    needs: ['second'],
    async run({ store, second }) {
      const rivals = await approvedRivals(store, 6)
      const other = await second()

      const claims = rivals.map(async (rival, index) => {
        const mine = index % 2 === 0 ? store : other
        return mine.commit(executing(rival, claiming(rival.proposal, null)))
      })

      await assertOneClaim(store, rivals, await Promise.all(claims))
    },
  },
  {
    code: 'claim_version_ignored',
    title: 'a claim passes on at the expected version alone',
    async run({ store }) {
      const contested = freshEffect()
      const second = await approved(store, contested)
      const { live, effect } = await failed(store, await approved(store, contested))
      const stale = claiming(second.proposal, { ...effect, version: effect.version - 1 })

      await conflicts(store, executing(second, claiming(second.proposal, null)), 'effect')
      await conflicts(store, executing(second, stale), 'effect')
      await commits(store, executing(second, claiming(second.proposal, effect)))

      const passed = await effectOf(store, effect.key)
      assert.equal(passed.owner, second.proposal.ref)
      assert.deepEqual(
        passed.attempts.map(({ number, proposal }) => [number, proposal]),
        [
          [1, live.proposal.ref],
          [2, second.proposal.ref],
        ],
      )
    },
  },
  {
    code: 'former_domain_ignored',
    title: 'an effect under a former domain bars the claim',
    async run({ store }) {
      const former = await failed(store, await approved(store, freshEffect()))
      const live = await moved(store, await prepared(store), 'approved')
      const claim = { ...claiming(live.proposal, null), formerKeys: [former.effect.key] }

      await conflicts(store, executing(live, claim), 'effect')

      await commits(store, executing(live, { ...claim, formerKeys: [sampleEffectKey(SAMPLE_TENANT, 'never claimed')] }))
    },
  },
  {
    code: 'effect_kinds_mixed',
    title: 'effects of proposals never live under a call domain, nor calls elsewhere',
    async run({ store }) {
      const key = { ...sampleEffectKey(SAMPLE_TENANT, 'x'), domain: 'call:payments' }
      const live = await moved(store, await prepared(store), 'approved')
      const claim = claiming(live.proposal, null)

      await breaks(store, executing(live, { ...claim, row: { ...claim.row, key } }), 'a proposal under a call domain')
      await breaks(
        store,
        executing(live, { ...claim, row: { ...claim.row, kind: 'call' } }),
        'a call without its domain',
      )
    },
  },
  {
    code: 'claim_rewritten_in_sql',
    title: 'the database never lets go of a claim',
    needs: ['attack'],
    async run({ store, attack }) {
      const { effect } = await failed(store, await approved(store, freshEffect()))
      const attacks = [
        'delete from effects',
        'update effects set version = version',
        'update effects set version = version - 1',
        'update effects set version = version + 1, epoch = epoch - 1',
        `update effects set version = version + 1, owner = null`,
        `update effects set version = version + 1, owner = 'nobody'`,
        `update effects set version = version + 1, reference = 'other'`,
        `update effects set version = version + 1, kind = 'call', owner = null`,
      ]

      await refuses(attack, attacks)

      assert.deepEqual(await effectOf(store, effect.key), effect)
    },
  },
]

/** Guarantee 4: one open attempt, numbers without gaps, ended once; an old token or fence changes nothing. */
export const attemptCases: readonly ConformanceCase[] = [
  {
    code: 'two_attempts_open',
    title: 'an effect has one open attempt',
    async run({ store }) {
      const { live, effect } = await attempted(store)

      await breaks(
        store,
        updating(live, inStatus(live.proposal, 'executing'), { effect: claiming(live.proposal, effect) }),
        'two open',
      )

      assert.deepEqual(await effectOf(store, effect.key), effect)
    },
  },
  {
    code: 'attempt_number_gap',
    title: 'attempts are numbered without gaps',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'approved')

      await breaks(
        store,
        executing(live, claiming(live.proposal, null, { number: 2 })),
        'a first attempt with number 2',
      )

      assert.equal(await store.effect(live.proposal.effect), null)
    },
  },
  {
    code: 'attempt_token_ignored',
    title: 'an attempt ends once, and by its own token',
    async run({ store }) {
      const { effect } = await attempted(store)
      const end = ending(effect)
      const foreign = { ...end, ended: end.ended && { ...end.ended, token: 'another' } }
      const other = { ...end, ended: end.ended && { ...end.ended, number: 2 } }

      await conflicts(store, evidence(foreign), 'fenced')
      await conflicts(store, evidence(other), 'fenced')
      await commits(store, evidence(end))
      await conflicts(store, evidence(end), 'fenced')

      const ended = await effectOf(store, effect.key)
      assert.deepEqual(ended.attempts[0]?.ending, end.ended?.ending)
      await conflicts(store, evidence(ending(ended, { kind: 'failed_known', evidence: 'FAILED' })), 'fenced')
      assert.deepEqual(await effectOf(store, effect.key), ended)
    },
  },
  {
    code: 'attempt_ended_twice',
    title: 'of many that end an attempt at once one does',
    async run({ store }) {
      const { effect } = await attempted(store)
      const ends = (['accepted', 'failed_unknown', 'failed_known', 'not_sent'] as const).map((kind) =>
        ending(effect, { kind }),
      )

      const answers = await Promise.all(ends.map((end) => store.commit(evidence(end))))

      const told = answers.map((answer) => (answer.kind === 'conflict' ? answer.on : answer.kind))
      assert.deepEqual(told.toSorted(), ['committed', 'fenced', 'fenced', 'fenced'])
    },
  },
  {
    code: 'fence_ignored',
    title: 'whoever read the effect before the fence was raised changes nothing',
    async run({ store }) {
      const { effect } = await attempted(store)
      await commits(store, evidence(raising(effect, { epoch: effect.epoch + 1 })))
      const raised = await effectOf(store, effect.key)

      await conflicts(store, evidence(ending(effect)), 'effect')
      await conflicts(store, evidence(observing(effect)), 'effect')
      await breaks(store, evidence(raising(raised, { epoch: effect.epoch })), 'a lower fence')

      assert.deepEqual(await effectOf(store, effect.key), raised)
    },
  },
  {
    code: 'attempt_handover_refused',
    title: 'a lapsed attempt may end and the next one open in one change',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      const ended = ending(effect, { kind: 'not_sent', evidence: 'FAILED' })
      const next = claiming(live.proposal, effect)

      await commits(
        store,
        updating(live, inStatus(live.proposal, 'executing'), { effect: { ...next, ended: ended.ended } }),
      )

      const { attempts } = await effectOf(store, effect.key)
      assert.deepEqual(
        attempts.map((attempt) => attempt.ending?.kind ?? 'open'),
        ['not_sent', 'open'],
      )
    },
  },
  {
    code: 'attempt_rewritten_in_sql',
    title: 'the database keeps what was started and how it ended',
    needs: ['attack'],
    async run({ store, attack }) {
      const { effect } = await attempted(store)
      const open = [
        `update attempts set token = 'mine'`,
        'update attempts set lease_until = lease_until + 1',
        'update attempts set epoch = 9',
      ]
      await refuses(attack, open)
      await commits(store, evidence(ending(effect)))
      const ended = await effectOf(store, effect.key)

      const closed = [
        'update attempts set ended_at = null, ending = null, ending_evidence = null, detail = null',
        `update attempts set ending_evidence = 'FAILED'`,
        `update attempts set detail = null`,
        `update attempts set number = 2`,
        'delete from attempts',
      ]
      await refuses(attack, closed)

      assert.deepEqual(await effectOf(store, effect.key), ended)
    },
  },
]

async function approved(store: Store, effect: EffectKey): Promise<LiveProposal> {
  return moved(store, await prepared(store, { effect }), 'approved')
}

async function approvedRivals(store: Store, count: number): Promise<readonly LiveProposal[]> {
  const effect = freshEffect()
  const rivals: LiveProposal[] = []
  for (let index = 0; index < count; index += 1) rivals.push(await approved(store, effect))
  return rivals
}

function freshEffect(): EffectKey {
  return sampleEffectKey(SAMPLE_TENANT, `contested-${nextSerial()}`)
}

async function failed(
  store: Store,
  rival: LiveProposal,
): Promise<{ readonly live: LiveProposal; readonly effect: Effect }> {
  const claim = { effect: claiming(rival.proposal, null) }
  const live = await moved(store, rival, 'executing', { change: claim })
  const end = ending(await effectOf(store, rival.proposal.effect), { kind: 'failed_known', evidence: 'FAILED' })
  const closed = await moved(store, live, 'failed_known', { change: { effect: end } })
  return { live: closed, effect: await effectOf(store, rival.proposal.effect) }
}

function executing(live: LiveProposal, effect: EffectWrite): ReturnType<typeof updating> {
  return updating(live, inStatus(live.proposal, 'executing'), { effect })
}

async function assertOneClaim(
  store: Store,
  rivals: readonly LiveProposal[],
  answers: readonly unknown[],
): Promise<void> {
  const winners = answers.flatMap((answer, index) => (JSON.stringify(answer).includes('"committed"') ? [index] : []))
  assert.equal(winners.length, 1, JSON.stringify(answers))
  const winner = rivals[winners[0] ?? -1]?.proposal
  assert(winner !== undefined)
  const effect = await effectOf(store, winner.effect)
  assert.equal(effect.owner, winner.ref)
  assert.equal(effect.attempts.length, 1)
  const statuses = (await store.list({ tenant: winner.tenant, limit: 100 })).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [...rivals.slice(1).map(() => 'approved' as const), 'executing'])
}
