// Cases about wrapped keys: found by what they are wrapped under, wrapped anew in place, and never brought back.
import assert from 'node:assert/strict'
import type { LiveProposal, Store, StoredKey, WrappedKey } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { erasing, sealed } from './sample-changes.ts'
import { nextRef, reference, SAMPLE_TENANT } from './sample-proposals.ts'
import { commits, liveOf, moved, prepared } from './steps.ts'

const RENEWED: WrappedKey = { kekVersion: 'k2', wrapped: sealed('renewed') }

/** Of keys: what a rotation rests on. */
export const keyCases: readonly ConformanceCase[] = [
  {
    code: 'tenant_not_named',
    title: 'every tenant that has a proposal is named once',
    async run({ store }) {
      assert.deepEqual(await store.tenants(), [])
      for (const tenant of ['tenant-c', 'tenant-a', 'tenant-c', 'tenant-b']) {
        await prepared(store, { tenant: reference(tenant), effect: effectIn(tenant) })
      }

      assert.deepEqual([...(await store.tenants())].toSorted(), ['tenant-a', 'tenant-b', 'tenant-c'])
    },
  },
  {
    code: 'keys_not_found',
    title: 'keys are found by what they are not wrapped under, in pages, tenant by tenant',
    async run({ store }) {
      const lives = [await prepared(store), await prepared(store), await prepared(store)]
      const renewed = await prepared(store, {}, { key: RENEWED })
      await prepared(store, { tenant: reference('tenant-b'), effect: effectIn('tenant-b') })
      const stored = lives.map(({ proposal, key }): StoredKey => ({ proposal: proposal.ref, ...key }))

      assert.deepEqual(await store.keysNotUnder(SAMPLE_TENANT, 'k2', null, 2), stored.slice(0, 2))
      assert.deepEqual(await store.keysNotUnder(SAMPLE_TENANT, 'k2', stored[1]?.proposal ?? null, 2), stored.slice(2))
      assert.deepEqual(
        (await store.keysNotUnder(SAMPLE_TENANT, 'k1', null, 9)).map(({ proposal }) => proposal),
        [renewed.proposal.ref],
      )
      assert.equal((await store.keysNotUnder(SAMPLE_TENANT, 'k3', null, 9)).length, 4)
    },
  },
  {
    code: 'rewrap_touched_more',
    title: 'a key is wrapped anew, and nothing else of its proposal changes',
    async run({ store }) {
      const live = await prepared(store)

      assert.equal(await rewrap(store, live, live.key, RENEWED), true)

      assert.deepEqual(await liveOf(store, live.proposal), { ...live, key: RENEWED })
      assert.deepEqual(await store.keysNotUnder(SAMPLE_TENANT, 'k2', null, 9), [])
    },
  },
  {
    code: 'rewrap_ignored_old_key',
    title: 'a key that is not the old one any more stays as it is',
    async run({ store }) {
      const live = await prepared(store)
      const others: readonly WrappedKey[] = [
        { ...live.key, kekVersion: 'k0' },
        { ...live.key, wrapped: sealed('another') },
        { ...live.key, wrapped: live.key.wrapped.slice(1) },
      ]

      for (const other of others) assert.equal(await rewrap(store, live, other, RENEWED), false)

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
  {
    code: 'rewrap_not_repeatable',
    title: 'wrapping anew says yes as often as it is asked for, as long as the renewed key is the stored one',
    async run({ store }) {
      const live = await prepared(store)
      const later = { kekVersion: 'k3', wrapped: sealed('later') }

      assert.equal(await rewrap(store, live, live.key, RENEWED), true)
      assert.equal(await rewrap(store, live, live.key, RENEWED), true)
      assert.equal(await rewrap(store, live, RENEWED, later), true)
      assert.equal(await rewrap(store, live, live.key, RENEWED), false)

      assert.deepEqual((await liveOf(store, live.proposal)).key, later)
    },
  },
  {
    code: 'destroyed_key_returned',
    title: 'a key that erasure destroyed is not brought back',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'withdrawn')
      await commits(store, erasing(live))

      assert.equal(await rewrap(store, live, live.key, RENEWED), false)

      assert.deepEqual(await store.keysNotUnder(SAMPLE_TENANT, 'k2', null, 9), [])
      assert.equal((await store.proposal(SAMPLE_TENANT, live.proposal.ref))?.kind, 'erased')
    },
  },
  {
    code: 'foreign_key_wrapped',
    title: 'nobody wraps the key of another tenant or of no proposal',
    async run({ store }) {
      const live = await prepared(store)

      assert.equal(await store.rewrap(reference('tenant-b'), live.proposal.ref, live.key, RENEWED), false)
      assert.equal(await store.rewrap(SAMPLE_TENANT, nextRef(), live.key, RENEWED), false)

      assert.deepEqual(await liveOf(store, live.proposal), live)
    },
  },
  {
    code: 'rewrap_raced',
    title: 'a key that was wrapped anew is so over every connection and when the store is opened again',
    needs: ['second', 'reopen'],
    async run({ store, second, reopen }) {
      const live = await prepared(store)
      const other = await second()

      const answers = await Promise.all([
        rewrap(store, live, live.key, RENEWED),
        rewrap(other, live, live.key, { ...RENEWED, wrapped: sealed('by another') }),
      ])

      assert.equal(answers.filter(Boolean).length, 1)
      assert.deepEqual(await liveOf(other, live.proposal), await liveOf(store, live.proposal))
      assert.equal((await liveOf(await reopen(), live.proposal)).key.kekVersion, 'k2')
    },
  },
]

async function rewrap(
  store: Store,
  { proposal }: LiveProposal,
  old: WrappedKey,
  renewed: WrappedKey,
): Promise<boolean> {
  return store.rewrap(proposal.tenant, proposal.ref, old, renewed)
}

function effectIn(tenant: string): LiveProposal['proposal']['effect'] {
  return { tenant: reference(tenant), domain: 'example.payments/refund', reference: nextRef() }
}
