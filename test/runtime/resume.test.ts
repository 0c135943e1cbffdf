// Resuming: the target is asked again, with fresh budgets; what asked for a person sticks, and nothing is sent.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { HOUR_MS, refused, STORES } from './harness.ts'
import {
  answering,
  approvedFor,
  contradicted,
  effectBehind,
  found,
  foundOther,
  foundTwice,
  gone,
  inDoubt,
  lastReceipt,
  openOperators,
  saying,
  SETTLED_MS,
  unavailable,
  unresolved,
} from './operators.ts'
import { elsewhere, finance1, operator, requester, service, stranger } from './sessions.ts'

describe.each(STORES)('resuming on %s', (store) => {
  it('asks the target again with fresh budgets, and calls no executor', async () => {
    const world = await openOperators({ store, contract: { verification: { absences: 2 } } })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, gone)
    for (const _ of [1, 2]) await world.runtime.reconcile(operator, ref, { now: true })
    expect(await effectBehind(world, ref)).toMatchObject({ absencesSpent: 2 })
    expect((await world.stored(ref)).proposal).toMatchObject({
      status: 'verification_unresolved',
      reason: 'absences_spent',
    })

    const resumed = await world.runtime.resume(operator, ref, { reason: 'outage_over' })

    expect(resumed).toMatchObject({ outcome: 'resumed', status: 'verification_pending', nextStep: 'reconcile' })
    expect(await effectBehind(world, ref)).toMatchObject({
      absencesSpent: 0,
      unavailablesSpent: 0,
      verifyDueAt: world.clock.now(),
      verifyLease: null,
    })
    expect(await lastReceipt(world, ref)).toMatchObject({
      type: 'operation.resumed',
      attempt: 1,
      reason: 'outage_over',
      participant: 'user:oscar',
    })
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verification_pending' })
    answering(world, found)
    expect(await world.runtime.reconcile(operator, ref, { now: true })).toMatchObject({ status: 'verified' })
    expect(world.action.calls.execute).toBe(1)
  })

  it.each([
    ['a mismatch', foundOther, 'effect_mismatch'],
    ['a duplicate', foundTwice, 'duplicate_effect'],
  ] as const)('%s sticks until it is settled', async (_, answer, reason) => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, answer)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verification_unresolved', reason })

    await world.runtime.resume(operator, ref, { reason: 'asked_the_provider' })
    answering(world, found)

    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verification_unresolved', reason })
    expect(await world.runtime.settle(operator, ref, saying('occurred'))).toMatchObject({
      status: 'verified',
      attention: [],
    })
  })

  it('a conflict sticks until it is settled', async () => {
    const world = await openOperators({ store })
    const ref = await contradicted(world)
    expect((await world.stored(ref)).proposal).toMatchObject({ reason: 'conflicting_evidence' })

    await world.runtime.resume(operator, ref, { reason: 'replica_replaced' })
    answering(world, found)

    expect(await world.runtime.reconcile(service, ref)).toMatchObject({
      status: 'verification_unresolved',
      reason: 'conflicting_evidence',
      evidence: { status: 'UNKNOWN', conflict: true },
    })
  })

  it.each<[string, Session, string]>([
    ['the requester', requester, 'not_permitted'],
    ['an approver', finance1, 'not_permitted'],
    ['the executor', service, 'not_permitted'],
    ['a stranger', stranger, 'not_found'],
    ['an operator of another tenant', elsewhere(operator), 'not_found'],
  ])('%s resumes nothing', async (_, by, code) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)

    expect(await refused(world.runtime.resume(by, ref, { reason: 'outage_over' }))).toMatchObject({ code })
  })

  it('what nobody is asked about is left alone', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    const { proposal } = await approvedFor(world, 'another vase')
    const commits = world.faults.changes.length

    expect(await world.runtime.resume(operator, ref, { reason: 'outage_over' })).toMatchObject({
      outcome: 'failed_unknown',
    })
    expect(await world.runtime.resume(operator, proposal, { reason: 'outage_over' })).toMatchObject({
      outcome: 'approved',
    })
    expect(world.faults.changes).toHaveLength(commits)
    expect(await refused(world.runtime.resume(operator, ref, { reason: 'Outage over' }))).toMatchObject({
      code: 'malformed_reference',
      path: '/reason',
    })
  })

  it('trace S54 an outage longer than the budgets: a slow look goes on, and all are resumed from one list', async () => {
    const world = await openOperators({ store, contract: { lifetime: '3d', verification: { unavailables: 2 } } })
    const refs = [
      await inDoubt(world, 'vase one'),
      await inDoubt(world, 'vase two'),
      await inDoubt(world, 'vase three'),
    ]
    await world.clock.advance(SETTLED_MS)
    answering(world, unavailable)
    for (const ref of refs) {
      for (const _ of [1, 2]) await world.runtime.reconcile(operator, ref, { now: true })
    }
    const asked = await world.runtime.list(operator, { needsPerson: true })
    expect(asked.items.map(({ proposal, status }) => `${proposal} ${status}`).toSorted()).toEqual(
      refs.map((ref) => `${ref} verification_unresolved`).toSorted(),
    )

    await world.clock.advance(24 * HOUR_MS)
    const due = await world.runtime.list(service, { due: true })
    expect(due.items.map(({ proposal }) => proposal).sort()).toEqual(refs.toSorted())
    answering(world, found)
    const [probed, ...others] = refs
    expect(await world.runtime.reconcile(service, probed ?? '')).toMatchObject({ status: 'verified' })

    for (const { proposal } of (await world.runtime.list(operator, { needsPerson: true })).items) {
      await world.runtime.resume(operator, proposal, { reason: 'outage_over' })
    }
    for (const ref of others) expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'verified' })
    expect(world.action.calls.execute).toBe(3)
  })
})
