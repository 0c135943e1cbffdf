// What is closed and yet open: evidence behind a closed proposal, conflicts, and how both end.
import { describe, expect, it } from 'vitest'
import { HOUR_MS, STORES } from './harness.ts'
import {
  answering,
  contradicted,
  found,
  foundTwice,
  goneForGood,
  inDoubt,
  openOperators,
  saying,
  SETTLED_MS,
  executing,
  gone,
  keyOf,
  refusing,
  successor,
} from './operators.ts'
import { operator, requester, service, session } from './sessions.ts'

describe.each(STORES)('what is closed and yet open, on %s', (store) => {
  it('trace S32 evidence behind a proposal that expired is shown, asked about, and settled', async () => {
    const world = await openOperators({ store })
    const ref = await inDoubt(world)
    await world.clock.advance(SETTLED_MS)
    answering(world, goneForGood)
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ outcome: 'resend_allowed' })
    await world.clock.advance(2 * HOUR_MS)
    await world.runtime.expireDue(service)
    answering(world, found)

    expect(await world.runtime.reconcile(operator, ref, { now: true })).toMatchObject({
      status: 'expired',
      attention: ['conflicting_evidence'],
      nextStep: 'operator',
      evidence: { status: 'UNKNOWN', conflict: true },
    })
    expect(await world.runtime.resume(operator, ref, { reason: 'asked_the_provider' })).toMatchObject({
      outcome: 'resumed',
      status: 'expired',
    })
    expect(await world.runtime.reconcile(service, ref)).toMatchObject({ status: 'expired' })
    expect(await world.runtime.settle(operator, ref, saying('occurred'))).toMatchObject({
      outcome: 'settled',
      status: 'expired',
      attention: [],
      evidence: { status: 'CONFIRMED', settled: 'occurred' },
    })
    expect((await world.runtime.list(operator, { needsPerson: true })).items).toEqual([])
    const repeat = await world.runtime.prepare(requester, world.input({ intent: 'broken vase' }))
    expect(repeat).toMatchObject({ outcome: 'replayed' })
  })

  it('trace S36 a conflict ends with a person, and erasure with it', async () => {
    const world = await openOperators({ store })
    const privacy = session('user:petra', ['privacy-officer', 'auditor'])
    const ref = await contradicted(world)
    expect(await world.runtime.erase(privacy, ref, { reason: 'asked_by_subject' })).toMatchObject({
      outcome: 'erasure_deferred',
    })
    expect(await world.runtime.read(operator, ref)).toMatchObject({ contentAvailable: true, erasure: 'requested' })

    expect(await world.runtime.settle(operator, ref, saying('closed_unknown'))).toMatchObject({
      status: 'closed_unknown',
      attention: [],
      evidence: { status: 'UNKNOWN', conflict: false, settled: 'closed_unknown' },
    })

    await world.runtime.eraseDue(privacy)
    expect(await world.runtime.read(operator, ref)).toMatchObject({
      kind: 'erased',
      tombstone: { status: 'closed_unknown', evidence: 'UNKNOWN' },
    })
  })

  it('trace S36 where the owner is erased, the proposal that is left is asked about, and settled', async () => {
    const world = await openOperators({ store })
    executing(world, refusing)
    const first = await successor(world)
    await world.runtime.execute(requester, first)
    const refusedKey = await keyOf(world, first)
    answering(world, gone)
    executing(world, async () => ({ status: 'accepted' }))
    const second = await successor(world)
    await world.runtime.execute(requester, second)
    answering(world, found)
    expect(await world.runtime.reconcile(operator, second, { now: true })).toMatchObject({ status: 'verified' })
    const privacy = session('user:petra', ['privacy-officer', 'auditor'])
    await world.runtime.erase(privacy, second, { reason: 'asked_by_subject' })
    answering(world, (asked) => ({ ...foundTwice(asked), identity: refusedKey }) as ReturnType<typeof found>)

    expect(await world.runtime.reconcile(operator, first, { now: true })).toMatchObject({
      status: 'verification_unresolved',
      reason: 'duplicate_effect',
    })
    expect(await world.runtime.resume(operator, first, { reason: 'asked_the_provider' })).toMatchObject({
      outcome: 'verification_unresolved',
    })
    expect(await world.runtime.settle(operator, first, saying('occurred'))).toMatchObject({
      outcome: 'settled',
      status: 'verified',
    })
    expect(await world.runtime.read(operator, second)).toMatchObject({
      kind: 'erased',
      evidence: { settled: 'occurred' },
    })
  })
})
