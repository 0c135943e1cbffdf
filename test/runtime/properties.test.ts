// Properties: whatever is done in whatever order, with whatever the clock does, chains grow by one and time never goes back.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { mayMove, type Status } from '../../src/proposal/status.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, LIFETIME_MS, openWorld, reference, START, type World } from './harness.ts'
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
const weighed = <T extends Step>(
  weight: number,
  arbitrary: fc.Arbitrary<T>,
): { weight: number; arbitrary: typeof arbitrary } => {
  return { weight, arbitrary }
}
// So that most histories get somewhere: approvals, calls and time come often, what ends a proposal seldom.
const step: fc.Arbitrary<Step> = fc.oneof(
  weighed(2, fc.record({ do: fc.constant('prepare'), by: bit, intent: bit, replaces: fc.option(at, { freq: 1 }) })),
  weighed(8, fc.record({ do: fc.constant('approve'), by: bit, at })),
  weighed(1, fc.record({ do: fc.constantFrom('reject'), by: bit, at })),
  weighed(2, fc.record({ do: fc.constantFrom('revoke', 'withdraw', 'check'), at })),
  weighed(8, fc.record({ do: fc.constantFrom('execute', 'reconcile'), at })),
  weighed(1, fc.record({ do: fc.constant('expire') })),
  weighed(3, fc.record({ do: fc.constant('advance'), ms: fc.constantFrom(1, 5_000, 5_000, 60_000, LIFETIME_MS) })),
  weighed(2, fc.record({ do: fc.constant('jump'), ms: fc.constantFrom(-LIFETIME_MS, -1, 1, 60_000, LIFETIME_MS) })),
)
const history = (maxLength: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(step, { minLength: 8, maxLength, size: 'max' })

/** What one step answered, in a word. */
async function take(world: World, refs: string[], one: Step): Promise<string> {
  const { runtime, clock } = world
  switch (one.do) {
    case 'prepare': {
      const replaces = one.replaces === null ? {} : { replaces: picked(refs, one.replaces) }
      const input = { ...world.input({ intent: INTENTS[one.intent] }), ...replaces }
      const operation = runtime.prepare(one.by === 0 ? requester : agent, input)
      const answer = await answerOf(operation)
      if (answer === 'prepared') refs.push((await operation).proposal)
      return answer
    }
    case 'approve':
    case 'reject': {
      const ref = picked(refs, one.at)
      return answerOf(
        runtime[one.do](one.by === 0 ? finance1 : finance2, ref, { commitment: await commitmentOf(world, ref) }),
      )
    }
    case 'revoke': {
      const ref = picked(refs, one.at)
      const { approvals } = await world.stored(ref)
      return answerOf(runtime.revokeApproval(finance1, ref, approvals[0]?.approvalId ?? 'none'))
    }
    case 'withdraw':
      return answerOf(runtime.withdraw(operator, picked(refs, one.at)))
    case 'check':
      return answerOf(runtime.check(finance1, picked(refs, one.at)))
    case 'execute':
      return answerOf(runtime.execute(service, picked(refs, one.at)))
    case 'reconcile':
      return answerOf(runtime.reconcile(service, picked(refs, one.at)))
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
  return (await world.stored(ref)).proposal.commitment
}

function picked(refs: readonly string[], nth: number): string {
  return refs[nth % refs.length] ?? ''
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
    const isUntouched = revision === was.revision
    const isSame = status === was.status && updatedAt === was.updatedAt
    const isPossible = isUntouched ? isSame : revision > was.revision + 1 || mayMove(was.status, status)
    expect([ref, isPossible]).toEqual([ref, true])
    const receipts = await world.bareStore.receipts(tenant, ref)
    const times = receipts.map(({ body }) => body?.at ?? Number.NaN)
    expect(receipts).toHaveLength(revision + 1)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  }
  return new Map(proposals.map(({ ref, status, revision, updatedAt }) => [ref, { status, revision, updatedAt }]))
}

/** A world with two proposals to begin with. */
async function begin(store: StoreName): Promise<{ world: World; refs: string[] }> {
  const world = await openWorld({ store, seed: 11 })
  const refs: string[] = []
  for (const intent of [0, 1] as const) await take(world, refs, { do: 'prepare', by: 0, intent, replaces: null })
  return { world, refs }
}

describe('whatever is done', () => {
  it('invariants I12 and I13: revisions are receipts, moves are in the table, and time never goes back', async () => {
    const reached = new Set<string>()

    await fc.assert(
      fc.asyncProperty(history(40), async (steps) => {
        const { world, refs } = await begin('memory')
        let seen: ReadonlyMap<string, Seen> = new Map()
        for (const one of steps) {
          // An outcome or a refusal, and never a broken invariant.
          expect(await take(world, refs, one)).toMatch(/^[a-z_]+( [a-z0-9_.-]+)?$/)
          seen = await look(world, seen)
          for (const { status } of seen.values()) reached.add(status)
        }
        expect(world.action.business.booked.length).toBeLessThanOrEqual(INTENTS.length)
      }),
      { numRuns: 60 },
    )

    // The histories got somewhere.
    const places = ['approved', 'verification_pending', 'verified', 'rejected', 'withdrawn', 'expired']
    expect([...reached]).toEqual(expect.arrayContaining(places))
  })

  test.prop([history(20)], { numRuns: 12 })(
    'invariant I30: memory and SQLite answer alike, and keep the same',
    async (steps) => {
      const told: string[][] = []
      const kept: unknown[] = []
      for (const store of ['memory', 'sqlite'] as const) {
        const { world, refs } = await begin(store)
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
    'invariant I12, threat T10: a clock that jumps by years revives nothing that has expired',
    async (years) => {
      const world = await openWorld({ store: 'memory' })
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
