// Settling: who may say what became of an effect and when, what that makes of it, and what opens it again.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import type { SettleInput } from '../../src/runtime/operate/operate.ts'
import { refused, STORES, type World } from './harness.ts'
import {
  answering,
  approvedFor,
  effectBehind,
  executing,
  found,
  gone,
  goneForGood,
  inDoubt,
  keyOf,
  lastReceipt,
  openOperators,
  operator2,
  permissions,
  refusing,
  saying,
  SETTLED_MS,
  successor,
  unresolved,
} from './operators.ts'
import {
  agentOwner,
  agent,
  elsewhere,
  finance1,
  finance2,
  operator,
  reader,
  requester,
  service,
  session,
  stranger,
} from './sessions.ts'

describe.each(STORES)('rule R8: settling on %s', (store) => {
  it.each<[SettleInput['verdict'], string, string]>([
    ['occurred', 'verified', 'CONFIRMED'],
    ['did_not_occur', 'failed_known', 'FAILED'],
    ['closed_unknown', 'closed_unknown', 'UNKNOWN'],
  ])('rule R8 %s is the status from then on, beside the evidence', async (verdict, status, evidence) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const before = await effectBehind(world, ref)

    const settled = await world.runtime.settle(operator, ref, saying(verdict))

    expect(settled).toMatchObject({
      outcome: 'settled',
      status,
      attention: verdict === 'did_not_occur' ? ['settlement_unconfirmed'] : [],
      nextStep: verdict === 'did_not_occur' ? 'operator' : 'none',
      evidence: { status: evidence, settled: verdict, conflict: false },
      result: null,
    })
    const after = await effectBehind(world, ref)
    expect(after.settlement).toEqual({
      verdict,
      by: 'user:oscar',
      secondOperator: null,
      reason: 'statement_checked',
      evidenceReference: 'case-7',
      at: world.clock.now(),
      upToAttempt: 1,
      upToSequence: before.observations.length,
    })
    expect([after.attempts, after.observations]).toEqual([before.attempts, before.observations])
    expect(await lastReceipt(world, ref)).toMatchObject({
      type: 'operation.settled',
      participant: 'user:oscar',
      trigger: 'user:oscar',
      status,
      reason: 'statement_checked',
      externalReference: 'case-7',
      detail: [verdict],
    })
    expect(world.action.calls.execute).toBe(1)
  })

  it.each<[string, Session, string]>([
    ['the requester, who may operate as well', session('user:rita', ['operator', 'support']), 'not_permitted'],
    ['the approver, who may operate as well', session('user:fiona', ['operator']), 'not_permitted'],
    ['an agent with the role of an operator', session('agent:helper', ['operator']), 'not_permitted'],
    ['the requester', requester, 'not_permitted'],
    ['an approver', finance2, 'not_permitted'],
    ['the executor', service, 'not_permitted'],
    ['a reader', reader, 'not_permitted'],
    ['a stranger', stranger, 'not_found'],
    ['an operator of another tenant', elsewhere(operator), 'not_found'],
  ])('rule R8 %s settles nothing', async (_, by, code) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const commits = world.faults.changes.length

    expect(await refused(world.runtime.settle(by, ref, saying('occurred')))).toMatchObject({ code })
    expect(world.faults.changes).toHaveLength(commits)
    expect((await world.stored(ref)).proposal.status).toBe('verification_unresolved')
  })

  it('rule R8 whoever stands behind the agent that proposed settles nothing', async () => {
    const world = await openOperators({ store })
    executing(world, refusing)
    const { proposal } = await approvedFor(world, 'broken vase', agent)
    await world.runtime.execute(requester, proposal)
    answering(world, found)
    await world.runtime.reconcile(operator, proposal, { now: true })
    const owner = { ...agentOwner, roles: ['operator'] }

    expect(await refused(world.runtime.settle(owner, proposal, saying('occurred')))).toMatchObject({
      code: 'not_permitted',
    })
    expect(await world.runtime.settle(operator, proposal, saying('occurred'))).toMatchObject({ status: 'verified' })
  })

  it('rule R8 an approval that was taken back before anything was sent did not count', async () => {
    const world = await openOperators({ store })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance2, proposal, { commitment })
    const [approval] = (await world.stored(proposal)).approvals
    await world.clock.advance(1_000)
    await world.runtime.revokeApproval(finance2, proposal, approval?.approvalId ?? '')
    await world.clock.advance(1_000)
    await world.runtime.approve(finance1, proposal, { commitment })
    executing(world, refusing)
    await world.runtime.execute(requester, proposal)
    answering(world, found)
    await world.runtime.reconcile(operator, proposal, { now: true })
    const felix = session('user:felix', ['operator', 'finance-manager'])

    expect(await world.runtime.settle(felix, proposal, saying('occurred'))).toMatchObject({ outcome: 'settled' })
  })

  it('rule R8 an approval that was taken back after it had released something did count', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, goneForGood)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ outcome: 'resend_allowed', status: 'approved' })
    const [approval] = (await world.stored(ref)).approvals
    await world.runtime.revokeApproval(finance1, ref, approval?.approvalId ?? '')
    answering(world, found)
    await world.runtime.reconcile(operator, ref, { now: true })
    const fiona = session('user:fiona', ['operator'])

    expect(await refused(world.runtime.settle(fiona, ref, saying('occurred')))).toMatchObject({ code: 'not_permitted' })
    expect(await world.runtime.settle(operator, ref, saying('occurred'))).toMatchObject({ status: 'verified' })
  })

  it('rule R8 nothing is settled while nobody is asked', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    const commits = world.faults.changes.length

    expect(await world.runtime.settle(operator, ref, saying('did_not_occur'))).toMatchObject({
      outcome: 'failed_unknown',
      status: 'failed_unknown',
    })
    const { proposal } = await approvedFor(world, 'another vase')
    expect(await world.runtime.settle(operator, proposal, saying('did_not_occur'))).toMatchObject({
      outcome: 'approved',
      evidence: null,
    })
    expect(world.faults.changes.slice(commits).flatMap(({ effect }) => effect ?? [])).toEqual([])
  })

  it('rule R8 nobody settles an effect through a proposal that never was behind it', async () => {
    const world = await openOperators({ store })
    await unresolved(world)
    const other = await successor(world)

    expect(await world.runtime.settle(operator, other, saying('occurred'))).toMatchObject({
      outcome: 'approved',
      evidence: null,
    })
    expect(await world.runtime.resume(operator, other, { reason: 'outage_over' })).toMatchObject({
      outcome: 'approved',
    })
  })

  it.each<[string, Partial<SettleInput>, string]>([
    ['a reason that is no code', { reason: 'It was not there.' }, '/reason'],
    ['no evidence', { evidenceReference: '' }, '/evidenceReference'],
    ['a verdict of its own', { verdict: 'perhaps' as 'occurred' }, '/verdict'],
  ])('rule R8 %s is malformed', async (_, fields, path) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)

    expect(await refused(world.runtime.settle(operator, ref, saying('occurred', fields)))).toMatchObject({
      code: 'malformed_reference',
      path,
    })
  })

  it.each<[SettleInput['verdict'], typeof found]>([
    ['occurred', goneForGood],
    ['did_not_occur', found],
    ['closed_unknown', found],
    ['closed_unknown', goneForGood],
  ])('rule R8 %s is opened again by evidence that came later', async (verdict, answer) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await world.runtime.settle(operator, ref, saying(verdict))
    answering(world, answer)

    const reopened = await world.runtime.reconcile(operator, ref, { now: true })

    expect(reopened).toMatchObject({ status: 'verification_unresolved', evidence: { settled: null } })
    expect(await world.runtime.settle(operator2, ref, saying('closed_unknown'))).toMatchObject({
      outcome: 'settled',
      status: 'closed_unknown',
    })
  })

  it('rule R8 what was closed without an answer is never sent again', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await world.runtime.settle(operator, ref, saying('closed_unknown'))
    answering(world, goneForGood)
    const next = await successor(world)

    expect(await world.runtime.execute(requester, ref)).toMatchObject({ outcome: 'closed_unknown' })
    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    expect(await world.runtime.settle(operator2, ref, saying('did_not_occur'))).toMatchObject({
      outcome: 'closed_unknown',
    })
    expect(world.action.calls.execute).toBe(1)
  })

  it('rule R3 the owner and the former owner are both settled, whoever of them is named', async () => {
    const world = await openOperators({ store })
    const { first, second } = await contradictedSince(world)
    expect((await world.stored(first)).proposal.status).toBe('verification_unresolved')

    const settled = await world.runtime.settle(operator, first, saying('occurred'))

    expect(settled).toMatchObject({ proposal: first, outcome: 'settled', status: 'verified' })
    expect((await world.stored(second)).proposal).toMatchObject({ status: 'verified', attention: [] })
    expect((await lastReceipt(world, second)).type).toBe('operation.settled')
    expect((await effectBehind(world, first)).settlement?.upToAttempt).toBe(2)
  })

  it('rule R8 the requester of a former owner settles nothing either', async () => {
    const world = await openOperators({ store })
    const { second } = await contradictedSince(world)
    const rita = session('user:rita', ['operator'])

    expect(await refused(world.runtime.settle(rita, second, saying('occurred')))).toMatchObject({
      code: 'not_permitted',
    })
  })

  it('rule R8 the right to operate is asked for the owner as well, which may be another action’s', async () => {
    const contract = {
      type: 'example.payments/transfer@1',
      effectDomain: 'example.payments/refund',
      permissions: { ...permissions, operate: 'treasurer' },
    }
    const base = await openOperators({ store })
    const transfer = base.actionWith(contract)
    const runtime = await base.open({ actions: [base.action, transfer] })
    const world = { ...base, runtime }
    executing(world, refusing)
    const first = (await approvedFor(world, 'broken vase')).proposal
    await runtime.execute(requester, first)
    answering(world, gone)
    transfer.methods.execute = async () => ({ status: 'failed_unknown', reason: 'gateway_timeout' })
    const prepared = await runtime.prepare(requester, {
      ...base.input({ intent: 'broken vase' }),
      action: contract.type,
    })
    await runtime.approve(finance1, prepared.proposal, { commitment: prepared.commitment })
    expect(await runtime.execute(requester, prepared.proposal)).toMatchObject({ status: 'failed_unknown' })

    expect(await refused(runtime.settle(operator, first, saying('did_not_occur')))).toMatchObject({
      code: 'not_permitted',
    })
    const treasurer = session('user:tess', ['operator', 'treasurer'])
    expect(await runtime.settle(treasurer, first, saying('did_not_occur'))).toMatchObject({ outcome: 'failed_known' })
  })
})

/** The first proposal was refused in time; the second one's call is in doubt, and the first one's effect was found. */
async function contradictedSince(world: World): Promise<{ readonly first: string; readonly second: string }> {
  executing(world, refusing)
  const first = (await approvedFor(world, 'broken vase')).proposal
  await world.runtime.execute(requester, first)
  const firstKey = await keyOf(world, first)
  answering(world, gone)
  const colleague = session('user:carl', ['support'])
  const second = await inDoubtBy(world, colleague)
  answering(world, (asked) => ({ ...found(asked), identity: firstKey }) as ReturnType<typeof found>)
  await world.runtime.reconcile(operator, second, { now: true })
  return { first, second }
}

async function inDoubtBy(world: World, by: Session): Promise<string> {
  executing(world, async () => ({ status: 'failed_unknown', reason: 'gateway_timeout' }))
  const ref = await successor(world, 'broken vase', by)
  await world.runtime.execute(requester, ref)
  return ref
}
