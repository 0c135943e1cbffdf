// The store's clock: it alone judges whether a change is too late, at the instant of the change and exclusively.
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/runtime/ports.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { inserting } from '../../src/testing/store-conformance/sample-changes.ts'
import { sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { conflicts } from '../../src/testing/store-conformance/steps.ts'
import { freshPath, removeFolderOf } from './sqlite-fixture.ts'

interface Clock {
  at: number
  readonly now: () => number
}

function clockAt(start: number): Clock {
  const clock: Clock = { at: start, now: () => clock.at }
  return clock
}

describe.each<[string, (clock: Clock) => Promise<{ store: Store; remove: () => void }>]>([
  ['memory', async (clock) => ({ store: memoryStore({ clock }), remove: () => {} })],
  [
    'SQLite',
    async (clock) => {
      const path = freshPath()
      return { store: await sqliteStore(path, { clock }), remove: () => removeFolderOf(path) }
    },
  ],
])('the clock of the %s store', (_name, open) => {
  it('takes a change until the last instant before it is too late, and not at that instant', async () => {
    const clock = clockAt(1_000)
    const { store, remove } = await open(clock)
    const change = { ...inserting(sampleProposal()), notAfter: 1_000 }

    await conflicts(store, change, 'too_late')
    clock.at = 999
    expect(await store.commit(change)).toEqual({ kind: 'committed', at: 999 })
    clock.at = 2_000

    // It has landed, so it is not too late any more, and its time is the first one.
    expect(await store.commit(change)).toEqual({ kind: 'committed', at: 999 })
    await store.close()
    remove()
  })
})

describe.each(['memory', 'SQLite'] as const)('a lapse on %s', (name) => {
  it('is not stored before its instant, and is at it', async () => {
    const clock = clockAt(999)
    const path = name === 'SQLite' ? freshPath() : null
    const store = path === null ? memoryStore({ clock }) : await sqliteStore(path, { clock })
    const change = { ...inserting(sampleProposal()), notBefore: 1_000 }

    await conflicts(store, change, 'too_early')
    expect(await store.now()).toBe(999)
    clock.at = 1_000
    expect(await store.commit(change)).toEqual({ kind: 'committed', at: 1_000 })
    clock.at = 500

    // It has landed, whatever the clock says now.
    expect(await store.commit(change)).toEqual({ kind: 'committed', at: 1_000 })
    await store.close()
    if (path !== null) removeFolderOf(path)
  })
})

describe('the clock of the SQLite store', () => {
  it('is read once the lock is held', async () => {
    const path = freshPath()
    const setup = await sqliteStore(path)
    await setup.close()
    const holder = new Database(path)
    let wasLocked = false
    const clock = {
      now: () => {
        try {
          holder.exec('begin immediate; rollback')
        } catch {
          wasLocked = true
        }
        return 1
      },
    }
    holder.pragma('busy_timeout = 0')
    const store = await sqliteStore(path, { clock })

    await store.commit(inserting(sampleProposal()))

    expect(wasLocked).toBe(true)
    await store.close()
    holder.close()
    removeFolderOf(path)
  })
})
