// Traces that no single step of the lifecycle closes: sequences that must not be possible, each by its number.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DefinitiveFailure, type Executed, NotSent, type Verified } from '../../src/proposal/action.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import {
  answering,
  endsAttempt,
  type ExecutionWorld,
  frozenRuntime,
  hanging,
  openExecution,
  resendAfter,
  says,
  still,
  underWay,
} from './execution-world.ts'
import { answerOf, MINUTE_MS, reference, STORES } from './harness.ts'
import type { Refund } from './refund.ts'
import { director, finance1, finance2, operator, requester, service, TENANT } from './sessions.ts'

const INTENT = 'the one that is traced'
const LEASE_MS = 60_000
const BOUNDARY_MS = 120_000

describe.each(STORES)('two effects, on %s', (store) => {
  it('trace S5: a refusal on record names its attempt, and closes no other one', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const first = await world.approved(INTENT)
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    world.action.methods.verify = answering(says.refused(1))
    await world.execute(first)
    // The second owner's worker freezes after its admission.
    const second = await world.approved(INTENT)
    const zombie = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    await underWay(world, zombie.runtime.execute(requester, second))
    const [refused, frozen] = (await world.effect(second)).attempts
    expect(frozen?.ending).toBeNull()
    await world.clock.advance(BOUNDARY_MS)
    world.action.methods.verify = async () => ({
      status: 'verified_terminal_failure',
      identity: refused?.idempotencyKey ?? '',
      attempt: 1,
    })

    const answer = await world.reconcile(second)

    expect([answer.status, answer.evidence?.status]).toEqual(['verification_pending', 'UNKNOWN'])
    expect(await answerOf(world.execute(await world.approved(INTENT)))).toBe('replayed effect_in_flight_elsewhere')
  })

  it('trace S5: a refusal under the key of another attempt than it names is no answer', async () => {
    const world = await openExecution({ store })
    const first = await world.approved(INTENT)
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(first)
    world.action.methods.execute = execute
    const second = await world.approved(INTENT)
    await world.execute(second)
    const { attempts } = await world.effect(second)
    world.action.methods.verify = async () => ({
      status: 'verified_terminal_failure',
      identity: attempts[0]?.idempotencyKey ?? '',
      attempt: 2,
    })
    await world.clock.advance(BOUNDARY_MS)

    await world.reconcile(second)

    expect((await world.effect(second)).observations.at(-1)).toMatchObject({
      answer: 'target_unavailable',
      reason: 'identity_mismatch',
    })
  })

  it('trace S4: the whole of it: a fenced worker’s word frees nothing for the next proposal', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const first = await world.approved(INTENT)
    const zombie = await frozenRuntime(world)
    const { promise, reject } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    const answer = answerOf(zombie.runtime.execute(requester, first))
    await world.clock.advance(LEASE_MS)
    await world.reconcile(first)
    zombie.thaw()
    reject(new DefinitiveFailure('cancelled'))
    await answer

    const second = await world.approved(INTENT)
    expect(await answerOf(world.execute(second))).toBe('replayed effect_in_flight_elsewhere')
    expect(await answerOf(world.reconcile(first))).not.toBe('failed_known')
    expect(world.log.executed).toHaveLength(1)
  })

  it('trace S22: an amount in a currency that no threshold names needs the director', async () => {
    const world = await openExecution({
      store,
      contract: {
        policy: {
          require: [
            { name: 'finance', count: 1, from: { role: 'finance-manager' } },
            {
              name: 'director',
              count: 1,
              from: { role: 'director' },
              when: { path: '/amount', atLeast: { amount: '10000.00', currency: 'EUR' } },
            },
          ],
        },
      },
    })
    const inDollars = { intent: INTENT, amount: { amount: '50.00', currency: 'USD' } }
    const { proposal, commitment } = await world.prepared(requester, world.input(inDollars))
    await world.runtime.approve(finance1, proposal, { commitment })

    expect(await answerOf(world.execute(proposal))).toBe('approval_pending')
    await world.runtime.approve(director, proposal, { commitment })
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('trace S25: free text goes to the executor as it was given, and what identifies is refused instead of rewritten', async () => {
    const decomposed = 'Cafe\u0301'
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT, { memo: decomposed })
    await world.execute(proposal)
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => ({ ...(await resolve(input)), precondition: decomposed })

    expect(world.log.executed[0]?.input.snapshot.memo).toBe(decomposed)
    expect(await answerOf(world.execute(await world.approved('another one that is traced')))).toBe(
      'blocked resolve_failed',
    )
    expect(await answerOf(world.prepared(requester, world.input({ intent: decomposed })))).toBe('invalid_preparation')
  })
})

