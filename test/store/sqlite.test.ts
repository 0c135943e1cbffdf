// The SQLite store keeps the contract of stores.
import { describe, it } from 'vitest'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { openSqlite } from './sqlite-fixture.ts'

storeConformance({
  describe,
  it,
  abilities: ['second', 'reopen', 'attack', 'tamper'],
  open: () => openSqlite(),
})
