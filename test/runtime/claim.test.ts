// The claim: what a proposal finds that wants an effect of another one, in every state of its owner, and when it passes on.
import { describe, expect, it } from 'vitest'
import { DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import {
  answering,
  approved,
  type ExecutionWorld,
  hanging,
  openExecution,
  resendAfter,
  says,
  settle,
  underWay,
} from './execution-world.ts'
import { answerOf, HOUR_MS, MINUTE_MS } from './harness.ts'
import { finance2, requester, session } from './sessions.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

const INTENT = 'the one that two want'
const OTHER_AMOUNT = { amount: { amount: '50.00', currency: 'EUR' } }

interface Rivals {
  readonly world: ExecutionWorld
  /** Claims the effect first. */
  readonly owner: string
  /** Wants the same with the same command, and with another amount. */
  readonly same: string
  readonly other: string
}

async function openRivals(
  store: (typeof EVERY_STORE)[number],
  contract: Readonly<Record<string, unknown>> = {},
): Promise<Rivals> {
  const world = await openExecution({ store, contract: { lifetime: '1d', ...contract } })
  const [owner, same, other] = [
    await world.approved(INTENT),
    await world.approved(INTENT),
    await world.approved(INTENT, OTHER_AMOUNT),
  ]
  return { world, owner, same, other }
}

/** A state of the owner: how it gets there, and what two rivals are told. */
interface OwnerState {
  readonly status: string
  readonly arrange: (rivals: Rivals) => Promise<unknown>
  readonly same: string
  readonly other: string
}

const IN_FLIGHT = 'replayed effect_in_flight_elsewhere'
const DIFFERS = 'conflict effect_content_differs'
const PAST_BOUNDARY_MS = 5 * MINUTE_MS

const states: readonly OwnerState[] = [
  {
    status: 'executing',
    arrange: async ({ world, owner }) => {
      world.action.methods.execute = hanging()
      await underWay(world, world.execute(owner))
    },
    same: IN_FLIGHT,
    other: DIFFERS,
  },
  {
    status: 'verification_pending',
    arrange: ({ world, owner }) => world.execute(owner),
    same: IN_FLIGHT,
    other: DIFFERS,
  },
  {
    status: 'failed_unknown',
    arrange: async ({ world, owner }) => {
      world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
      await world.execute(owner)
    },
    same: IN_FLIGHT,
    other: DIFFERS,
  },
  {
    status: 'verification_unresolved',
    arrange: async ({ world, owner }) => {
      await world.execute(owner)
      world.action.methods.verify = answering(says.doneAs({ matches: 2 }))
      await world.clock.advance(5_000)
      await world.reconcile(owner)
    },
    same: IN_FLIGHT,
    other: DIFFERS,
  },
  {
    status: 'verified',
    arrange: async ({ world, owner }) => {
      await world.execute(owner)
      await world.clock.advance(5_000)
      await world.reconcile(owner)
    },
    same: 'replayed effect_completed_elsewhere',
    other: DIFFERS,
  },
  {
    status: 'failed_known',
    arrange: async ({ world, owner }) => {
      // Refused by proof, which no definition here accepts for another attempt.
      await world.execute(owner)
      world.action.methods.verify = answering(says.gone('terminal'))
      await world.clock.advance(PAST_BOUNDARY_MS)
      await world.reconcile(owner)
    },
    same: 'blocked earlier_attempt',
    other: 'blocked earlier_attempt',
  },
  {
    status: 'closed_unknown',
    arrange: async (rivals) => {
      const { world, owner } = rivals
      world.action.methods.verify = answering(says.doneAs({ matches: 2 }))
      await world.execute(owner)
      await world.clock.advance(5_000)
      await world.reconcile(owner)
      await settle(world, owner, 'closed_unknown')
    },
    same: 'blocked earlier_attempt',
    other: 'blocked earlier_attempt',
  },
]

describe.each(EVERY_STORE)('lifecycle 6.5 on %s', (store) => {
  it.each(states)('while its owner is $status, the same command is told $same and another $other', async (state) => {
    const rivals = await openRivals(store)
    const { world, owner, same, other } = rivals
    await state.arrange(rivals)
    expect((await world.stored(owner)).proposal.status).toBe(
      state.status === 'closed_unknown' ? 'verification_unresolved' : state.status,
    )
    const { execute, resolve } = world.action.calls

    expect(await answerOf(world.execute(other))).toBe(state.other)
    expect(await answerOf(world.execute(same))).toBe(state.same)
    expect(world.action.calls.execute).toBe(execute)
    // Before anything of the host, unless the claim could pass on.
    const mayPassOn = state.status === 'failed_known'
    expect(world.action.calls.resolve > resolve).toBe(mayPassOn)
  })

  it('names the other proposal only to who may read it', async () => {
    const { world, owner, same } = await openRivals(store)
    await world.execute(owner)
    await world.clock.advance(5_000)
    await world.reconcile(owner)
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      if (caller.principal.id === 'blind' && act === 'read') return view.proposal?.ref !== owner
      return can(act, caller, view)
    }

    const blind = await world.runtime.execute(session('user:blind', ['support']), same)

    expect([blind.outcome, blind.status, blind.supersededBy]).toEqual(['replayed', 'superseded', null])
    expect((await world.execute(same)).supersededBy).toBe(owner)
  })

  it('attempts are counted over all proposals, and used up for all of them', async () => {
    const { world, owner, same } = await openRivals(store, { attemptsMax: 2 })
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    world.action.methods.verify = answering(says.absent)

    await world.execute(owner)
    await world.execute(same)

    expect((await world.effect(owner)).attempts.map(({ proposal }) => proposal)).toEqual([owner, same])
    expect(await answerOf(world.execute(owner))).toBe('blocked attempts_spent')
    expect(await answerOf(world.execute(same))).toBe('blocked attempts_spent')
    expect(world.action.calls.execute).toBe(2)
  })

  it('rule R1: after a word of failure in time, any healthy absence lets the claim pass on', async () => {
    const { world, owner, other } = await openRivals(store)
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(owner)
    world.action.methods.execute = execute

    const answer = await world.execute(other)

    const effect = await world.effect(other)
    expect(answer.status).toBe('verification_pending')
    expect([effect.owner, effect.attempts.map(({ number }) => number)]).toEqual([other, [1, 2]])
    expect((await world.stored(owner)).proposal.status).toBe('failed_known')
    expect(effect.observations.map(({ answer: seen }) => seen)).toEqual(['provisional_absence'])
  })

  it('trace S2: a transfer is a resend, with all that a resend asks for', async () => {
    const { world, owner, same } = await openRivals(store, {
      acceptProof: { failure: ['terminal', 'settled'], resend: ['terminal'] },
    })
    world.action.methods.verify = answering(says.gone('settled'))
    await world.execute(owner)
    for (const _ of [1, 2, 3]) {
      await world.clock.advance(PAST_BOUNDARY_MS)
      await world.reconcile(owner)
    }
    expect((await world.stored(owner)).proposal.status).toBe('failed_known')

    const fresh = await world.approved(INTENT)
    expect(await answerOf(world.execute(fresh))).toBe('blocked earlier_attempt')

    world.action.methods.verify = answering(says.gone('terminal'))
    expect((await world.execute(fresh)).status).toBe('verification_pending')
    expect((await world.effect(same)).owner).toBe(fresh)
  })

  it('trace S2: a target that forgets keys, or has none, gets no second call from anybody', async () => {
    const { world, owner } = await openRivals(store, {
      ...resendAfter('settled'),
      lifetime: '3d',
      target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
    })
    await world.execute(owner)
    world.action.methods.verify = answering(says.gone('settled'))
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(owner)
    await world.clock.advance(PAST_BOUNDARY_MS)
    expect((await world.reconcile(owner)).outcome).toBe('resend_allowed')
    await world.clock.advance(24 * HOUR_MS)

    const fresh = await world.approved(INTENT)

    expect(await answerOf(world.execute(fresh))).toBe('blocked earlier_attempt')
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S24: approvals from before the storm do not count for who takes the effect over', async () => {
    const { world, owner, same } = await openRivals(store, resendAfter('terminal'))
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    await world.execute(owner)
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(PAST_BOUNDARY_MS)
    expect((await world.reconcile(owner)).outcome).toBe('resend_allowed')

    expect(await answerOf(world.execute(same))).toBe('blocked earlier_attempt')
    const { commitment } = (await world.stored(same)).proposal
    expect((await world.runtime.approve(finance2, same, { commitment })).outcome).toBe('approved')
    expect((await world.execute(same)).status).toBe('failed_unknown')
    expect((await world.effect(same)).owner).toBe(same)
  })

  it('trace S24: an own resend keeps its approvals while they hold', async () => {
    const { world, owner } = await openRivals(store, resendAfter('terminal'))
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    await world.execute(owner)
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(owner)

    await world.execute(owner)

    expect((await world.effect(owner)).attempts).toHaveLength(2)
  })

  it.each([
    {
      who: 'one operator',
      second: null,
      resend: ['terminal'],
      verifier: says.gone('terminal'),
      ends: 'earlier_attempt',
    },
    { who: 'two', second: 'user:omar', resend: ['terminal'], verifier: says.absent, ends: 'earlier_attempt' },
    { who: 'two', second: 'user:omar', resend: ['terminal'], verifier: says.unavailable, ends: 'earlier_attempt' },
    { who: 'two', second: 'user:omar', resend: [], verifier: says.gone('terminal'), ends: 'earlier_attempt' },
    { who: 'two', second: 'user:omar', resend: ['terminal'], verifier: says.gone('terminal'), ends: null },
  ])('trace S8: "it did not occur" of $who frees the effect only with a read that allows a resend', async (row) => {
    const rivals = await openRivals(store, { acceptProof: { failure: ['terminal'], resend: row.resend } })
    const { world, owner } = rivals
    world.action.methods.verify = answering(says.doneAs({ matches: 2 }))
    await world.execute(owner)
    await world.clock.advance(5_000)
    await world.reconcile(owner)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await settle(world, owner, 'did_not_occur', row.second)
    const fresh = await world.approved(INTENT)
    world.action.methods.verify = answering(row.verifier)

    const answer = await answerOf(world.execute(fresh))

    expect(answer).toBe(row.ends === null ? 'verification_pending' : `blocked ${row.ends}`)
  })

  it('rule R9: what was claimed under a former domain is not claimed anew, trace S11', async () => {
    const world = await openExecution({ store })
    const first = await world.approved(INTENT)
    await world.execute(first)
    const moved = world.actionWith({
      type: 'example.payments/refund@2',
      effectDomain: 'example.payments/refunds',
      formerDomains: ['example.payments/refund'],
      verifies: [1],
    })
    const both = await world.open({ actions: [moved] })

    const again = await approved(both, { ...world.input({ intent: INTENT }), action: moved.contract.type })

    expect(await answerOf(both.execute(requester, again))).toBe('blocked earlier_attempt')
    expect(world.log.executed).toHaveLength(1)
  })

  it('rule R9: whoever knows the former domain only claims nothing any more, not even at the last moment', async () => {
    const world = await openExecution({ store })
    const first = await world.approved(INTENT)
    const moved = world.actionWith({
      type: 'example.payments/refund@2',
      effectDomain: 'example.payments/refunds',
      formerDomains: ['example.payments/refund'],
      verifies: [1],
    })
    const both = await world.open({ actions: [moved] })
    const again = await approved(both, { ...world.input({ intent: INTENT }), action: moved.contract.type })
    const { resolve } = moved.methods
    let told = ''
    moved.methods.resolve = async (input) => {
      // Another process that knows the old definition only tries to be faster.
      told = await answerOf(world.execute(first))
      return resolve(input)
    }

    expect(await answerOf(both.execute(requester, again))).toBe('verification_pending')
    expect(told).toBe('blocked definition_changed')
    expect(world.log.executed.map(({ input }) => input.context.proposal)).toEqual([again])
  })

  it.each([
    {
      closed: 'by settled absence',
      execute: 'lost',
      verifier: says.gone('settled'),
      bank: 'blocked earlier_attempt',
    },
    { closed: 'by its refusal', execute: 'lost', verifier: says.gone('terminal'), bank: 'verification_pending' },
    { closed: 'by its own word', execute: 'refused', verifier: says.absent, bank: 'verification_pending' },
  ])('trace S12: an effect that another target was asked for $closed is $bank at the bank', async (row) => {
    const kinds = ['terminal', 'settled']
    const shared = {
      effectDomain: 'example.payments/money-back',
      acceptProof: { failure: kinds, resend: kinds },
      lifetime: '1d',
    }
    const world = await openExecution({ store, contract: shared })
    const idempotent = { keyLifetime: '24h' }
    const bank = world.actionWith({
      ...shared,
      type: 'example.banking/refund@1',
      target: { name: 'bank', idempotent },
    })
    const both = await world.open({ actions: [world.action, bank] })
    const atStripe = await world.approved(INTENT)
    world.action.methods.execute = async () => {
      throw row.execute === 'lost' ? new Error('connection reset') : new DefinitiveFailure('card_expired')
    }
    world.action.methods.verify = answering(row.verifier)
    await world.execute(atStripe)
    for (const _ of [1, 2]) {
      await world.clock.advance(PAST_BOUNDARY_MS)
      await world.reconcile(atStripe)
    }

    const atBank = await approved(both, { ...world.input({ intent: INTENT }), action: bank.contract.type })
    const answer = await answerOf(both.execute(requester, atBank))

    expect(answer).toBe(row.bank)
    // Whoever it is for, the target that was called is asked by the verifier that knows it.
    expect([world.action.calls.verify > 0, bank.calls.verify]).toEqual([true, 0])
  })

  it('trace S12: with attempts at two targets nobody can speak of all of them, and a person must', async () => {
    const shared = { effectDomain: 'example.payments/money-back', ...resendAfter('terminal') }
    const world = await openExecution({ store, contract: shared })
    const idempotent = { keyLifetime: '24h' }
    const bank = world.actionWith({ ...shared, type: 'example.banking/refund@1', target: { name: 'bank', idempotent } })
    const both = await world.open({ actions: [world.action, bank] })
    const refusing = (): Promise<never> => Promise.reject(new DefinitiveFailure('card_expired'))
    world.action.methods.execute = refusing
    bank.methods.execute = refusing
    bank.methods.verify = answering(says.gone('terminal'))
    const input = { ...world.input({ intent: INTENT }), action: bank.contract.type }
    const [first, second] = [await world.approved(INTENT), await approved(both, input)]
    await both.execute(requester, first)
    await both.execute(requester, second)

    const third = await approved(both, input)

    const asked = world.log.verified.length
    expect(await answerOf(both.execute(requester, third))).toBe('blocked earlier_attempt')
    expect(world.log.verified).toHaveLength(asked)
    expect((await world.effect(first)).attempts.map(({ target }) => target)).toEqual(['business-system', 'bank'])
  })

  it('trace S29: what was done with other content is never told as done', async () => {
    const { world, owner, other, same } = await openRivals(store)
    await world.execute(owner)
    await world.clock.advance(5_000)
    await world.reconcile(owner)
    const undecided = await world.prepared(requester, world.input({ intent: 'another one', ...OTHER_AMOUNT }))

    expect(await answerOf(world.execute(other))).toBe('conflict effect_content_differs')
    expect((await world.stored(other)).proposal.status).toBe('approved')
    expect(await answerOf(world.execute(same))).toBe('replayed effect_completed_elsewhere')
    expect(undecided.outcome).toBe('prepared')
  })

  it('a failed owner cannot be executed again, and a transferred effect is no longer its own', async () => {
    const { world, owner, same } = await openRivals(store)
    const { execute } = world.action.methods
    world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
    await world.execute(owner)
    world.action.methods.execute = execute
    await world.execute(same)

    expect((await world.stored(owner)).proposal.status).toBe('approved')
    expect(await answerOf(world.execute(owner))).toBe(IN_FLIGHT)
  })
})