describe.each(STORES)('wrong reports, on %s', (store) => {
  /** A call that ended on record, whose proposal never followed: the process died in between. */
  async function diedInBetween(): Promise<{ world: ExecutionWorld; proposal: string }> {
    let isDead = false
    const world: ExecutionWorld = await openExecution({
      store,
      around: async (_name, call, change) => {
        const isEnd = endsAttempt(change)
        // First a proposal is in the way of the whole change, then the process dies after the fact alone.
        if (isEnd && change.proposals.length > 0)
          return { kind: 'conflict', on: 'revision' } as Awaited<ReturnType<typeof call>>
        if (isDead && change !== null && change.effect === null) throw new Error('killed')
        const answer = await call()
        if (isEnd) isDead = true
        return answer
      },
    })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal).catch(() => null)
    isDead = false
    expect((await world.stored(proposal)).proposal.status).toBe('executing')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ kind: 'accepted' })
    return { world, proposal }
  }

  it.each([
    { seen: 'a confirmation', verify: says.done, ends: 'verified' },
    { seen: 'two of them', verify: says.doneAs({ matches: 2 }), ends: 'verification_unresolved' },
    { seen: 'nothing yet', verify: says.absent, ends: 'verification_pending' },
  ])('trace S34: $seen while it is still executing leads to $ends', async ({ verify, ends }) => {
    const { world, proposal } = await diedInBetween()
    world.action.methods.verify = answering(verify)
    await world.clock.advance(10_000)

    expect((await world.reconcile(proposal)).status).toBe(ends)
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S49: what becomes known of the first attempt while the second is under way is stored, and asks for a person', async () => {
    // Both proposals look at the target at the same time, on purpose.
    const world = await openExecution({ store, except: ['I17'] })
    const first = await world.approved(INTENT)
    const { execute, verify } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(first)
    const [second, third] = [await world.approved(INTENT), await world.approved(INTENT)]
    const { promise: seen, resolve: answerVerifier } = Promise.withResolvers<Verified<Refund>>()
    world.action.methods.verify = () => seen
    const looking = answerOf(world.execute(third))
    await still(world)
    world.action.methods.verify = verify
    const { promise: called, resolve: answerCall } = Promise.withResolvers<void>()
    world.action.methods.execute = async (call) => {
      await called
      return execute(call)
    }
    const calling = answerOf(world.execute(second))
    await still(world)
    expect((await world.stored(second)).proposal.status).toBe('executing')
    const read = world.log.verified[0]
    if (read === undefined) throw new Error('the first one is looking')

    answerVerifier(says.done(read.input))

    expect(await looking).toMatch(/^(blocked|replayed|conflict|verification_unresolved)/)
    expect((await world.stored(second)).proposal.status).toBe('verification_unresolved')
    expect((await world.effect(second)).observations.map(({ verdict }) => verdict)).toContain('CONFIRMED')
    answerCall()
    expect(await calling).toBe('verification_unresolved')
    expect((await world.effect(second)).attempts[1]?.ending).toMatchObject({ kind: 'accepted' })
  })

  it('trace S49: what is found while another attempt starts under the same key may be its effect, and contradicts nothing', async () => {
    const world = await openExecution({ store, except: ['I17'] })
    const first = await world.approved(INTENT)
    const { execute, verify } = world.action.methods
    // Nothing left the process, so that the next attempt carries the same key.
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    await world.execute(first)
    world.action.methods.execute = execute
    const [second, third] = [await world.approved(INTENT), await world.approved(INTENT)]
    const { promise: seen, resolve: answerVerifier } = Promise.withResolvers<Verified<Refund>>()
    world.action.methods.verify = () => seen
    const looking = answerOf(world.execute(third))
    await still(world)
    world.action.methods.verify = verify
    await world.execute(second)
    const read = world.log.verified[0]
    if (read === undefined) throw new Error('the third one is looking')

    answerVerifier(says.done(read.input))
    await looking

    expect((await world.stored(second)).proposal).toMatchObject({ status: 'verified', attention: [] })
    expect((await world.effect(second)).observations.at(-1)).toMatchObject({ covers: { from: 1, to: 2 } })
  })

  it('trace S37: an approval that lapsed or was taken back is given anew, not replayed', async () => {
    const world = await openExecution({
      store,
      contract: {
        policy: {
          require: [{ name: 'finance', count: 1, from: { principals: ['user:fiona'] } }],
          approvalTtl: '2m',
        },
      },
    })
    const { proposal, commitment } = await world.prepared(requester, world.input({ intent: INTENT }))
    await world.runtime.approve(finance1, proposal, { commitment })
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('replayed')
    await world.clock.advance(2 * MINUTE_MS)
    expect(await answerOf(world.execute(proposal))).toBe('approval_pending approval_lapsed')

    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approved')
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('trace S42: a prepare that died with its request key in hand holds nobody up', async () => {
    const world = await openExecution({ store })
    const input = { ...world.input({ intent: INTENT }), requestKey: 'key-1' }
    const { prepare } = world.action.methods
    world.action.methods.prepare = () => new Promise(() => {})
    await underWay(world, world.runtime.prepare(requester, input))
    world.action.methods.prepare = prepare

    expect((await world.runtime.prepare(requester, input)).outcome).toBe('prepared')
  })

  it('trace S32: the evidence behind a tombstone of an open resend is not forgotten by its rivals', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(proposal)
    await world.clock.advance(BOUNDARY_MS)
    await world.reconcile(proposal)
    await world.runtime.withdraw(requester, proposal)
    const rival = await world.approved(INTENT)
    world.action.methods.verify = answering(says.done)

    expect(await answerOf(world.execute(rival))).toBe('blocked earlier_attempt')
    expect((await world.stored(proposal)).proposal).toMatchObject({
      status: 'withdrawn',
      attention: ['conflicting_evidence'],
    })
    expect(world.log.executed).toHaveLength(1)
  })
})

