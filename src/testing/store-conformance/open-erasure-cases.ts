// Cases about erasures that are not done: what was asked for is found again until it is, and until the files are clean.
import assert from 'node:assert/strict'
import { parseReasonCode } from '../../effect/reference.ts'
import type { Effect, Settlement } from '../../effect/effect.ts'
import type { LiveProposal, Store } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { erasing } from './sample-changes.ts'
import { claiming, ending, raising } from './sample-effects.ts'
import { nextRef, reference, SAMPLE_START, SAMPLE_TENANT } from './sample-proposals.ts'
import { attempted, commits, effectOf, evidence, moved, prepared, scrubs } from './steps.ts'

/** Guarantee 8, as far as it concerns erasures that were interrupted, deferred, or made beside a settlement. */
export const openErasureCases: readonly ConformanceCase[] = [
  {
    code: 'open_erasure_forgotten',
    title: 'an erasure that was asked for is open until its files were scrubbed',
    async run({ store }) {
      await prepared(store)
      const requested = await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'requested' } })
      const pending = await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'pending' } })
      const refs = [requested, pending].map(({ proposal }) => proposal.ref)

      assert.deepEqual(await open(store), refs)
      await commits(store, erasing(pending))
      assert.deepEqual(await open(store), refs)
      await scrubs(store)
      assert.deepEqual(await open(store), [requested.proposal.ref])
    },
  },
  {
    code: 'erasure_pages_wrong',
    title: 'open erasures are read in pages, each beginning after the last of the one before',
    async run({ store }) {
      const refs: LiveProposal['proposal']['ref'][] = []
      for (let index = 0; index < 5; index += 1) {
        const live = await moved(store, await prepared(store), 'withdrawn', { core: { erasure: 'pending' } })
        if (index % 2 === 0) await commits(store, erasing(live))
        refs.push(live.proposal.ref)
      }

      assert.deepEqual(await store.erasuresOpen(SAMPLE_TENANT, null, 2), refs.slice(0, 2))
      assert.deepEqual(await store.erasuresOpen(SAMPLE_TENANT, refs[1] ?? null, 2), refs.slice(2, 4))
      assert.deepEqual(await store.erasuresOpen(SAMPLE_TENANT, refs[3] ?? null, 2), refs.slice(4))
      assert.deepEqual(await store.erasuresOpen(SAMPLE_TENANT, nextRef(), 2), [])
    },
  },
  {
    code: 'scrub_not_repeatable',
    title: 'scrubbing is done at once where nothing was erased, and as often as it is asked for',
    async run({ store }) {
      await scrubs(store)
      await commits(store, erasing(await moved(store, await prepared(store), 'withdrawn')))
      await scrubs(store)
      await scrubs(store)
    },
  },
  {
    code: 'erasure_not_seen_elsewhere',
    title: 'what another connection erased is open here, and scrubbed from here',
    needs: ['second'],
    async run({ store, second }) {
      const live = await moved(store, await prepared(store), 'withdrawn')
      const other = await second()
      await commits(other, erasing(live))

      assert.deepEqual(await open(store), [live.proposal.ref])
      await scrubs(store)
      assert.deepEqual(await open(other), [])
    },
  },
  {
    code: 'open_erasure_lost_on_reopen',
    title: 'what was erased before the store was closed is still open afterwards',
    needs: ['reopen'],
    async run({ store, reopen }) {
      const live = await moved(store, await prepared(store), 'withdrawn')
      await commits(store, erasing(live))

      const again = await reopen()

      assert.deepEqual(await open(again), [live.proposal.ref])
      await scrubs(again)
      assert.deepEqual(await open(again), [])
    },
  },
  {
    code: 'operator_name_kept',
    title: 'with the last proposal behind an effect, the names in its settlement go, and nothing else of it',
    async run({ store }) {
      const first = await attempted(store)
      const failed = await moved(store, first.live, 'failed_known', { change: { effect: ending(first.effect) } })
      const second = await moved(store, await prepared(store, { effect: first.effect.key }), 'approved')
      const taken = claiming(second.proposal, await effectOf(store, first.effect.key))
      const executing = await moved(store, second, 'executing', { change: { effect: taken } })
      const end = ending(await effectOf(store, first.effect.key))
      const settled = await moved(store, executing, 'failed_known', { change: { effect: end } })
      const before = await effectOf(store, first.effect.key)
      await commits(store, evidence(raising(before, { settlement: settlement({ secondOperator: 'user:otto' }) })))
      const named = await effectOf(store, first.effect.key)

      await commits(store, erasing(failed))
      assert.deepEqual(await effectOf(store, first.effect.key), named)
      await commits(store, erasing(settled))

      assert.deepEqual(await effectOf(store, first.effect.key), {
        ...named,
        version: named.version + 1,
        settlement: settlement({ by: 'erased', secondOperator: 'erased' }),
      })
      // What is erased later, of this effect or another one, finds nothing more to take out.
      const nameless = await effectOf(store, first.effect.key)
      await commits(
        store,
        erasing(await moved(store, await prepared(store, { effect: first.effect.key }), 'withdrawn')),
      )
      await commits(store, erasing(await moved(store, await prepared(store), 'withdrawn')))
      assert.deepEqual(await effectOf(store, first.effect.key), nameless)
    },
  },
  {
    code: 'second_operator_invented',
    title: 'a settlement that no second operator has confirmed is not taken for one after its names are gone',
    async run({ store }) {
      const { live, effect } = await attempted(store)
      const settled = await moved(store, live, 'failed_known', { change: { effect: ending(effect) } })
      const before = await effectOf(store, effect.key)
      await commits(store, evidence(raising(before, { settlement: settlement({}) })))

      await commits(store, erasing(settled))

      const after: Effect = await effectOf(store, effect.key)
      assert.deepEqual(after.settlement, settlement({ by: 'erased' }))
    },
  },
]

async function open(store: Store): Promise<readonly string[]> {
  return store.erasuresOpen(SAMPLE_TENANT, null, 50)
}

function settlement(names: Partial<Pick<Settlement, 'by' | 'secondOperator'>>): Settlement {
  return {
    verdict: 'did_not_occur',
    upToSequence: 0,
    upToAttempt: 1,
    by: 'user:oscar',
    secondOperator: null,
    reason: parseReasonCode('looked_up', ''),
    evidenceReference: reference('case-7'),
    at: SAMPLE_START,
    ...names,
  }
}
