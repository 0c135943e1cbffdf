// Properties: whatever is done in whatever order, with whatever the clock does, chains grow by one and time never goes back.
import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { mayMove, type Status } from '../../src/proposal/status.ts'
import { answerOf, LIFETIME_MS, openWorld, reference, START, type StoreKind, type World } from './harness.ts'
import { agent, finance1, finance2, operator, requester, service, TENANT } from './sessions.ts'

const INTENTS = ['first intent', 'second intent'] as const

/** One thing that somebody does; `at` picks a proposal among those that there are. */
type Step =
  | { readonly do: 'prepare'; readonly by: 0 | 1; readonly intent: 0 | 1; readonly replaces: number | null }
  | { readonly do: 'approve' | 'reject'; readonly by: 0 | 1; readonly at: number }
  | { readonly do: 'revoke' | 'withdraw' | 'check' | 'execute' | 'reconcile'; readonly at: number }
  | { readonly do: 'expire' }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'jump'; readonly ms: number }

const at = fc.nat({ max: 5 })
const bit = fc.constantFrom(0, 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('prepare'), by: bit, intent: bit, replaces: fc.option(at, { freq: 4 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('approve', 'reject'), by: bit, at }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('revoke', 'withdraw', 'check', 'execute', 'execute', 'reconcile'), at }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire') }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('advance'), ms: fc.constantFrom(1, 5_000, 60_000, LIFETIME_MS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('jump'), ms: fc.constantFrom(-LIFETIME_MS, -1, 1, 60_000, LIFETIME_MS) }),
  },
)

/** What one step answered, in a word. */
async function take(world: World, refs: string[], one: Step): Promise<string> {
  const { runtime, clock } = world
  switch (one.do) {
    case 'prepare': {
      const replaces = one.replaces === null ? {} : { replaces: refs[one.replaces] ?? 'nowhere' }
      const input = { ...world.input({ intent: INTENTS[one.intent] }), ...replaces }
      const operation = runtime.prepare(one.by === 0 ? requester : agent, input)
      const answer = await answerOf(operation)
      if (answer === 'prepared') refs.push((await operation).proposal)
      return answer
    }
    case 'approve':
    case 'reject': {
      const ref = refs[one.at] ?? 'nowhere'
      return answerOf(
        runtime[one.do](one.by === 0 ? finance1 : finance2, ref, { commitment: await commitmentOf(world, ref) }),
      )
    }
    case 'revoke': {
      const ref = refs[one.at] ?? 'nowhere'
      const approvals = ref === 'nowhere' ? [] : (await world.stored(ref)).approvals
      return answerOf(runtime.revokeApproval(finance1, ref, approvals[0]?.approvalId ?? 'none'))
    }
    case 'withdraw':
      return answerOf(runtime.withdraw(operator, refs[one.at] ?? 'nowhere'))
    case 'check':
      return answerOf(runtime.check(finance1, refs[one.at] ?? 'nowhere'))
    case 'execute':
      return answerOf(runtime.execute(service, refs[one.at] ?? 'nowhere'))
    case 'reconcile':
      return answerOf(runtime.reconcile(service, refs[one.at] ?? 'nowhere'))
    case 'expire':
      return `expired ${(await runtime.expireDue(service)).expired.length}`
    case 'advance':
      await clock.advance(one.ms)
      return 'advanced'
    case 'jump':
      clock.setWall(Math.max(1, clock.now() + one.ms))
      return 'jumped'
  }
}

async function commitmentOf(world: World, ref: string): Promise<string> {
  return ref === 'nowhere' ? '' : (await world.stored(ref)).proposal.commitment
}

interface Seen {
  readonly status: Status
  readonly revision: number
  readonly updatedAt: number
}

/** What every proposal has become, held against what it was. */
async function look(world: World, before: ReadonlyMap<string, Seen>): Promise<ReadonlyMap<string, Seen>> {
  const proposals = await world.bareStore.list({ tenant: reference(TENANT), limit: 200 })
  for (const { tenant, ref, status, revision, updatedAt, createdAt } of proposals) {
    const was = before.get(ref) ?? { status, revision: 0, updatedAt: createdAt }
    expect(revision).toBeGreaterThanOrEqual(was.revision)
    expect(updatedAt).toBeGreaterThanOrEqual(was.updatedAt)
    if (revision === was.revision) expect([status, updatedAt]).toEqual([was.status, was.updatedAt])
    if (revision === was.revision + 1)
      expect([was.status, status, mayMove(was.status, status)]).toEqual([was.status, status, true])
    const receipts = await world.bareStore.receipts(tenant, ref)
    const times = receipts.map(({ body }) => body?.at ?? Number.NaN)
    expect(receipts).toHaveLength(revision + 1)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  }
  return new Map(proposals.map(({ ref, status, revision, updatedAt }) => [ref, { status, revision, updatedAt }]))
}

async function openSeeded(store: StoreKind): Promise<World> {
  return openWorld({ store, seed: 11 })
}

describe('whatever is done', () => {
  test.prop([fc.array(step, { minLength: 5, maxLength: 40 })], { numRuns: 60 })(
    'invariants I12 and I13: revisions are receipts, moves are in the table, and time never goes back',
    async (steps) => {
      const world = await openSeeded('memory')
      const refs: string[] = []
      let seen: ReadonlyMap<string, Seen> = new Map()

      for (const one of steps) {
        await take(world, refs, one)
        seen = await look(world, seen)
      }

      await world.assertWhole()
      expect(world.action.business.booked.length).toBeLessThanOrEqual(INTENTS.length)
    },
  )

  test.prop([fc.array(step, { minLength: 5, maxLength: 25 })], { numRuns: 15 })(
    'invariant I30: memory and SQLite answer alike, and keep the same',
    async (steps) => {
      const told: string[][] = []
      const kept: unknown[] = []
      for (const store of ['memory', 'sqlite'] as const) {
        const world = await openSeeded(store)
        const refs: string[] = []
        const answers: string[] = []
        for (const one of steps) answers.push(await take(world, refs, one))
        told.push(answers)
        const proposals = await world.bareStore.list({ tenant: reference(TENANT), limit: 200 })
        kept.push(proposals.map(({ commitment: _, commandFingerprint: _f, effect: _e, subject: _s, ...rest }) => rest))
      }

      expect(told[1]).toEqual(told[0])
      expect(kept[1]).toEqual(kept[0])
    },
  )

  test.prop([fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 1, maxLength: 8 })], { numRuns: 30 })(
    'invariant I12: a clock that jumps by years revives nothing that has expired',
    async (years) => {
      const world = await openSeeded('memory')
      const { proposal, commitment } = await world.prepared()
      await world.clock.advance(LIFETIME_MS)
      await world.runtime.expireDue(service)

      for (const year of years) {
        world.clock.setWall(START + year * 31_557_600_000)
        expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('expired')
        expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('expired')
      }
      expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'expired', revision: 1 })
    },
  )
})
