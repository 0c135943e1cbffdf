// Request keys: a repeated request answers the first proposal, whoever asks for it at the same time.
import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../src/proposal/errors.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { answerOf, openWorld, reference, refused, unsound } from './harness.ts'
import { elsewhere, finance1, requester, session, stranger, TENANT } from './sessions.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

const KEY = 'k-1'
const rosa = session('user:rosa', ['support'])

describe.each(EVERY_STORE)('a request key on %s', (store) => {
  it('answers the first proposal as it is now, without asking the host again', async () => {
    const world = await openWorld({ store })
    const input = { ...world.input(), requestKey: KEY }
    const first = await world.runtime.prepare(requester, input)
    await world.runtime.reject(finance1, first.proposal, { commitment: first.commitment })

    const again = await world.runtime.prepare(requester, input)

    expect(again).toMatchObject({
      outcome: 'replayed',
      reason: null,
      proposal: first.proposal,
      status: 'rejected',
      revision: 1,
    })
    expect(world.action.calls.prepare).toBe(1)
  })

  it('is about the command, in whatever order its fields are written', async () => {
    const world = await openWorld({ store })
    const { action, command } = world.input()
    const reversed = Object.fromEntries(Object.entries(unsound<object>(command)).toReversed())
    const first = await world.runtime.prepare(requester, { action, command, requestKey: KEY })

    const again = await world.runtime.prepare(requester, { action, command: reversed, requestKey: KEY })

    expect([again.outcome, again.proposal]).toEqual(['replayed', first.proposal])
  })

  it('is refused for another command, without the host and without a trace', async () => {
    const world = await openWorld({ store })
    await world.runtime.prepare(requester, { ...world.input(), requestKey: KEY })

    expect(await answerOf(world.runtime.prepare(requester, { ...world.input(), requestKey: KEY }))).toBe(
      'request_key_reused',
    )
    expect(world.action.calls.prepare).toBe(1)
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toHaveLength(1)
  })

  it('is refused for the same command of another action', async () => {
    const world = await openWorld({ store })
    const other = world.actionWith({ type: 'example.payments/goodwill@1' })
    const runtime = await world.open({ actions: [world.action, other] })
    const { command } = world.input()
    await runtime.prepare(requester, { action: 'example.payments/refund@1', command, requestKey: KEY })

    const answer = runtime.prepare(requester, { action: 'example.payments/goodwill@1', command, requestKey: KEY })

    expect(await answerOf(answer)).toBe('request_key_reused')
  })

  it('answers a later version of the action, whose commands name the same effects', async () => {
    const world = await openWorld({ store })
    const later = world.actionWith({ type: 'example.payments/refund@2' })
    const runtime = await world.open({ actions: [world.action, later] })
    const { command } = world.input()
    const first = await runtime.prepare(requester, { action: 'example.payments/refund@1', command, requestKey: KEY })

    const again = await runtime.prepare(requester, { action: 'example.payments/refund@2', command, requestKey: KEY })

    expect([again.outcome, again.proposal]).toEqual(['replayed', first.proposal])
  })

  it.each([
    ['requesters', rosa],
    ['tenants', elsewhere(requester)],
    ['kinds of principal of one name', session('service:rita', ['support'])],
  ])('is another one for other %s', async (_title, other) => {
    const world = await openWorld({ store })
    const input = { ...world.input(), requestKey: KEY }
    const first = await world.runtime.prepare(requester, input)

    const theirs = await world.runtime.prepare(other, input)

    expect(theirs.outcome).toBe('prepared')
    expect(theirs.proposal).not.toBe(first.proposal)
  })

  it('asks for the right to prepare each time, and answers nobody who may no longer read', async () => {
    const world = await openWorld({ store })
    const input = { ...world.input(), requestKey: KEY }
    await world.runtime.prepare(requester, input)
    world.action.methods.can = (act) => act === 'prepare'

    expect(await answerOf(world.runtime.prepare({ ...stranger, principal: requester.principal }, input))).toBe(
      'not_found',
    )
    world.action.methods.can = () => false
    expect(await answerOf(world.runtime.prepare(requester, input))).toBe('not_permitted')
  })

  it.each<[string, unknown]>([
    ['empty', ''],
    ['with a space', 'a b'],
    ['with a control character', 'a\u0007'],
    ['beyond ASCII', 'ключ'],
    ['of 256 characters', 'k'.repeat(256)],
    ['a number', 7],
    ['null', null],
    ['an object', { toString: () => 'key' }],
    ['a list', ['key']],
  ])('is malformed if it is %s', async (_title, requestKey) => {
    const world = await openWorld({ store })

    const error = await refused(world.runtime.prepare(requester, unsound({ ...world.input(), requestKey })))

    expect(error).toMatchObject({ code: 'malformed_reference', path: '/requestKey' })
    expect(world.action.calls.prepare).toBe(0)
  })

  it.each(['!', '~'.repeat(255), '"quoted"\'\\'])('may be %j', async (requestKey) => {
    const world = await openWorld({ store })
    const input = { ...world.input(), requestKey }
    await world.runtime.prepare(requester, input)

    expect(await answerOf(world.runtime.prepare(requester, input))).toBe('replayed')
  })

  it('makes one proposal of twenty requests at once', async () => {
    const world = await openWorld({ store })
    const second = await world.open()
    const input = { ...world.input(), requestKey: KEY }

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? world.runtime : second).prepare(requester, input)),
    )

    const outcomes = answers.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'prepared')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(19)
    expect(new Set(answers.map(({ proposal }) => proposal)).size).toBe(1)
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 50 })).toHaveLength(1)
  })

  it('lets one of twenty different commands at once have the key', async () => {
    const world = await openWorld({ store })

    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => world.runtime.prepare(requester, { ...world.input(), requestKey: KEY })),
    )

    const made = answers.filter(
      (answer): answer is PromiseFulfilledResult<OperationResult> => answer.status === 'fulfilled',
    )
    expect(made.map(({ value }) => value.outcome)).toEqual(['prepared'])
    const refusals = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [unsound<Refusal>(answer.reason)] : [],
    )
    expect(refusals.map(({ code }) => code)).toEqual(Array.from({ length: 19 }, () => 'request_key_reused'))
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 50 })).toHaveLength(1)
  })
})
