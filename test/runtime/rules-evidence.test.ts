// Rules R3, R5 and R6 through the runtime: facts first, the generation of the key, and a boundary that no host can move.
import { describe, expect, it } from 'vitest'
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import { DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import { StoredDataCorrupt } from '../../src/proposal/errors.ts'
import type { Change } from '../../src/runtime/ports.ts'
import { BrokenInvariant } from '../../src/store/broken-invariant.ts'
import {
  answering,
  type ExecutionWorld,
  observes,
  openExecution,
  opensAttempt,
  resendAfter,
  says,
  touch,
  type VerifierAnswer,
} from './execution-world.ts'
import { answerOf, MINUTE_MS, refused, STORES } from './harness.ts'
import { operator, requester } from './sessions.ts'

const INTENT = 'the one that is known about'
const PAST_BOUNDARY_MS = 5 * MINUTE_MS

/** A change that stores evidence and moves a proposal with it. */
function isEvidenceWithStatus(change: Change | null): boolean {
  return observes(change) && change.proposals.length > 0
}

describe.each(STORES)('rule R3 on %s', (store) => {
  it('rule R3: evidence is stored at once while its proposal keeps changing, and the status follows', async () => {
    let touches = 0
    let seenBeforeStatus = 0
    let isOn = false
    const world = await openExecution({
      store,
      around: async (_name, call, change) => {
        const isStatus = change !== null && change.proposals.length > 0
        if (isOn && isStatus && touches < 20) {
          touches += 1
          if (touches > 1) seenBeforeStatus = (await world.effect(proposal)).observations.length
          await touch(world, proposal)
        }
        return call()
      },
    })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    await world.clock.advance(5_000)
    isOn = true

    const answer = await world.reconcile(proposal)

    expect([answer.outcome, touches, seenBeforeStatus]).toEqual(['verified', 20, 1])
    expect((await world.effect(proposal)).observations).toHaveLength(1)
    expect(answer.result).toEqual({ refundId: 'rf-1' })
  })

  it('rule R3: what a proposal that never stands still keeps out is its own status, never the evidence', async () => {
    let isOn = false
    const world = await openExecution({
      store: 'memory',
      around: async (_name, call, change) => {
        if (isOn && change !== null && change.proposals.length > 0) await touch(world, proposal)
        return call()
      },
    })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    await world.clock.advance(5_000)
    isOn = true

    expect(await refused(world.reconcile(proposal))).toMatchObject({ code: 'store_unavailable' })
    isOn = false

    expect((await world.effect(proposal)).observations).toMatchObject([{ verdict: 'CONFIRMED' }])
    expect((await world.runtime.reconcile(operator, proposal, { now: true })).outcome).toBe('verified')
  })

  it('rule R3, trace S49: a trigger that aborts the status does not abort the evidence', async () => {
    let isOn = false
    const world = await openExecution({
      store,
      around: async (_name, call, change) => {
        if (isOn && isEvidenceWithStatus(change))
          throw new BrokenInvariant('a status changes only as the lifecycle says')
        return call()
      },
    })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    await world.clock.advance(5_000)
    isOn = true

    await expect(world.reconcile(proposal)).rejects.toBeInstanceOf(BrokenInvariant)
    isOn = false

    expect((await world.effect(proposal)).observations).toMatchObject([{ verdict: 'CONFIRMED' }])
    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
  })

  it('rule R3: a former owner whose row is damaged keeps no evidence out, and no other status', async () => {
    let damaged = ''
    const world = await openExecution({
      store,
      around: async (name, call) => {
        const answer = await call()
        const isMeant = name === 'proposal' && JSON.stringify(answer)?.includes(`"ref":"${damaged}"`)
        if (damaged !== '' && isMeant) throw new StoredDataCorrupt('proposals/1')
        return answer
      },
    })
    const former = await world.approved(INTENT)
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    await world.execute(former)
    world.action.methods.execute = execute
    const owner = await world.approved(INTENT)
    await world.execute(owner)
    await world.clock.advance(5_000)
    damaged = former

    expect((await world.reconcile(owner)).outcome).toBe('verified')
    expect(await world.runtime.read(requester, owner)).toMatchObject({ status: 'verified', related: [] })
  })

  it('rule R3: an answer is told only once it is stored', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    await world.clock.advance(5_000)
    for (const nth of [1, 2, 3]) world.faults.at(nth, 'lost_before')

    expect(await answerOf(world.reconcile(proposal))).toBe('persistence_outcome_unknown')
    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
  })

  it('rule R3: owner and former owners are both marked', async () => {
    const world = await openExecution({ store })
    const former = await world.approved(INTENT)
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(former)
    world.action.methods.execute = execute
    const owner = await world.approved(INTENT)
    await world.execute(owner)
    const [first] = (await world.effect(owner)).attempts
    // What the executor was sure had not happened is found, under the key of the first attempt.
    world.action.methods.verify = answering(says.doneAs({ identity: first?.idempotencyKey ?? '' }))
    await world.clock.advance(5_000)

    await world.reconcile(owner)

    for (const ref of [former, owner]) {
      expect((await world.stored(ref)).proposal).toMatchObject({
        status: 'verification_unresolved',
        attention: ['conflicting_evidence'],
      })
    }
  })

  it.each([
    { closed: 'withdrawn', close: (world: ExecutionWorld, ref: string) => world.runtime.withdraw(requester, ref) },
    {
      closed: 'expired',
      close: async (world: ExecutionWorld, ref: string) => {
        await world.clock.advance(24 * 60 * MINUTE_MS)
        return world.execute(ref)
      },
    },
    {
      closed: 'rejected',
      close: async (world: ExecutionWorld, ref: string) => {
        const { commitment } = (await world.stored(ref)).proposal
        const by = { ...requester, principal: { kind: 'user' as const, id: 'fay' }, roles: ['finance-manager'] }
        return world.runtime.reject(by, ref, { commitment })
      },
    },
    {
      closed: 'stale',
      close: async (world: ExecutionWorld, ref: string) => {
        world.action.business.orderVersion += 1
        return world.execute(ref)
      },
    },
  ])('rule R3, trace S32: what is $closed keeps its status, shows the evidence and frees nothing', async (row) => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)
    expect((await row.close(world, proposal)).status).toBe(row.closed)
    world.action.methods.verify = answering(says.done)

    const answer = await world.runtime.reconcile(operator, proposal, { now: true })

    expect(answer).toMatchObject({
      status: row.closed,
      nextStep: 'operator',
      attention: ['conflicting_evidence'],
      evidence: { status: 'UNKNOWN', conflict: true },
    })
    const rival = await world.approved(INTENT, { orderReference: 'ORD-1001' })
    expect(await answerOf(world.execute(rival))).toBe('replayed effect_in_flight_elsewhere')
  })
})

