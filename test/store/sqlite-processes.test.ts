// Several processes on one SQLite file: one winner for each effect, one landing for each change, nothing acknowledged lost.
import { afterEach, describe, expect, it } from 'vitest'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { reference, SAMPLE_TENANT, sampleEffectKey } from '../../src/testing/store-conformance/sample-proposals.ts'
import { effectOf, liveOf, moved, prepared } from '../../src/testing/store-conformance/steps.ts'
import { startChild, startTogether } from './processes/child.ts'
import { freshPath, rawRows, removeFolderOf } from './sqlite-fixture.ts'

const PROCESSES = 4
const paths: string[] = []

function newPath(): string {
  const path = freshPath()
  paths.push(path)
  return path
}

afterEach(() => {
  for (const path of paths.splice(0)) removeFolderOf(path)
})

describe('processes on one file', () => {
  it('that open a new one at once make one store of it', async () => {
    const path = newPath()
    const children = Array.from({ length: PROCESSES }, () =>
      startChild(new URL('./processes/open.ts', import.meta.url), [path, 'together']),
    )

    await startTogether(children)

    for (const child of children) expect(await child.rest()).toEqual(['opened'])
    expect(rawRows(path, 'select count(*) as stores from store_identity')).toEqual([{ stores: 1 }])
    expect(rawRows(path, 'select count(*) as migrations from schema_info')).toEqual([{ migrations: 1 }])
  })

  it('that race for effects each win some or lose them whole', async () => {
    const path = newPath()
    const store = await sqliteStore(path)
    const effects = Array.from({ length: 25 }, (_, index) => sampleEffectKey(SAMPLE_TENANT, `raced-${index}`))
    const teams: LiveProposal[][] = Array.from({ length: PROCESSES }, () => [])
    for (const effect of effects) {
      for (const team of teams) team.push(await moved(store, await prepared(store, { effect }), 'approved'))
    }
    const children = teams.map((team) =>
      startChild(new URL('./processes/claim.ts', import.meta.url), [path, ...team.map(({ proposal }) => proposal.ref)]),
    )

    await startTogether(children)
    const answers = await Promise.all(children.map(async (child) => child.rest()))

    for (const [index, effect] of effects.entries()) {
      const told = answers.map((answer) => answer[index])
      expect(told.filter((answer) => answer === 'committed')).toHaveLength(1)
      expect(told.filter((answer) => answer === 'effect')).toHaveLength(PROCESSES - 1)
      const winner = teams[told.indexOf('committed')]?.[index]
      const claimed = await effectOf(store, effect)
      expect(claimed.owner).toBe(winner?.proposal.ref)
      expect(claimed.attempts).toHaveLength(1)
      const statuses = (await store.list({ tenant: SAMPLE_TENANT, effect, limit: 10 })).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual(['approved', 'approved', 'approved', 'executing'])
    }
    await store.close()
  })

  it('that commit the same changes land each of them once', async () => {
    const path = newPath()
    await (await sqliteStore(path)).close()
    const children = Array.from({ length: PROCESSES }, () =>
      startChild(new URL('./processes/same-change.ts', import.meta.url), [path, '30']),
    )

    await startTogether(children)
    const answers = await Promise.all(children.map(async (child) => child.rest()))

    expect(answers[0]).toHaveLength(30)
    expect(answers[0]?.every((answer) => answer.startsWith('{"kind":"committed"'))).toBe(true)
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(rawRows(path, 'select count(*) as n from proposals')).toEqual([{ n: 30 }])
    expect(rawRows(path, 'select count(*) as n from events')).toEqual([{ n: 30 }])
  })

  it('that are killed while they write lose nothing that was acknowledged', async () => {
    const path = newPath()
    const acknowledged: string[] = []
    for (let run = 0; run < 6; run += 1) {
      const child = startChild(new URL('./processes/write.ts', import.meta.url), [path, String(run)])
      for (let written = 0; written < 5 + run * 3; written += 1) acknowledged.push((await child.line()) ?? '')
      child.process.kill('SIGKILL')
      acknowledged.push(...(await child.rest()))
      expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
    }

    const store = await sqliteStore(path)

    for (const ref of acknowledged) await liveOf(store, { tenant: SAMPLE_TENANT, ref: reference(ref) })
    const stored = rawRows<{ ref: string }>(path, 'select ref from proposals')
    expect(acknowledged.length).toBeGreaterThan(60)
    // At most one change of each process had landed and was not acknowledged when it was killed.
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(6)
    expect(rawRows(path, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(rawRows(path, 'pragma foreign_key_check')).toEqual([])
    await store.close()
  })
})
