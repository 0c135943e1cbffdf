// Receipts: one for every stored change, chained, and every alteration found out.
import { describe, expect, it } from 'vitest'
import { withoutGuards } from '../store/sqlite-fixture.ts'
import { erase } from './erased.ts'
import { openWorld, refused, STORES } from './harness.ts'
import { finance1, finance2, reader, requester, service, stranger } from './sessions.ts'

describe.each(STORES)('receipts on %s', (store) => {
  it('tell the whole story of a proposal, who took part in it and when', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment, comment: 'secret words' })
    await world.runtime.approve(finance2, proposal, { commitment })
    const [, second] = (await world.stored(proposal)).approvals
    await world.runtime.revokeApproval(finance2, proposal, second?.approvalId ?? '')
    await world.runtime.execute(requester, proposal)
    await world.clock.advance(5_000)
    await world.runtime.reconcile(service, proposal)

    const { receipts, check } = await world.runtime.receipts(reader, proposal)

    expect(receipts.map(({ sequence, body }) => [sequence, body?.type, body?.trigger, body?.status])).toEqual([
      [1, 'proposal.prepared', 'user:rita', 'awaiting_approval'],
      [2, 'approval.approved', 'user:fiona', 'approved'],
      [3, 'approval.approved', 'user:felix', 'approved'],
      [4, 'approval.revoked', 'user:felix', 'approved'],
      [5, 'execution.started', 'user:rita', 'executing'],
      [6, 'execution.accepted', 'user:rita', 'verification_pending'],
      [7, 'verification.verified_completion', 'service:worker', 'verified'],
    ])
    expect(check).toEqual({ intact: true, consistent: true, integrity: [], consistency: [] })
    expect(JSON.stringify(receipts)).not.toMatch(/secret words|Carla|10\.00/)
    expect(await refused(world.runtime.receipts(stranger, proposal))).toHaveProperty('code', 'not_found')
  })

  it('are links only, once the proposal is erased', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    await erase(world, proposal)

    const { receipts, check } = await world.runtime.receipts(reader, proposal)

    expect(receipts.map(({ body }) => body)).toEqual([null, null, null])
    expect(check).toMatchObject({ intact: true })
  })

  it('are whole in every step, whatever is done and refused (invariant I13)', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    const steps = [
      async () => world.runtime.approve(finance1, proposal, { commitment }),
      async () => world.runtime.approve(finance1, proposal, { commitment }),
      async () => refused(world.runtime.approve(requester, proposal, { commitment })),
      async () => world.runtime.check(finance1, proposal),
      async () => world.runtime.read(reader, proposal),
      async () => world.runtime.execute(requester, proposal),
      async () => world.runtime.withdraw(requester, proposal),
    ]

    for (const step of steps) {
      await step()
      const { revision } = (await world.stored(proposal)).proposal
      const { receipts, check } = await world.runtime.receipts(reader, proposal)
      expect([receipts.length, check.intact, check.consistent]).toEqual([revision + 1, true, true])
    }
  })
})

describe('receipts that somebody with the file has altered', () => {
  it.each<[string, string, { integrity: readonly unknown[]; consistency?: readonly unknown[] }]>([
    [
      'a participant',
      `update receipts set participant = 'user:eve' where sequence = 2`,
      { integrity: [{ sequence: 2, problem: 'hash_differs' }] },
    ],
    [
      'a time',
      `update receipts set at = at + 1 where sequence = 3`,
      { integrity: [{ sequence: 3, problem: 'hash_differs' }] },
    ],
    [
      'a status',
      `update receipts set status = 'verified' where sequence = 1`,
      {
        integrity: [{ sequence: 1, problem: 'hash_differs' }],
        consistency: [
          { sequence: 1, problem: 'not_prepared_first' },
          { sequence: 2, problem: 'transition_not_in_table' },
        ],
      },
    ],
    [
      'one taken out of the middle',
      `delete from receipts where sequence = 2`,
      {
        integrity: [
          { sequence: 3, problem: 'gap' },
          { sequence: 3, problem: 'link_broken' },
        ],
      },
    ],
    [
      'a hash',
      `update receipts set hash = '${'0'.repeat(64)}' where sequence = 2`,
      {
        integrity: [
          { sequence: 2, problem: 'hash_differs' },
          { sequence: 3, problem: 'link_broken' },
        ],
      },
    ],
  ])('are found out: %s', async (_title, sql, found) => {
    const world = await openWorld({ store: 'sqlite', verified: false })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.runtime.approve(finance2, proposal, { commitment })
    withoutGuards(world.path ?? '', sql)

    const { check } = await world.runtime.receipts(reader, proposal)

    expect(check.intact).toBe(false)
    expect(check.integrity).toEqual(expect.arrayContaining([...found.integrity]))
    expect(check.consistency).toEqual(found.consistency ?? [])
  })

  it('are found out when the last one is cut off: the proposal is at a revision that has none', async () => {
    const world = await openWorld({ store: 'sqlite', verified: false })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment })
    withoutGuards(world.path ?? '', 'delete from receipts where sequence = 2')

    expect(await refused(world.runtime.receipts(reader, proposal))).toHaveProperty('code', 'stored_data_corrupt')
  })
})