describe.each(STORES)('rule R5 on %s', (store) => {
  const lost = async (): Promise<never> => {
    throw new Error('connection reset')
  }
  const refusing = async (): Promise<never> => {
    throw new DefinitiveFailure('card_expired')
  }
  const notSent = async (): Promise<never> => {
    throw new NotSent('pool_exhausted')
  }
  const stale = async () => ({ status: 'stale_no_effect' }) as const

  /** How the first attempt ends and is closed, and under which generation the second one goes out. */
  const rows: readonly {
    readonly closed: string
    readonly execute: () => Promise<never> | Promise<{ readonly status: 'stale_no_effect' }>
    readonly verify: VerifierAnswer
    readonly generation: number
  }[] = [
    { closed: 'by a word of failure in its lease', execute: refusing, verify: says.absent, generation: 2 },
    { closed: 'by stale_no_effect', execute: stale, verify: says.absent, generation: 2 },
    { closed: 'as not sent: the key was never seen', execute: notSent, verify: says.absent, generation: 1 },
    { closed: 'by the proof terminal', execute: lost, verify: says.gone('terminal'), generation: 2 },
    { closed: 'by the proof settled', execute: lost, verify: says.gone('settled'), generation: 1 },
  ]

  it.each(rows)('rule R5: closed $closed, the next attempt carries generation $generation', async (row) => {
    const world = await openExecution({ store, contract: resendAfter('terminal', 'settled') })
    const first = await world.approved(INTENT)
    const { execute } = world.action.methods
    world.action.methods.execute = row.execute
    world.action.methods.verify = answering(row.verify)
    await world.execute(first)
    for (const _ of [1, 2]) {
      await world.clock.advance(PAST_BOUNDARY_MS)
      await world.reconcile(first)
    }
    world.action.methods.execute = execute
    const second = await world.approved(INTENT)

    expect((await world.execute(second)).status).toBe('verification_pending')

    const { attempts, key } = await world.effect(second)
    const keys = [1, row.generation].map((generation) => idempotencyKey(key, generation))
    expect(attempts.map(({ idempotencyKey: used }) => used)).toEqual(keys)
    expect(world.log.executed.map(({ input }) => input.idempotencyKey)).toEqual(keys)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(second)
    expect(world.log.verified.at(-1)?.input.idempotencyKeys).toEqual([...new Set(keys)])
  })

  it('rule R5: with one attempt that may still land under the old key, none gets a new one', async () => {
    const world = await openExecution({ store, contract: resendAfter('settled') })
    const proposal = await world.approved(INTENT)
    world.action.methods.verify = answering(says.gone('settled'))
    world.action.methods.execute = lost
    await world.execute(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)
    world.action.methods.execute = refusing
    await world.execute(proposal)

    const rival = await world.approved(INTENT)
    for (const _ of [1, 2]) {
      await world.clock.advance(PAST_BOUNDARY_MS)
      await world.execute(rival)
    }

    expect((await world.effect(proposal)).attempts.map(({ generation }) => generation)).toEqual([1, 1, 1])
  })

  it('trace S7: the key is made of tenant, domain, reference and generation, and of nothing else', async () => {
    const keyring = (await openExecution({ store })).keyring
    const used: string[] = []
    // Another store, as after a restore: the same effect has the same name and the same key.
    for (const contract of [{}, { revision: 2 }, { target: { name: 'bank', idempotent: false } }]) {
      const world = await openExecution({ store, keyring, contract })
      await world.execute(await world.approved(INTENT, { memo: `memo ${used.length}` }))
      used.push(world.log.executed[0]?.input.idempotencyKey ?? '')
    }
    const elsewhere = await openExecution({ store, keyring })
    const other = { ...requester, tenant: 'globex' }
    const { proposal, commitment } = await elsewhere.runtime.prepare(other, elsewhere.input({ intent: INTENT }))
    const by = { ...other, principal: { kind: 'user' as const, id: 'fay' }, roles: ['finance-manager'] }
    await elsewhere.runtime.approve(by, proposal, { commitment })
    await elsewhere.runtime.execute(other, proposal)

    expect(new Set(used).size).toBe(1)
    expect(elsewhere.log.executed[0]?.input.idempotencyKey).not.toBe(used[0])
  })
})

