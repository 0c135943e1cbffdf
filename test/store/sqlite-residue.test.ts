// Among many neighbours, too, no byte of what was erased stays behind: not where rows were moved from page to page either.
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { erasing, sealed } from '../../src/testing/store-conformance/sample-changes.ts'
import { reference } from '../../src/testing/store-conformance/sample-proposals.ts'
import { commits, moved, prepared } from '../../src/testing/store-conformance/steps.ts'
import { schemaDump } from './schema-dump.ts'
import { openSqlite, rawRows } from './sqlite-fixture.ts'

let close: () => Promise<void> = async () => {}

afterEach(async () => {
  await close()
})

const COUNT = 300

/** Numbers that repeat themselves, up to a limit. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 48_271) % (2 ** 31 - 1)
    return state % limit
  }
}

function at(lives: readonly LiveProposal[], index: number): LiveProposal {
  const live = lives[index]
  if (live === undefined) throw new RangeError('there is no such proposal')
  return live
}

function applicationId(path: string): unknown {
  return rawRows(path, 'pragma application_id')
}

describe('scrubbing a file of many proposals', () => {
  it.each([11, 32])('leaves nothing of those that were erased (%i)', async (seed) => {
    const opened = await openSqlite()
    close = opened.close
    const { store, path } = opened
    const random = numbers(seed * 7_919)
    const name = (index: number): string => `CANARY-${String(index).padStart(4, '0')}-`
    const lives: LiveProposal[] = []
    for (let index = 0; index < COUNT; index += 1) {
      const canary = name(index)
      // In no order, so that rows come in between others and pages are split.
      const requester = reference(`${random(1_000)}-${canary}requester`)
      const subject = reference(`${random(9)}${canary}subject`)
      const key = { kekVersion: 'k1', wrapped: sealed(`${canary}wrapped`) }
      const snapshot = sealed(`${'x'.repeat(random(2_000))}${canary}snapshot`)
      const content = { snapshot, preview: sealed(`${canary}preview`) }
      const insert = { key, content, receiptSalt: sealed(`${canary}salt`) }
      lives.push(await prepared(store, { requester: { kind: 'user', id: requester }, subject }, insert))
      if (random(2) === 0) continue
      const which = random(lives.length)
      const live = at(lives, which)
      lives[which] = await moved(store, live, live.proposal.status === 'approved' ? 'awaiting_approval' : 'approved')
    }
    const isErased = lives.map(() => random(2) === 0)
    for (const [index, live] of lives.entries()) {
      if (isErased[index] === true) await commits(store, erasing(await moved(store, live, 'withdrawn')))
    }

    expect(await store.scrub()).toBe('done')

    const files = [path, `${path}-wal`].map((file) => readFileSync(file).toString('latin1'))
    const left = lives.flatMap((_, index) => (files.some((text) => text.includes(name(index))) ? [index] : []))
    expect(left).toEqual(isErased.flatMap((erased, index) => (erased ? [] : [index])))
  })

  it('keeps everything that is there, and what can be done with it', async () => {
    const opened = await openSqlite()
    close = opened.close
    const { store, path } = opened
    const lives = [await prepared(store), await prepared(store)]
    const before = [schemaDump(path), applicationId(path)]
    await commits(store, erasing(await moved(store, await prepared(store), 'withdrawn')))

    expect(await store.scrub()).toBe('done')

    expect(await Promise.all(lives.map(({ proposal }) => store.proposal(proposal.tenant, proposal.ref)))).toEqual(lives)
    expect([schemaDump(path), applicationId(path)]).toEqual(before)
    await moved(store, at(lives, 0), 'approved')
    await moved(await opened.reopen(), at(lives, 1), 'approved')
  })

  it('waits for whoever writes, and says that it could not be done', async () => {
    const opened = await openSqlite()
    close = opened.close
    const { store, path } = opened
    const live = await moved(store, await prepared(store), 'withdrawn')
    await commits(store, erasing(live))
    const writer = new Database(path)
    writer.exec('begin immediate')

    expect(await store.scrub()).toBe('busy')
    writer.close()

    expect(await store.erasuresOpen(live.proposal.tenant, null, 9)).toEqual([live.proposal.ref])
    expect(await store.scrub()).toBe('done')
    expect(await store.erasuresOpen(live.proposal.tenant, null, 9)).toEqual([])
  })
})
