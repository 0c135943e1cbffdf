// Cases about due work: what is found, from which instant on, in which order, and that pages follow on each other.
import assert from 'node:assert/strict'
import type { DueItem, DueQuery, Store } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { ending, raising, SAMPLE_LEASE_MS } from './sample-effects.ts'
import { SAMPLE_START, SAMPLE_TENANT } from './sample-proposals.ts'
import { attempted, commits, effectOf, evidence, moved, prepared } from './steps.ts'

const ACTION = 'example.payments/refund@1'

/** Due work: everything that is due is found, in an order that lets nothing starve. */
export const dueCases: readonly ConformanceCase[] = [
  {
    code: 'due_expiry_wrong',
    title: 'open proposals are due when they have expired, exclusively, those that expired first coming first',
    async run({ store }) {
      const later = await prepared(store, { expiresAt: SAMPLE_START + 20 })
      const soon = await moved(store, await prepared(store, { expiresAt: SAMPLE_START + 10 }), 'approved')
      await moved(store, await prepared(store, { expiresAt: SAMPLE_START + 10 }), 'withdrawn')

      const expired = async (until: number, limit = 10): Promise<readonly string[]> => {
        return refsOf(await due(store, { kind: 'expiry' }, { until: SAMPLE_START + until, limit }))
      }
      assert.deepEqual(await expired(9), [])
      assert.deepEqual(await expired(10), [soon.proposal.ref])
      assert.deepEqual(await expired(20), [soon.proposal.ref, later.proposal.ref])
      assert.deepEqual(await expired(20, 1), [soon.proposal.ref])
    },
  },
  {
    code: 'due_execution_wrong',
    title: 'approved proposals of an action may be executed until they expire, the most urgent first',
    async run({ store }) {
      const approved = async (expiresAt: number, action = ACTION): Promise<string> => {
        return (await moved(store, await prepared(store, { expiresAt, action }), 'approved')).proposal.ref
      }
      const later = await approved(SAMPLE_START + 20)
      const soon = await approved(SAMPLE_START + 10)
      await approved(SAMPLE_START + 10, 'example.payments/refund@2')
      await prepared(store, { action: ACTION })
      await attempted(store)

      const found = async (until: number): Promise<readonly string[]> => {
        return refsOf(await due(store, { kind: 'execution', action: ACTION }, { until: SAMPLE_START + until }))
      }
      assert.deepEqual(await found(9), [soon, later])
      assert.deepEqual(await found(10), [later])
      assert.deepEqual(await found(20), [])
    },
  },
  {
    code: 'due_lease_missed',
    title: 'whoever owns an attempt is due when its lease is over, and no more once it has ended',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      const leaseEnd = SAMPLE_START + SAMPLE_LEASE_MS
      const lapsed = async (until: number): Promise<readonly DueItem[]> => due(store, { kind: 'lease' }, { until })

      assert.deepEqual(await lapsed(leaseEnd - 1), [])
      assert.deepEqual(await lapsed(leaseEnd), [{ at: leaseEnd, ref: live.proposal.ref }])
      await commits(store, evidence(ending(effect)))
      assert.deepEqual(await lapsed(leaseEnd), [])
    },
  },
  {
    code: 'due_verification_missed',
    title: 'whoever owns an effect is due when its verification is',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      await commits(store, evidence(ending(effect)))
      const at = SAMPLE_START + 5
      await commits(store, evidence(raising(await effectOf(store, effect.key), { verifyDueAt: at })))
      const found = async (until: number): Promise<readonly DueItem[]> => {
        return due(store, { kind: 'verification' }, { until })
      }

      assert.deepEqual(await found(at - 1), [])
      assert.deepEqual(await found(at), [{ at, ref: live.proposal.ref }])
      await commits(store, evidence(raising(await effectOf(store, effect.key), { verifyDueAt: null })))
      assert.deepEqual(await found(at), [])
    },
  },
  {
    code: 'due_unscheduled_missed',
    title: 'a proposal in doubt with nothing open and nothing due at its effect is not lost',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      const found = async (): Promise<readonly string[]> => refsOf(await due(store, { kind: 'unscheduled' }))

      assert.deepEqual(await found(), [])
      await commits(store, evidence({ ...ending(effect), row: { ...ending(effect).row, verifyDueAt: null } }))
      assert.deepEqual(await found(), [live.proposal.ref])
      await commits(store, evidence(raising(await effectOf(store, effect.key), { verifyDueAt: SAMPLE_START + 5 })))
      assert.deepEqual(await found(), [])
    },
  },
  {
    code: 'due_retention_wrong',
    title: 'what was settled and what was closed is found by its age, until its erasure is asked for',
    async run({ store }) {
      const closed = await moved(store, await prepared(store, { action: ACTION }), 'rejected')
      const other = await prepared(store, { action: 'example.payments/refund@2' })
      await moved(store, other, 'rejected')
      const asked = await prepared(store, { action: ACTION })
      await moved(store, asked, 'withdrawn', { core: { erasure: 'requested' } })
      const { live } = await attempted(store)
      const verified = await moved(store, live, 'verified')
      const [closedAt, settledAt] = [closedAtOf(closed.proposal), settledAtOf(verified.proposal)]

      const { action } = verified.proposal
      const settledBy = async (until: number): Promise<readonly DueItem[]> => {
        return due(store, { kind: 'settled', action }, { until })
      }
      const closedBy = async (until: number): Promise<readonly DueItem[]> => {
        return due(store, { kind: 'closed', action: ACTION }, { until })
      }
      assert.deepEqual(await settledBy(settledAt - 1), [])
      assert.deepEqual(await settledBy(settledAt), [{ at: settledAt, ref: verified.proposal.ref }])
      assert.deepEqual(await closedBy(closedAt - 1), [])
      assert.deepEqual(await closedBy(closedAt), [{ at: closedAt, ref: closed.proposal.ref }])
    },
  },
  {
    code: 'due_pages_wrong',
    title: 'pages of what is due follow on each other, also where many fell due at one instant',
    async run({ store }) {
      const refs: string[] = []
      for (let index = 0; index < 5; index += 1) {
        refs.push((await prepared(store, { expiresAt: SAMPLE_START + (index < 4 ? 10 : 20) })).proposal.ref)
      }

      const pages: string[][] = []
      for (let after: DueItem | null = null; pages.length < 4; ) {
        const page: readonly DueItem[] = await due(store, { kind: 'expiry' }, { after, limit: 2 })
        pages.push(refsOf(page))
        after = page.at(-1) ?? null
        if (after === null) break
      }

      assert.deepEqual(pages, [refs.slice(0, 2), refs.slice(2, 4), refs.slice(4), []])
    },
  },
]

type Kind =
  | { readonly kind: 'expiry' | 'verification' | 'lease' | 'unscheduled' }
  | { readonly kind: 'execution' | 'settled' | 'closed'; readonly action: string }

async function due(store: Store, kind: Kind, page: Partial<DueQuery> = {}): Promise<readonly DueItem[]> {
  const until = SAMPLE_START + 1_000
  return store.due({ tenant: SAMPLE_TENANT, after: null, limit: 10, ...page, until: page.until ?? until, ...kind })
}

function refsOf(items: readonly DueItem[]): string[] {
  return items.map(({ ref }) => ref)
}

function closedAtOf(proposal: object): number {
  return 'closedAt' in proposal ? Number(proposal.closedAt) : assert.fail('it is not closed')
}

function settledAtOf(proposal: object): number {
  return 'settledAt' in proposal ? Number(proposal.settledAt) : assert.fail('it is not settled')
}