describe.each(STORES)('trace S53 on %s', (store) => {
  it.each([
    { call: 'can', limitMs: 10_000, told: 'authorization_unavailable' },
    { call: 'resolve', limitMs: 10_000, told: 'blocked resolve_failed' },
    { call: 'execute', limitMs: 60_000, told: 'failed_unknown execute_timed_out' },
  ] as const)('trace S53, rule R18: an execution whose $call never answers ends after $limitMs ms', async (row) => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const never = (): Promise<never> => new Promise(() => {})
    world.action.methods[row.call] = never

    const answer = answerOf(world.runtime.execute(service, proposal))
    const told: string[] = []
    const hearing = answer.then((word) => told.push(word))
    await still(world)
    await world.clock.advance(row.limitMs - 1)
    await still(world)
    expect(told).toEqual([])
    await world.clock.advance(1)
    await hearing

    expect(told).toEqual([row.told])
  })

  it('trace S53: a keyring that never answers blocks, and is not taken for an erasure', async () => {
    const sound = ephemeralKeyring()
    let isHung = false
    const resolve: typeof sound.resolve = (version) => (isHung ? new Promise(() => {}) : sound.resolve(version))
    const world = await openExecution({ store, keyring: { ...sound, resolve } })
    const proposal = await world.approved(INTENT)
    isHung = true

    const answer = answerOf(world.execute(proposal))
    await still(world)
    await world.clock.advance(10_000)

    expect(await answer).toBe('blocked content_unavailable')
    isHung = false
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })
})

describe('restored from yesterday', () => {
  it('trace S14: what the copy does not know is asked of the target under the same key, which books it once', async () => {
    // The log knows both stores and the dump only one of them.
    const world = await openExecution({ store: 'sqlite', except: ['I3', 'I4', 'I6', 'I11'] })
    const proposal = await world.approved(INTENT)
    const copy = join(world.path ?? '', '..', 'copy.db')
    const database = new Database(world.path ?? '')
    database.exec(`vacuum into '${copy}'`)
    database.close()
    await world.execute(proposal)
    // Longer ago than two clocks may differ.
    await world.clock.advance(6_000)
    expect((await world.reconcile(proposal)).outcome).toBe('verified')

    const restored = await sqliteStore(copy, { clock: world.clock })
    onTestFinished(() => restored.close())
    const runtime = await world.open({ store: restored })
    await runtime.execute(requester, proposal)
    await world.clock.advance(5_000)
    const answer = await runtime.reconcile(service, proposal)

    // What is there from before the first attempt that this store knows of is for a person.
    expect(answer).toMatchObject({ outcome: 'verification_unresolved', reason: 'effect_mismatch' })
    expect(new Set(world.log.executed.map(({ input }) => input.idempotencyKey)).size).toBe(1)
    expect(world.action.business.booked).toHaveLength(1)
    expect(await restored.proposal(reference(TENANT), reference(proposal))).toMatchObject({ kind: 'live' })
  })
})

describe.each(STORES)('an unresolved effect, on %s', (store) => {
  it('trace S36: one false answer against a verified effect reopens it, and frees nothing', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    await world.clock.advance(5_000)
    await world.reconcile(proposal)
    await world.clock.advance(BOUNDARY_MS)
    world.action.methods.verify = answering(says.gone('terminal'))

    expect((await world.runtime.reconcile(operator, proposal, { now: true })).status).toBe('verification_unresolved')
    const rival = await world.prepared(requester, world.input({ intent: INTENT }))
    await world.runtime.approve(finance2, rival.proposal, { commitment: rival.commitment })
    expect(await answerOf(world.execute(rival.proposal))).toBe('replayed effect_in_flight_elsewhere')
    expect(world.log.executed).toHaveLength(1)
  })
})