describe.each(STORES)('rule R6 on %s', (store) => {
  it('rule R6, trace S6: a read that began before the boundary proves nothing, however late it answers', async () => {
    const world = await openExecution({ store, contract: { lifetime: '1d' } })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    await world.clock.advance(120_000 - 1)
    world.action.methods.verify = async (input) => {
      world.clock.setWall(world.clock.now() + 10_000)
      return says.gone('terminal')(input)
    }

    expect((await world.reconcile(proposal)).outcome).toBe('verification_pending')
    expect((await world.effect(proposal)).observations[0]).toMatchObject({ verdict: 'UNKNOWN' })
    expect((await world.effect(proposal)).absencesSpent).toBe(0)
  })

  it('rule R6: an early return does not shorten the boundary', async () => {
    const world = await openExecution({ store, contract: { lifetime: '1d' } })
    const proposal = await world.approved(INTENT)
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(proposal)
    await world.clock.advance(61_000)

    expect((await world.reconcile(proposal)).outcome).toBe('verification_pending')
  })

  it('rule R6: the boundary is that of the latest attempt covered', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)
    await world.execute(proposal)
    await world.clock.advance(60_000)

    const answer = await world.reconcile(proposal)

    expect([answer.status, answer.evidence]).toMatchObject(['verification_pending', { status: 'UNKNOWN', attempts: 2 }])
  })

  it('trace S6: a worker that freezes after its admission calls nothing when it thaws', async () => {
    let isFrozen = false
    const world = await openExecution({
      store,
      contract: { lifetime: '1d' },
      around: async (_name, call, change) => {
        const answer = await call()
        if (isFrozen && opensAttempt(change)) await world.clock.advance(10 * MINUTE_MS)
        return answer
      },
    })
    const proposal = await world.approved(INTENT)
    isFrozen = true

    expect((await world.execute(proposal)).status).toBe('approved')
    expect(world.log.executed).toEqual([])
  })
})
