// Rows that a list cannot read: left out, and told to whoever asked to hear of them.
import { expect, it } from 'vitest'
import { prepared } from '../../src/testing/store-conformance/steps.ts'
import { openSqlite } from './sqlite-fixture.ts'

it('every row that a list leaves out is told by its address, each time', async () => {
  const told: string[] = []
  const { store, tamper, close } = await openSqlite({ onCorruptRow: ({ address }) => told.push(address) })
  const { proposal } = await prepared(store)
  await prepared(store)
  const { tenant, ref } = proposal

  await tamper(`update proposals set policy = '{}' where ref = '${ref}'`)
  const listed = [await store.list({ tenant, limit: 10 }), await store.list({ tenant, limit: 10 })]

  expect(listed.map((page) => page.length)).toEqual([1, 1])
  expect(told).toEqual([`proposals/${tenant}/${ref}`, `proposals/${tenant}/${ref}`])
  await close()
})
