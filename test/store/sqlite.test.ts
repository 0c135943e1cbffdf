// The SQLite store keeps the contract of stores.
import { describe, it } from 'vitest'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { crowded } from './crowded.ts'
import { openSqlite } from './sqlite-fixture.ts'

storeConformance({
  describe,
  it,
  abilities: ['second', 'reopen', 'attack', 'tamper'],
  open: () => openSqlite(),
})

describe.each(['conflicts', 'failures'] as const)('where every change shares its commit with %s', (crowd) => {
  storeConformance({
    describe,
    it,
    abilities: ['second', 'reopen', 'attack', 'tamper'],
    async open() {
      const opened = await openSqlite({ changesPerCommit: crowd === 'conflicts' ? 2 : 64 })
      return {
        ...opened,
        store: crowded(opened.store, crowd),
        second: async () => crowded(await opened.second(), crowd),
        reopen: async () => crowded(await opened.reopen(), crowd),
      }
    },
  })
})
