// Cases about the lifecycle: the table of transitions as the store knows it, and no status without its record.
import assert from 'node:assert/strict'
import { mayMove, STATUSES, type Status, TRANSITIONS } from '../../proposal/status.ts'
import type { LiveProposal, Store } from '../../runtime/ports.ts'
import { updating } from './sample-changes.ts'
import { claiming, ending, raising } from './sample-effects.ts'
import { inStatus } from './sample-proposals.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { attempted, breaks, commits, effectOf, evidence, liveOf, moved, prepared } from './steps.ts'

/** Guarantee 6: status changes outside the lifecycle table are refused. */
export const lifecycleCases: readonly ConformanceCase[] = STATUSES.map((from): ConformanceCase => {
  return {
    code: 'move_outside_table',
    title: `from ${from} a proposal moves exactly where the lifecycle table says`,
    async run({ store }) {
      for (const to of STATUSES) {
        const live = await brought(store, from)
        const change = updating(live, inStatus(live.proposal, to))

        if (mayMove(from, to)) await commits(store, change)
        else await breaks(store, change, `${from} to ${to}`)

        const { proposal } = await liveOf(store, live.proposal)
        assert.deepEqual(proposal, mayMove(from, to) ? inStatus(live.proposal, to) : live.proposal)
      }
    },
  }
})

/** Guarantee 7: no status without its receipt, no owned effect without an attempt of its owner. */
export const pairingCases: readonly ConformanceCase[] = [
  {
    code: 'status_without_receipt',
    title: 'a proposal is never stored without its receipt',
    async run({ store }) {
      const live = await prepared(store)
      const change = updating(live, inStatus(live.proposal, 'approved'))

      await breaks(store, { ...change, receipts: [] }, 'no receipt')

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
  {
    code: 'claim_without_attempt',
    title: 'an effect is never claimed without an attempt of its owner',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'approved')
      const claim = claiming(live.proposal, null)
      const executing = inStatus(live.proposal, 'executing')

      await breaks(store, updating(live, executing, { effect: { ...claim, opened: null } }), 'a claim alone')

      assert.equal(await store.effect(live.proposal.effect), null)
      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
  {
    code: 'owner_without_attempt',
    title: 'an effect never passes on without an attempt of its new owner',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      await commits(store, evidence(ending(effect, { kind: 'failed_known', evidence: 'FAILED' })))
      const ended = await effectOf(store, effect.key)
      const other = await prepared(store, { effect: effect.key })

      await breaks(store, evidence(raising(ended, { owner: other.proposal.ref })), 'another owner')
      await breaks(store, evidence(raising(ended, { owner: null })), 'no owner')

      assert.equal((await effectOf(store, effect.key)).owner, live.proposal.ref)
    },
  },
  {
    code: 'foreign_effect_attempted',
    title: 'a proposal attempts its own effect alone',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'approved')
      const other = await prepared(store)
      const claim = claiming({ ...live.proposal, effect: other.proposal.effect }, null)

      await breaks(store, updating(live, inStatus(live.proposal, 'executing'), { effect: claim }), 'another effect')

      assert.equal(await store.effect(other.proposal.effect), null)
    },
  },
  {
    code: 'pairing_broken_in_sql',
    title: 'the database refuses a status without its receipt and a receipt without its status',
    needs: ['attack'],
    async run({ store, attack }) {
      const live = await prepared(store)
      const { tenant, ref } = live.proposal
      const receipt = (sequence: number): string => `insert into receipts
        (tenant, proposal, sequence, type, at, action, status, detail, runtime_version, previous_hash, hash)
        values ('${tenant}', '${ref}', ${sequence}, 'approval.approved', 1893456000000, '${live.proposal.action}',
          'awaiting_approval', '[]', '0', '${live.lastHash}', '${'a'.repeat(64)}')`

      await assert.rejects(async () => attack(`update proposals set status = 'approved', revision = 1`))
      await assert.rejects(async () => attack(receipt(2)))
      await assert.rejects(async () => attack(receipt(3)))

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
]

async function brought(store: Store, to: Status): Promise<LiveProposal> {
  let live = await prepared(store)
  for (const status of wayTo(to)) live = await moved(store, live, status)
  return live
}

// The shortest way from the beginning, by the same table.
function wayTo(to: Status): readonly Status[] {
  const ways: Status[][] = [['awaiting_approval']]
  for (const way of ways) {
    const at = way.at(-1) ?? 'awaiting_approval'
    if (at === to) return way.slice(1)
    for (const next of TRANSITIONS[at]) if (!ways.some((known) => known.includes(next))) ways.push([...way, next])
  }
  throw new TypeError(`No way leads to ${to}`)
}
