// Races of decisions: whatever the order in which the store is reached, all are kept or told that they lost, and none counts twice.
import { fc, test } from '@fast-check/vitest'
import { afterEach, describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { LIFETIME_MS, openWorld, reference, START, STORES, type World } from './harness.ts'
import { finance1, finance2, operator, reader, requester, service, session, TENANT } from './sessions.ts'

/** More interleavings in memory; some on the file, which costs a sync for every commit. */
const runs = { memory: 60, sqlite: 12 } as const
const twoFinance = { require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] }

type Operation = (world: World, ref: string, commitment: string) => Promise<OperationResult | null>

const approve =
  (by: Session): Operation =>
  async ({ runtime }, ref, commitment) =>
    runtime.approve(by, ref, { commitment, comment: by.principal.id })
const reject =
  (by: Session): Operation =>
  async ({ runtime }, ref, commitment) =>
    runtime.reject(by, ref, { commitment })
const withdraw =
  (by: Session): Operation =>
  async ({ runtime }, ref) =>
    runtime.withdraw(by, ref)

/** The world of one test, for all its runs: each run has a proposal of its own. */
let arena: { readonly world: World; scheduler: fc.Scheduler | null } | null = null

afterEach(() => {
  arena = null
})

async function openArena(store: StoreName): Promise<NonNullable<typeof arena>> {
  const turn = async (): Promise<void> => {
    await arena?.scheduler?.schedule(Promise.resolve())
  }
  const around: Around = async (_name, call) => {
    await turn()
    return call()
  }
  const world = await openWorld({ store, around, contract: { policy: twoFinance } })
  const { can } = world.action.methods
  world.action.methods.can = async (...about) => {
    await turn()
    return can(...about)
  }
  return { world, scheduler: null }
}

/** Runs the operations at once; every call of the store and every question about a right waits for its turn. */
async function race(scheduler: fc.Scheduler, store: StoreName, operations: readonly Operation[]): Promise<Raced> {
  arena ??= await openArena(store)
  const { world } = arena
  world.clock.setWall(START)
  const { proposal, commitment } = await world.prepared()
  arena.scheduler = scheduler
  const answers = await scheduler.waitFor(Promise.all(operations.map(async (run) => run(world, proposal, commitment))))
  arena.scheduler = null
  return { world, proposal, commitment, answers }
}

interface Raced {
  readonly world: World
  readonly proposal: string
  readonly commitment: string
  readonly answers: readonly (OperationResult | null)[]
}

/** The decisions on record, as `decision person`, each with its comment where it has one. */
async function recorded({ world, proposal }: Raced): Promise<readonly string[]> {
  const view = await world.runtime.read(reader, proposal)
  if (view.kind !== 'proposal') throw new Error('it is erased')
  return view.approvals.map(({ decision, approver, comment }) => `${decision} ${approver.id} ${comment ?? ''}`.trim())
}

const byText = (a = '', b = ''): number => a.localeCompare(b)

const said = ({ answers }: Raced): readonly (string | undefined)[] => answers.map((answer) => answer?.outcome)

