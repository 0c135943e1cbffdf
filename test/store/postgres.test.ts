// The PostgreSQL store keeps the contract of stores, on the newest and on the oldest server that is supported.
import { describe, it } from 'vitest'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { MAJORS } from '../postgres/server.ts'
import { crowded } from './crowded.ts'
import { openPostgres } from './postgres-fixture.ts'

describe.each(MAJORS)('PostgreSQL %s', (major) => {
  storeConformance({
    describe,
    it,
    abilities: ['second', 'reopen', 'attack', 'tamper'],
    open: () => openPostgres({}, major),
  })
})

describe('PostgreSQL, where every change shares its commit with conflicts', () => {
  storeConformance({
    describe,
    it,
    abilities: ['second', 'reopen', 'attack', 'tamper'],
    async open() {
      const opened = await openPostgres()
      return {
        ...opened,
        store: crowded(opened.store, 'conflicts'),
        second: async () => crowded(await opened.second(), 'conflicts'),
        reopen: async () => crowded(await opened.reopen(), 'conflicts'),
      }
    },
  })
})
