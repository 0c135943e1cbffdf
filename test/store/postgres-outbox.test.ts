// The outbox on PostgreSQL: whoever has seen an event has seen all before it, whichever transaction commits first.
import { expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/postgres.ts'
import { inserting } from '../../src/testing/store-conformance/sample-changes.ts'
import { reference, SAMPLE_TENANT, sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { commits } from '../../src/testing/store-conformance/steps.ts'
import { interferingPool, untilWaiting } from './interfering-pool.ts'
import { openPostgres } from './postgres-fixture.ts'

it('trace S50 a reader never goes past the event of a transaction that is still open', async () => {
  const { url, schema, store, close } = await openPostgres()
  onTestFinished(close)
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const slow = await postgresStore({
    schema,
    pool: interferingPool(url, {
      async before(text) {
        if (text !== 'commit') return
        reached.resolve()
        await gate.promise
      },
    }),
  })
  const [first, second] = [inserting(sampleProposal()), inserting(sampleProposal())]
  const elsewhere = inserting(
    sampleProposal({
      tenant: reference('tenant-b'),
      effect: { ...sampleProposal().effect, tenant: reference('tenant-b') },
    }),
  )

  const one = slow.commit(first)
  await reached.promise
  const other = store.commit(second)
  await untilWaiting(url)

  // Another tenant has an outbox of its own, and waits for nobody.
  await commits(store, elsewhere)
  expect(await store.events(SAMPLE_TENANT, 0, 10)).toEqual([])
  gate.resolve()
  expect([await one, await other]).toMatchObject([{ kind: 'committed' }, { kind: 'committed' }])
  const events = await store.events(SAMPLE_TENANT, 0, 10)
  expect(events.map(({ proposal }) => proposal)).toEqual([first, second].map(({ events: [event] }) => event?.proposal))
})