describe.each(STORES)('a race on %s', (store) => {
  const numRuns = runs[store]

  test.prop([fc.scheduler()], { numRuns })(
    'reject ∥ approve: the rejection stands, and the approval is kept or told of it',
    async (scheduler) => {
      const raced = await race(scheduler, store, [reject(finance1), approve(finance2)])

      const [rejected, approved] = said(raced)
      const { proposal } = await raced.world.stored(raced.proposal)
      expect([rejected, proposal.status]).toEqual(['rejected', 'rejected'])
      expect(await recorded(raced)).toEqual(
        approved === 'approval_pending' ? ['approve felix felix', 'reject fiona'] : ['reject fiona'],
      )
      expect(['approval_pending', 'rejected']).toContain(approved)
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'approve ∥ approve by two: both are kept, and together they suffice',
    async (scheduler) => {
      const raced = await race(scheduler, store, [approve(finance1), approve(finance2)])

      expect(said(raced).toSorted(byText)).toEqual(['approval_pending', 'approved'])
      expect((await recorded(raced)).toSorted(byText)).toEqual(['approve felix felix', 'approve fiona fiona'])
      expect((await raced.world.stored(raced.proposal)).proposal).toMatchObject({ status: 'approved', revision: 2 })
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'approve ∥ approve by one: one is kept, the other is a replay, and it counts once',
    async (scheduler) => {
      const raced = await race(scheduler, store, [approve(finance1), approve(finance1), approve(finance1)])

      expect(said(raced).toSorted(byText)).toEqual(['approval_pending', 'replayed', 'replayed'])
      expect(await recorded(raced)).toEqual(['approve fiona fiona'])
      expect((await raced.world.stored(raced.proposal)).proposal).toMatchObject({
        status: 'awaiting_approval',
        revision: 1,
      })
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'withdraw ∥ approve ∥ approve: it is withdrawn, and each approval is kept or told of it',
    async (scheduler) => {
      const raced = await race(scheduler, store, [withdraw(requester), approve(finance1), approve(finance2)])

      const [withdrawn, ...approvals] = said(raced)
      const kept = approvals.filter((outcome) => outcome !== 'withdrawn')
      const { proposal } = await raced.world.stored(raced.proposal)
      expect([withdrawn, proposal.status, proposal.revision]).toEqual(['withdrawn', 'withdrawn', 1 + kept.length])
      expect(await recorded(raced)).toHaveLength(kept.length)
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'withdraw ∥ withdraw ∥ reject: one closes it, and the others are told what it is',
    async (scheduler) => {
      const raced = await race(scheduler, store, [withdraw(requester), withdraw(operator), reject(finance1)])

      const { proposal } = await raced.world.stored(raced.proposal)
      expect(new Set(said(raced))).toEqual(new Set([proposal.status]))
      expect(proposal.revision).toBe(1)
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'expire ∥ approve ∥ sweep: nothing is approved after its time, and it expires once',
    async (scheduler) => {
      const expire: Operation = async (world) => {
        await scheduler.schedule(Promise.resolve())
        world.clock.setWall(START + LIFETIME_MS)
        return null
      }
      const sweep: Operation = async ({ runtime }) => {
        await runtime.expireDue(service)
        return null
      }
      const raced = await race(scheduler, store, [expire, approve(finance1), approve(finance2), sweep])

      await raced.world.runtime.expireDue(service)
      const kept = said(raced).filter((outcome) => outcome === 'approval_pending' || outcome === 'approved')
      const { proposal, approvals } = await raced.world.stored(raced.proposal)
      expect(proposal).toMatchObject({ status: 'expired', revision: 1 + kept.length })
      expect(approvals).toHaveLength(kept.length)
      for (const { decidedAt } of approvals) expect(decidedAt).toBeLessThan(START + LIFETIME_MS)
      expect(['approval_pending', 'approved', 'expired', undefined]).toEqual(expect.arrayContaining([...said(raced)]))
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'revoke ∥ approve: what is taken back never counts, and what is given always does',
    async (scheduler) => {
      const revoke: Operation = async (world, ref) => {
        const { approvals } = await world.stored(ref)
        return world.runtime.revokeApproval(finance1, ref, approvals[0]?.approvalId ?? '')
      }
      const first: Operation = async (world, ref, commitment) => {
        await world.runtime.approve(finance1, ref, { commitment })
        return scheduler
          .waitFor(Promise.all([revoke(world, ref, commitment), approve(finance2)(world, ref, commitment)]))
          .then(([answer]) => answer ?? null)
      }
      const raced = await race(scheduler, store, [first])

      const { proposal, approvals } = await raced.world.stored(raced.proposal)
      expect(said(raced)).toEqual(['revoked'])
      expect(approvals.map(({ approver, revokedAt }) => [approver.id, revokedAt])).toEqual([
        ['fiona', START],
        ['felix', null],
      ])
      expect(proposal).toMatchObject({ status: 'awaiting_approval', revision: 3 })
    },
  )

  it('of twenty approvers at once loses nobody: each is kept, or told that it lost and why', async () => {
    const world = await openWorld({ store, contract: { policy: twoFinance } })
    const { proposal, commitment } = await world.prepared()
    const crowd = Array.from({ length: 20 }, (_, nth) => session(`user:approver-${nth}`, ['finance-manager']))

    const answers = await Promise.all(crowd.map(async (by) => world.runtime.approve(by, proposal, { commitment })))

    const { proposal: after, approvals } = await world.stored(proposal)
    const kept = answers.filter(({ outcome }) => outcome === 'approved' || outcome === 'approval_pending')
    const lost = answers.filter(({ outcome, reason }) => outcome === 'conflict' && reason === 'lost_race')
    expect(kept.length + lost.length).toBe(20)
    expect(approvals).toHaveLength(kept.length)
    expect(new Set(approvals.map(({ approver }) => approver.id)).size).toBe(kept.length)
    expect(after.revision).toBe(kept.length)
    expect(kept.length).toBeGreaterThan(1)
  })

  it('of two processes is one race: both see what the other has written', async () => {
    const world = await openWorld({ store, contract: { policy: twoFinance } })
    const other = await world.open()
    const { proposal, commitment } = await world.prepared()

    const answers = await Promise.all([
      world.runtime.approve(finance1, proposal, { commitment }),
      other.approve(finance2, proposal, { commitment }),
    ])

    expect(answers.map(({ outcome }) => outcome).toSorted(byText)).toEqual(['approval_pending', 'approved'])
    expect((await world.bareStore.list({ tenant: reference(TENANT), limit: 9 }))[0]?.status).toBe('approved')
  })
})

describe.each(STORES)('a commit whose answer is lost on %s', (store) => {
  it.each(['lost', 'lost_before'] as const)(
    'leaves an approval that may have been stored to be looked at: %s',
    async (fault) => {
      const world = await openWorld({ store })
      const { proposal, commitment } = await world.prepared()
      world.faults.at(1, fault)

      await expect(world.runtime.approve(finance1, proposal, { commitment })).rejects.toHaveProperty(
        'code',
        'persistence_outcome_unknown',
      )
      const again = await world.runtime.approve(finance1, proposal, { commitment })

      expect(again.outcome).toBe(fault === 'lost' ? 'replayed' : 'approved')
      expect((await world.stored(proposal)).approvals).toHaveLength(1)
    },
  )
})
