// What erasure takes out of an effect that several proposals were behind: facts about their attempts, and no others.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { erasing } from '../../src/testing/store-conformance/sample-changes.ts'
import { claiming, ending, observing } from '../../src/testing/store-conformance/sample-effects.ts'
import { attempted, commits, effectOf, evidence, moved, prepared } from '../../src/testing/store-conformance/steps.ts'
import { openSqlite, rawRows, rawSql } from './sqlite-fixture.ts'

let opened: Awaited<ReturnType<typeof openSqlite>>

beforeEach(async () => {
  opened = await openSqlite()
})

afterEach(async () => {
  await opened.close()
})

/** The sequences of the observations that have facts. */
function withFacts(): readonly number[] {
  const sql = 'select sequence from observations where facts is not null order by sequence'
  return rawRows<{ sequence: number }>(opened.path, sql).map(({ sequence }) => sequence)
}

/** An effect that one proposal attempted and gave up, and another one attempted after it. */
async function twoOwners(): Promise<{ first: LiveProposal; second: LiveProposal; key: EffectKey }> {
  const { store } = opened
  const { live, effect } = await attempted(store)
  const first = await moved(store, live, 'failed_known', { change: { effect: ending(effect) } })
  await commits(store, evidence(observing(await effectOf(store, effect.key), { covers: { from: 1, to: 1 } })))
  const next = await moved(store, await prepared(store, { effect: effect.key }), 'approved')
  const claim = claiming(next.proposal, await effectOf(store, effect.key))
  const executing = await moved(store, next, 'executing', { change: { effect: claim } })
  const end = ending(await effectOf(store, effect.key))
  const second = await moved(store, executing, 'verified', { change: { effect: end } })
  await commits(store, evidence(observing(await effectOf(store, effect.key), { covers: { from: 1, to: 2 } })))
  await commits(store, evidence(observing(await effectOf(store, effect.key), { covers: { from: 2, to: 2 } })))
  return { first, second, key: effect.key }
}

describe('trace S44: the facts of an observation', () => {
  it('go with the first erasure among the proposals whose attempts they are about', async () => {
    const { first, second } = await twoOwners()
    expect(withFacts()).toEqual([1, 2, 3])

    await commits(opened.store, erasing(first))
    expect(withFacts()).toEqual([3])

    await commits(opened.store, erasing(second))
    expect(withFacts()).toEqual([])
  })

  it('are not kept when they come after it', async () => {
    const { first, key } = await twoOwners()
    await commits(opened.store, erasing(first))

    await commits(opened.store, evidence(observing(await effectOf(opened.store, key), { covers: { from: 1, to: 2 } })))
    await commits(opened.store, evidence(observing(await effectOf(opened.store, key), { covers: { from: 2, to: 2 } })))

    expect(withFacts()).toEqual([3, 5])
    expect((await effectOf(opened.store, key)).observations).toHaveLength(5)
  })

  it('are not brought back by whoever writes to the file', async () => {
    const { first } = await twoOwners()
    await commits(opened.store, erasing(first))

    const { path } = opened
    for (const sequence of [1, 2, 3]) {
      const attack = (): void => rawSql(path, `update observations set facts = x'00' where sequence = ${sequence}`)
      expect(attack).toThrow('observations are never changed')
    }
    const columns = 'tenant, domain, reference, source, answer, verdict, target, flags, began_at, ended_at, sealed_for'
    const copied = `insert into observations (sequence, covers_from, covers_to, facts, ${columns})
      select 4, 1, 2, x'00', ${columns} from observations where sequence = 3`
    expect(() => rawSql(opened.path, copied)).toThrow('nothing is sealed for what has been erased')
  })
})
