// Evidence after erasure: it is kept as verdict, attempt and time, and whoever reads the tombstone is told of it.
import { describe, expect, it } from 'vitest'
import type { Executed } from '../../src/proposal/action.ts'
import { rawRows } from '../store/sqlite-fixture.ts'
import { refused, STORES, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import {
  answering,
  approvedFor,
  effectBehind,
  executing,
  found,
  foundOther,
  goneForGood,
  openOperators,
  saying,
  SETTLED_MS,
  unresolved,
} from './operators.ts'
import type { Refund } from './refund.ts'
import { residueBeside } from './residue.ts'
import { operator, privacy, reader, requester } from './sessions.ts'

const why = { reason: 'asked_by_subject' } as const

/** A call that is under way until it is told how it ends. */
interface Hanging {
  readonly ref: string
  readonly end: (answer: Executed<Refund>) => Promise<void>
}

async function hanging(world: World): Promise<Hanging> {
  const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
  executing(world, async () => promise)
  const { proposal } = await approvedFor(world, 'broken vase')
  world.runtime.execute(requester, proposal).catch(() => null)
  await world.clock.advance(SETTLED_MS)
  return {
    ref: proposal,
    async end(answer) {
      resolve(answer)
      for (const _ of [1, 2, 3, 4]) await world.clock.advance(0)
    },
  }
}

const accepted = {
  status: 'accepted',
  externalReference: 'rf-late-4711',
  result: { refundId: 'late-result-4711' },
} as const

describe.each(STORES)('rule R19: a late word of the executor on %s', (store) => {
  it('rule R19 is what was said and when, without a reference, a reason or a result', async () => {
    const world = await openOperators({ store })
    const call = await hanging(world)
    answering(world, goneForGood)
    await world.runtime.reconcile(requester, call.ref)
    const { key } = await effectBehind(world, call.ref)
    await world.runtime.erase(privacy, call.ref, why)
    const before = await world.bareStore.effect(key)

    await call.end(accepted)

    const effect = await world.bareStore.effect(key)
    expect(effect?.observations.slice(before?.observations.length)).toEqual([
      {
        sequence: (before?.observations.length ?? 0) + 1,
        source: 'executor',
        answer: 'accepted',
        verdict: 'UNKNOWN',
        covers: { from: 1, to: 1 },
        target: 'business-system',
        proof: null,
        flags: ['late', 'reference_differs'],
        reason: null,
        externalReference: null,
        matches: null,
        beganAt: effect?.attempts[0]?.startedAt,
        endedAt: world.clock.now(),
      },
    ])
    const secrets = { reference: accepted.externalReference, result: accepted.result.refundId }
    expect(world.path === null ? [] : residueBeside(world.path, secrets)).toEqual([])
  })

  it('trace S27 a late acceptance of what was proven absent asks whoever reads the tombstone', async () => {
    const world = await openOperators({ store })
    const call = await hanging(world)
    answering(world, goneForGood)
    await world.runtime.reconcile(requester, call.ref)
    await world.runtime.erase(privacy, call.ref, why)
    expect(await world.runtime.read(reader, call.ref)).toMatchObject({ attention: [], evidence: { status: 'FAILED' } })

    await call.end(accepted)

    expect(await world.runtime.read(reader, call.ref)).toMatchObject({
      kind: 'erased',
      attention: ['duplicate_possible'],
      evidence: { status: 'FAILED' },
    })
  })

  it('rule R4 names its reference as long as its proposal is not erased', async () => {
    const world = await openOperators({ store })
    const call = await hanging(world)
    answering(world, goneForGood)
    await world.runtime.reconcile(requester, call.ref)

    await call.end(accepted)

    const { observations } = await effectBehind(world, call.ref)
    expect(observations.at(-1)).toMatchObject({ source: 'executor', externalReference: accepted.externalReference })
  })
})

describe.each(STORES)('trace S32: an answer of the verifier that comes after erasure, on %s', (store) => {
  /** A verification is under way when a person settles the effect and its proposal is erased; then it is answered. */
  async function overtaken(world: World, answer: typeof found): Promise<{ ref: string; error: unknown }> {
    const ref = await unresolved(world)
    const { promise, resolve } = Promise.withResolvers<null>()
    world.action.methods.verify = async (asked) => {
      await promise
      return answer(asked)
    }
    const looking = refused(world.runtime.reconcile(operator, ref, { now: true }))
    await world.clock.advance(0)
    await world.runtime.settle(operator, ref, saying('did_not_occur'))
    expect(await world.runtime.erase(privacy, ref, why)).toMatchObject({ outcome: 'erased' })
    resolve(null)
    return { ref, error: await looking }
  }

  it('trace S32 the evidence of the tombstone follows it', async () => {
    const world = await openOperators({ store })

    const { ref, error } = await overtaken(world, found)

    expect(error).toMatchObject({ code: 'not_found' })
    expect(world.action.calls.verify).toBe(2)
    expect(await world.runtime.read(reader, ref)).toMatchObject({
      kind: 'erased',
      tombstone: { status: 'failed_known', evidence: 'UNKNOWN' },
      evidence: { status: 'UNKNOWN', conflict: true },
      attention: ['conflicting_evidence'],
    })
  })

  it('trace S44 its facts are not kept', async () => {
    const world = await openOperators({ store })

    const { ref } = await overtaken(world, foundOther)

    const read = await world.runtime.read(reader, ref)
    expect(read).toMatchObject({ kind: 'erased', attention: ['effect_mismatch', 'settlement_unconfirmed'] })
    const sql = 'select sequence from observations where facts is not null'
    expect(world.path === null ? [] : rawRows(world.path, sql)).toEqual([])
  })
})

describe.each(STORES)('an erasure that is quicker than the answer about a call, on %s', (store) => {
  it('the caller is told how the call ended, by what is left', async () => {
    let sweep: (() => Promise<unknown>) | null = null
    const around: Around = async (_name, call, change) => {
      const answer = await call()
      // As soon as the end of the call is stored, another process carries out the erasure that waited for it.
      if ((change?.effect?.ended ?? null) !== null) await sweep?.()
      return answer
    }
    const world = await openOperators({ store, around })
    const bare = await world.open({ store: world.bareStore })
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    executing(world, async () => promise)
    const { proposal } = await approvedFor(world, 'broken vase')
    const execution = world.runtime.execute(requester, proposal)
    await world.clock.advance(0)
    expect(await world.runtime.erase(privacy, proposal, why)).toMatchObject({ outcome: 'erasure_deferred' })
    sweep = async () => bare.eraseDue(privacy)

    resolve({ status: 'failed_known', reason: 'card_expired' })

    expect(await execution).toMatchObject({
      outcome: 'failed_known',
      status: 'failed_known',
      commitment: '',
      evidence: { status: 'FAILED' },
      result: null,
    })
    expect(await world.runtime.read(reader, proposal)).toMatchObject({ kind: 'erased' })
  })
})
