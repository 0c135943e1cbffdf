// What an erased proposal still bars: its request key answers, its effect is not proposed or executed once more.
import { describe, expect, it } from 'vitest'
import { markForErasure } from './erased.ts'
import { refused, STORES, type World } from './harness.ts'
import {
  answering,
  approvedFor,
  contradicted,
  executing,
  found,
  goneForGood,
  openOperators,
  permissions,
  refusing,
  saying,
  SETTLED_MS,
} from './operators.ts'
import { finance1, finance2, operator, privacy, requester, session } from './sessions.ts'

const why = { reason: 'asked_by_subject' } as const
const INTENT = 'broken vase'

/** A proposal for the intent, prepared under a request key, verified; then a second one, approved before that. */
async function verifiedBeside(world: World): Promise<{ readonly ref: string; readonly beside: string }> {
  const first = await world.runtime.prepare(requester, { ...world.input({ intent: INTENT }), requestKey: 'request-1' })
  await world.runtime.approve(finance1, first.proposal, { commitment: first.commitment })
  const beside = (await approvedFor(world, INTENT)).proposal
  await world.runtime.execute(requester, first.proposal)
  await world.clock.advance(SETTLED_MS)
  answering(world, found)
  await world.runtime.reconcile(requester, first.proposal)
  return { ref: first.proposal, beside }
}

describe.each(STORES)('trace S16: the request key of what is erased, on %s', (store) => {
  it.each([
    ['the same command', INTENT],
    ['another command, which nobody can tell any more', 'another vase'],
  ])('trace S16 with %s it is answered with what is left', async (_, intent) => {
    const world = await openOperators({ store })
    const { ref } = await verifiedBeside(world)
    await world.runtime.erase(privacy, ref, why)
    const left = await world.runtime.read(requester, ref)
    const { prepare } = world.action.calls

    const again = await world.runtime.prepare(requester, { ...world.input({ intent }), requestKey: 'request-1' })

    expect(again).toEqual({
      outcome: 'replayed',
      reason: null,
      proposal: ref,
      status: 'verified',
      revision: left.kind === 'erased' ? left.tombstone.revision : 0,
      commitment: '',
      nextStep: 'none',
      waitUntil: null,
      evidence: left.kind === 'erased' ? left.evidence : null,
      attention: [],
      replacedBy: null,
      supersededBy: null,
      result: null,
      contentCompared: false,
    })
    expect(again.evidence).toMatchObject({ status: 'CONFIRMED', attempts: 1 })
    expect(world.action.calls.prepare).toBe(prepare)
  })

  it('trace S16 nobody’s permission but that to prepare is asked for', async () => {
    const world = await openOperators({ store })
    const blind = session('user:blake', ['blind'])
    world.action.methods.can = async (act) => act === 'prepare' || act === 'erase'
    const { proposal } = await world.runtime.prepare(blind, { ...world.input({ intent: INTENT }), requestKey: 'one' })
    await world.runtime.erase(privacy, proposal, why)

    const again = await world.runtime.prepare(blind, { ...world.input({ intent: INTENT }), requestKey: 'one' })

    expect(again).toMatchObject({ outcome: 'replayed', proposal, status: 'withdrawn', evidence: null })
  })

  it('trace S16 between the mark and the tombstone it says the same', async () => {
    const world = await openOperators({ store })
    const { ref } = await verifiedBeside(world)
    await markForErasure(world, ref)

    const again = await world.runtime.prepare(requester, {
      ...world.input({ intent: INTENT }),
      requestKey: 'request-1',
    })

    expect(again).toMatchObject({ outcome: 'replayed', proposal: ref, status: 'verified', contentCompared: false })
  })

  it('rule R16 a key of somebody else, or another key, is none', async () => {
    const world = await openOperators({ store })
    const { ref } = await verifiedBeside(world)
    await world.runtime.erase(privacy, ref, why)
    const colleague = session('user:rory', ['support'])

    const other = await world.runtime.prepare(colleague, { ...world.input({ intent: 'new' }), requestKey: 'request-1' })
    const another = await world.runtime.prepare(requester, { ...world.input({ intent: 'newer' }), requestKey: 'two' })

    expect([other.outcome, another.outcome]).toEqual(['prepared', 'prepared'])
  })

  it('what could be compared does not say that it could not', async () => {
    const world = await openOperators({ store })
    const input = { ...world.input({ intent: INTENT }), requestKey: 'request-1' }

    const answers = [await world.runtime.prepare(requester, input), await world.runtime.prepare(requester, input)]

    expect(answers.map(({ outcome }) => outcome)).toEqual(['prepared', 'replayed'])
    for (const answer of answers) expect(answer).not.toHaveProperty('contentCompared')
  })
})

