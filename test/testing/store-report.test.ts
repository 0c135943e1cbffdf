// The conformance suite of stores is itself tested: each seeded bug is found under its own code, and correct stores pass.
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/runtime/ports.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { failureCodes } from '../../src/testing/conformance-report.ts'
import { type StoreUnderTest, storeReport } from '../../src/testing/store-conformance.ts'
import { openSqlite, rawSql } from '../store/sqlite-fixture.ts'
import { delegating } from './seeded-bugs/delegating-store.ts'
import { connectionBugs } from './seeded-bugs/store-connections.ts'
import { readBugs } from './seeded-bugs/store-reads.ts'
import { writeBugs } from './seeded-bugs/store-writes.ts'

describe('the conformance suite of stores', () => {
  it.each([...writeBugs, ...readBugs])('finds a store that $title', async ({ code, subject }) => {
    const open = async () => inMemory((store) => delegating(store, subject(store)))

    const report = await storeReport('faulty', { open, abilities: [] })

    expect(failureCodes(report)).toEqual([code])
    expect(report.verdict).toBe('failed')
  })

  it.each(connectionBugs)('finds a second connection that $title', async ({ code, subject }) => {
    const open = async () => {
      const shared = inMemory()
      return { ...shared, second: async () => delegating(shared.store, subject(shared.store)) }
    }

    expect(failureCodes(await storeReport('faulty', { open, abilities: ['second'] }))).toEqual([code])
  })

  it('finds a reader of events that jumps ahead', async () => {
    const open = async () => {
      const shared = inMemory((store) =>
        delegating(store, {
          events: async (tenant, after, limit) => (await store.events(tenant, after, 1_000)).slice(-limit),
        }),
      )
      return { ...shared, second: async () => shared.store }
    }

    expect(failureCodes(await storeReport('faulty', { open, abilities: ['second'] }))).toEqual(['event_skipped'])
  })

  it.each([
    ['receipts_not_changed', 'record_rewritten_in_sql'],
    ['attempts_end_once', 'attempt_rewritten_in_sql'],
    ['store_identity_fixed', 'identity_rewritten_in_sql'],
  ])('finds a database without its trigger %s', async (trigger, code) => {
    const open = async () => {
      const opened = await openSqlite()
      rawSql(opened.path, `drop trigger ${trigger}`)
      return opened
    }

    expect(failureCodes(await storeReport('unguarded', { open, abilities: ['attack'] }))).toEqual([code])
  })

  it('finds two connections that do not see each other', async () => {
    const open = async () => ({ ...inMemory(), second: async () => memoryStore() })

    const report = await storeReport('apart', { open, abilities: ['second'] })

    expect(failureCodes(report)).toEqual(['write_not_seen_elsewhere'])
  })

  it('passes a SQLite store, of which everything can be run', async () => {
    const abilities = ['second', 'reopen', 'attack', 'tamper'] as const

    const report = await storeReport('sqlite', { open: () => openSqlite(), abilities })

    expect(failureCodes(report)).toEqual([])
    expect(report.verdict).toBe('passed')
  })

  it('passes nothing that it could not run: a store in memory is held to less, and that is said', async () => {
    const report = await storeReport('memory', { open: async () => inMemory(), abilities: [] })

    expect(failureCodes(report)).toEqual([])
    expect(report.verdict).toBe('incomplete')
    expect(report.clauses.filter(({ state }) => state === 'not_run').map(({ sentence }) => sentence)).toContain(
      'It needs: second.',
    )
  })
})

function inMemory(wrapped: (store: Store) => Store = (store) => store): StoreUnderTest {
  const store = wrapped(memoryStore())
  return { store, close: () => store.close() }
}
