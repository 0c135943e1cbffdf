// The identity of an effect: derived or kept by the host, opaque, the same for the same intent, and barred once it is done.
import { describe, expect, it } from 'vitest'
import type { Prepared } from '../../src/proposal/action.ts'
import type { Session } from '../../src/proposal/session.ts'
import { answerOf, effectOf, openWorld, reference, refused, STORES, unsound, type World } from './harness.ts'
import type { Refund } from './refund.ts'
import { agent, elsewhere, finance1, requester, service, session, TENANT } from './sessions.ts'

const INTENT = 'the intent of these tests'
const rosa = session('user:rosa', ['support'])

describe.each(STORES)('an effect reference on %s', (store) => {
  it('is the same for the same command, whoever prepares it and how often', async () => {
    const world = await openWorld({ store })
    const input = world.input({ intent: INTENT })

    const made = [
      await world.prepared(requester, input),
      await world.prepared(agent, input),
      await world.prepared(rosa, input),
    ]

    const references = await Promise.all(made.map(async ({ proposal }) => (await effectOf(world, proposal)).reference))
    expect(new Set(references).size).toBe(1)
    expect(references[0]).toMatch(/^er_[a-z2-7]{52}$/)
  })

  it('is another one for another intent, tenant or reference key', async () => {
    const world = await openWorld({ store })
    const stranger = await openWorld({ store })
    const prepare = async (where: World, by: Session, intent: string): Promise<string> => {
      const { proposal } = await where.prepared(by, where.input({ intent }))
      return (await where.stored(proposal, by.tenant)).proposal.effect.reference
    }

    const references = [
      await prepare(world, requester, INTENT),
      await prepare(world, requester, `${INTENT} again`),
      await prepare(world, elsewhere(requester), INTENT),
      await prepare(stranger, requester, INTENT),
    ]

    expect(new Set(references).size).toBe(4)
  })

  it('may be an intent that the host keeps, and says nothing', async () => {
    const world = await openWorld({ store })
    spoilPrepared(world, (good) => ({ ...good, effectReference: 'intent:01K4Y8Q5X7M2N9R3T6V8W1Z4AB' }))

    const { proposal } = await world.prepared()

    expect((await effectOf(world, proposal)).reference).toBe('intent:01K4Y8Q5X7M2N9R3T6V8W1Z4AB')
  })

  it.each<[string, string]>([
    ['a string of the command', 'refund:ORD-1001'],
    ['a string of the command in other letters', 'refund:ord-1001'],
    ['a string of the snapshot', 'refund-carla customer'],
    ['an e-mail address', 'refund:carla@example.test'],
    ['an IBAN', 'refund:DE89370400440532013000'],
    ['a card number', 'refund:4111111111111111'],
  ])('is refused as identifying if it holds %s', async (_title, effectReference) => {
    const world = await openWorld({ store })
    spoilPrepared(world, (good) => ({ ...good, effectReference }))

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ name: 'EffectReferenceIdentifying', code: 'effect_reference_identifying' })
    expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain(effectReference)
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toEqual([])
  })

  it.each<[string, string]>([
    ['an e-mail address', 'customer:carla@example.test'],
    ['an IBAN', 'DE89370400440532013000'],
    ['a card number', 'card 4111111111111111'],
  ])('trace S46: a subject is refused if it holds %s, since it stands in the clear', async (_title, subject) => {
    const world = await openWorld({ store })
    spoilPrepared(world, (good) => ({ ...good, subject }))

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ code: 'invalid_preparation', problems: [{ path: '/subject', rule: 'identifying' }] })
    expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain(subject)
  })

  it.each<[string, unknown, string]>([
    ['empty', '', '/effectReference'],
    ['padded', ' x', '/effectReference'],
    ['not NFC', 'e\u0301', '/effectReference'],
    ['with a control character', 'a\u0007b', '/effectReference'],
    ['with a direction mark', 'a\u202Eb', '/effectReference'],
    ['of 256 characters', 'x'.repeat(256), '/effectReference'],
    ['a number', 7, '/effectReference'],
    ['missing', undefined, '/effectReference'],
  ])('is refused if it is %s', async (_title, effectReference, path) => {
    const world = await openWorld({ store })
    spoilPrepared(world, (good) => ({ ...good, effectReference }))

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ name: 'InvalidPreparation', code: 'invalid_preparation', problems: [{ path }] })
  })

  it.each<[string, unknown]>([
    ['padded', ' x'],
    ['a number', 7],
    ['null', null],
    ['not NFC', 'e\u0301'],
  ])('stands beside a subject, which is refused if it is %s', async (_title, subject) => {
    const world = await openWorld({ store })
    spoilPrepared(world, (good) => ({ ...good, subject }))

    expect(await refused(world.prepared())).toMatchObject({
      code: 'invalid_preparation',
      problems: [{ path: '/subject' }],
    })
  })

  it('needs no subject', async () => {
    const world = await openWorld({ store })
    spoilPrepared(world, (good) => ({ ...good, subject: undefined }))

    const { proposal } = await world.prepared()

    expect((await world.stored(proposal)).proposal.subject).toBeNull()
  })
})

describe.each(STORES)('an effect that is CONFIRMED on %s', (store) => {
  it('is answered with the proposal that did it, and nothing is stored', async () => {
    const world = await openWorld({ store })
    const done = await verified(world)

    const again = await world.prepared(agent, world.input({ intent: INTENT }))

    expect(again).toMatchObject({
      outcome: 'replayed',
      reason: 'effect_completed_elsewhere',
      proposal: done,
      status: 'verified',
      result: { refundId: 'rf-1' },
      evidence: { status: 'CONFIRMED', attempts: 1 },
    })
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
  })

  it('is a conflict for another command that names it', async () => {
    const world = await openWorld({ store })
    await verified(world)

    const amount = { amount: '50.00', currency: 'EUR' }
    const again = await world.prepared(requester, world.input({ intent: INTENT, amount }))

    expect(again).toMatchObject({ outcome: 'conflict', reason: 'effect_content_differs', status: 'verified' })
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
  })

  it('is refused without a name to whoever may not read the proposal that did it', async () => {
    const world = await openWorld({ store })
    const done = await verified(world)
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => view.proposal?.ref !== done && can(act, caller, view)

    const error = await refused(world.prepared(rosa, world.input({ intent: INTENT })))

    expect(error).toMatchObject({ name: 'EffectAlreadyCompleted', code: 'effect_already_completed' })
    expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain(done)
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
  })

  it('does not concern another tenant', async () => {
    const world = await openWorld({ store })
    await verified(world)

    expect(await answerOf(world.prepared(elsewhere(requester), world.input({ intent: INTENT })))).toBe('prepared')
  })

  it('is not concerned while nobody knows: a proposal can still be prepared', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared(requester, world.input({ intent: INTENT }))
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.runtime.execute(requester, proposal)

    expect(await answerOf(world.prepared(rosa, world.input({ intent: INTENT })))).toBe('prepared')
  })
})

function spoilPrepared(world: World, spoil: (good: Prepared<Refund>) => unknown): void {
  const { prepare } = world.action.methods
  world.action.methods.prepare = async (input) => unsound(spoil(await prepare(input)))
}

async function verified(world: World): Promise<string> {
  const { proposal, commitment } = await world.prepared(requester, world.input({ intent: INTENT }))
  await world.runtime.approve(finance1, proposal, { commitment })
  await world.runtime.execute(requester, proposal)
  await world.clock.advance(5_000)
  expect((await world.runtime.reconcile(service, proposal)).status).toBe('verified')
  return proposal
}
