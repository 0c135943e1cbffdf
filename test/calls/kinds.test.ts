// Kinds of effects: a guarded call and a proposal for the same effect exclude each other, and neither reaches the other's.
import { describe, expect, it } from 'vitest'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import { EffectKindConflict } from '../../src/proposal/errors.ts'
import { CommitFaults } from '../../src/testing/commit-faults.ts'
import { approved } from '../runtime/execution-world.ts'
import { openWorld, reference, type World } from '../runtime/harness.ts'
import { requester, TENANT } from '../runtime/sessions.ts'
import { answering, errorOf, fencedAbsence, never } from './bench.ts'
import { EVERY_STORE, type StoreName } from '../store/fresh-stores.ts'

const DOMAIN = 'example.payments/refund'
const INTENT = 'intent:01K4Y8Q5X7M2N9R3T6V8W1Z4AB'

interface Kinds extends Omit<World, 'stored'> {
  readonly runner: ActionRunner
  readonly statusOf: (proposal: string) => Promise<string>
  /** A proposal whose effect is the one that the guarded call below means too. */
  readonly approve: () => Promise<string>
}

async function openKinds(store: StoreName): Promise<Kinds> {
  const world = await openWorld({ store })
  const { prepare } = world.action.methods
  world.action.methods.prepare = async (input) => ({ ...(await prepare(input)), effectReference: INTENT })
  const runner = new ActionRunner({ store: world.bareStore, clock: world.clock, tenant: TENANT })
  const statusOf = async (proposal: string): Promise<string> => (await world.stored(proposal)).proposal.status
  return { ...world, runner, statusOf, approve: () => approved(world.runtime, world.input({ intent: 'kinds' })) }
}

const call = { request: { amountCents: 1_000 }, idempotencyKey: INTENT }

describe.each(EVERY_STORE)('rule R17 on %s', (store) => {
  it('trace S13: what a guarded call has claimed, no proposal is prepared for', async () => {
    const { runner, approve } = await openKinds(store)
    const claimed = await runner.execute(DOMAIN, () => 1, call)

    const error = await errorOf(approve())

    expect(error).toBeInstanceOf(EffectKindConflict)
    expect(error).toMatchObject({ code: 'effect_kind_conflict', invoked: 'no', nextStep: 'use_another_key' })
    expect(await runner.receipt(claimed.receipt.actionId)).toEqual(claimed.receipt)
  })

  it('trace S13: what a guarded call has claimed since, an approved proposal does not execute', async () => {
    const { runner, approve, runtime, action, statusOf } = await openKinds(store)
    const proposal = await approve()
    let calls = 0
    const { execute } = action.methods
    action.methods.execute = (input) => ((calls += 1), execute(input))
    await runner.execute(DOMAIN, () => 1, call)

    const error = await errorOf(runtime.execute(requester, proposal))

    expect(error).toMatchObject({ code: 'effect_kind_conflict' })
    expect(calls).toBe(0)
    expect(await statusOf(proposal)).toBe('approved')
  })

  it('trace S13: a claim that comes in at the last moment bars the admission', async () => {
    const { runner, approve, runtime, action } = await openKinds(store)
    const proposal = await approve()
    let calls = 0
    const { execute, resolve } = action.methods
    action.methods.execute = (input) => ((calls += 1), execute(input))
    action.methods.resolve = async (input) => {
      await runner.execute(DOMAIN, () => 1, call)
      return resolve(input)
    }

    const error = await errorOf(runtime.execute(requester, proposal))

    expect(error).toMatchObject({ code: 'effect_kind_conflict' })
    expect(calls).toBe(0)
  })

  it('trace S13: what a proposal has claimed, no guarded call does', async () => {
    const { runner, approve, runtime, bareStore } = await openKinds(store)
    await runtime.execute(requester, await approve())

    const error = await errorOf(runner.execute(DOMAIN, never, call))

    expect(error).toBeInstanceOf(EffectKindConflict)
    expect(error).toMatchObject({ code: 'effect_kind_conflict' })
    expect(await runner.find(DOMAIN, INTENT)).toBeNull()
    const key = { tenant: reference(TENANT), domain: DOMAIN, reference: reference(INTENT) }
    expect(await bareStore.effect(key)).toMatchObject({ kind: 'proposal' })
  })

  it('trace S13: an operation of the runner does not reach a proposal, nor ask a verifier about it', async () => {
    const { runner, approve, runtime } = await openKinds(store)
    const proposal = await approve()
    await runtime.execute(requester, proposal)
    const verifier = answering(fencedAbsence)

    for (const asked of [
      () => runner.reconcile(proposal, verifier),
      () => runner.recoverPending(proposal, verifier),
      () => runner.releaseUnstarted(proposal),
      () => runner.receipt(proposal),
    ]) {
      expect(await errorOf(asked())).toMatchObject({ code: 'effect_kind_conflict' })
    }
    expect(verifier.calls).toBe(0)
  })

  it('leaves other effects of the same name alone', async () => {
    const { runner, approve, runtime } = await openKinds(store)
    await runner.execute(DOMAIN, () => 1, { ...call, idempotencyKey: 'another' })
    await runner.execute('another.domain', () => 1, call)

    expect(await runtime.execute(requester, await approve())).toMatchObject({ outcome: 'verification_pending' })
  })

  it('frees the effect for a proposal when the claim of a call is released', async () => {
    const { runner, approve, runtime, bareStore, clock } = await openKinds(store)
    const faults = new CommitFaults()
    faults.atStep('start_attempt', 'refused')
    const cutOff = new ActionRunner({ store: faults.over(bareStore), clock, tenant: TENANT })
    await errorOf(cutOff.execute(DOMAIN, never, call))
    const receipt = await runner.find(DOMAIN, INTENT)
    expect(await errorOf(approve())).toMatchObject({ code: 'effect_kind_conflict' })

    await runner.releaseUnstarted(receipt?.actionId ?? '')

    expect(await runtime.execute(requester, await approve())).toMatchObject({ outcome: 'verification_pending' })
  })
})