describe.each(STORES)('threat T50: the effect of what is erased, on %s', (store) => {
  it.each([
    ['the same', {}],
    ['another amount, which nobody can tell any more', { amount: { amount: '50.00', currency: 'EUR' } }],
  ])('threat T50 is not proposed again: %s', async (_, fields) => {
    const world = await openOperators({ store })
    const { ref } = await verifiedBeside(world)
    await world.runtime.erase(privacy, ref, why)

    const again = await world.runtime.prepare(requester, world.input({ intent: INTENT, ...fields }))

    expect(again).toMatchObject({
      outcome: 'replayed',
      reason: 'effect_completed_elsewhere',
      proposal: ref,
      status: 'verified',
      contentCompared: false,
    })
    const { execute } = world.action.calls
    expect(execute).toBe(1)
  })

  it('threat T50 is not named to who may not read what is left, nor while it is hidden', async () => {
    const world = await openOperators({
      store,
      contract: { permissions: { ...permissions, prepare: ['support', 'blind'] } },
    })
    const { ref } = await verifiedBeside(world)
    await markForErasure(world, ref)
    const again = async (by: typeof requester) => refused(world.runtime.prepare(by, world.input({ intent: INTENT })))
    expect(await again(requester)).toMatchObject({ code: 'effect_already_completed' })
    await world.runtime.erase(privacy, ref, why)

    const error = await again(session('user:blake', ['blind']))

    expect(error).toMatchObject({ code: 'effect_already_completed' })
    expect(JSON.stringify(error)).not.toContain(ref)
  })

  it('threat T50 is not executed through another proposal', async () => {
    const world = await openOperators({ store })
    const { ref, beside } = await verifiedBeside(world)
    await world.runtime.erase(privacy, ref, why)

    const executed = await world.runtime.execute(requester, beside)

    expect(executed).toMatchObject({
      outcome: 'replayed',
      reason: 'effect_completed_elsewhere',
      status: 'superseded',
      supersededBy: ref,
      contentCompared: false,
    })
    expect(world.action.calls.execute).toBe(1)
  })

  it('threat T50 is not approved through another proposal', async () => {
    const world = await openOperators({ store })
    const { ref, beside } = await verifiedBeside(world)
    await world.runtime.erase(privacy, ref, why)
    const { commitment } = (await world.stored(beside)).proposal

    const approved = await world.runtime.approve(finance2, beside, { commitment })

    expect(approved).toMatchObject({ outcome: 'replayed', status: 'superseded', contentCompared: false })
  })

  it('threat T50 stays barred where it was refused: what would be asked about earlier attempts is gone', async () => {
    const world = await openOperators({ store })
    executing(world, refusing)
    const { proposal } = await approvedFor(world, INTENT)
    await world.runtime.execute(requester, proposal)
    await world.runtime.erase(privacy, proposal, why)
    answering(world, goneForGood)

    const next = (await approvedFor(world, INTENT)).proposal
    await world.clock.advance(SETTLED_MS)

    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    expect(world.action.calls.execute).toBe(1)
  })

  it('threat T50 stays barred where a person closed it without an answer', async () => {
    const world = await openOperators({ store })
    const ref = await contradicted(world, INTENT)
    await world.runtime.settle(operator, ref, saying('closed_unknown'))
    await world.runtime.erase(privacy, ref, why)

    const next = (await approvedFor(world, INTENT)).proposal

    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    expect(world.action.calls.execute).toBe(1)
  })
})
