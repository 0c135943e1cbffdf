// The call: what an executor is handed, and what each of its words becomes (the table of lifecycle 6.12).
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/effect/canonical-json.ts'
import type { AttemptEnding } from '../../src/effect/effect.ts'
import { idempotencyKey, stepKey } from '../../src/effect/effect-key.ts'
import { DefinitiveFailure, type Execute, type Executed, NotSent } from '../../src/proposal/action.ts'
import { ProposalKeys } from '../../src/runtime/keys/sealing.ts'
import { openExecution, still, underWay } from './execution-world.ts'
import { FreezingClock } from './freezing-clock.ts'
import { answerOf, effectOf, reference, START, STORES, unsound } from './harness.ts'
import type { Refund } from './refund.ts'
import { agent, finance1, requester, TENANT } from './sessions.ts'

type Call = Execute<Refund>

const EXECUTE_TIMEOUT_MS = 30_000
const LEASE_MS = 60_000

/** A word of the executor, and what it makes of the attempt and of the proposal. */
interface Word {
  readonly word: string
  readonly execute: (call: Call) => Promise<Executed<Refund>> | Executed<Refund>
  readonly status: string
  readonly ending: Partial<AttemptEnding>
  readonly outcome?: string
}

const nothing = { reason: null, externalReference: null }

const words: readonly Word[] = [
  {
    word: 'accepted',
    execute: async () => ({ status: 'accepted' }),
    status: 'verification_pending',
    ending: { kind: 'accepted', evidence: 'UNKNOWN', ...nothing },
  },
  {
    word: 'accepted with a reference and a result',
    execute: async () => ({ status: 'accepted', externalReference: 'rf-9', result: { refundId: 'rf-9' } }),
    status: 'verification_pending',
    ending: { kind: 'accepted', evidence: 'UNKNOWN', reason: null, externalReference: reference('rf-9') },
  },
  {
    word: 'accepted with what may be undefined',
    execute: async () => unsound({ status: 'accepted', externalReference: undefined, result: undefined }),
    status: 'verification_pending',
    ending: { kind: 'accepted', evidence: 'UNKNOWN', ...nothing },
  },
  {
    word: 'accepted without a promise',
    execute: () => ({ status: 'accepted' }),
    status: 'verification_pending',
    ending: { kind: 'accepted', evidence: 'UNKNOWN', ...nothing },
  },
  {
    word: 'stale_no_effect',
    execute: async () => ({ status: 'stale_no_effect', reason: 'order_changed' }),
    status: 'stale',
    ending: { kind: 'stale_no_effect', evidence: 'FAILED' },
    outcome: 'stale stale_no_effect',
  },
  {
    word: 'failed_known',
    execute: async () => ({ status: 'failed_known', reason: 'card_expired' }),
    status: 'failed_known',
    ending: { kind: 'failed_known', evidence: 'FAILED' },
    outcome: 'failed_known card_expired',
  },
  {
    word: 'failed_unknown',
    execute: async () => ({ status: 'failed_unknown', reason: 'gateway_500' }),
    status: 'failed_unknown',
    ending: { kind: 'failed_unknown', evidence: 'UNKNOWN' },
    outcome: 'failed_unknown gateway_500',
  },
  {
    word: 'a thrown DefinitiveFailure',
    execute: () => Promise.reject(new DefinitiveFailure('account_closed')),
    status: 'failed_known',
    ending: { kind: 'failed_known', evidence: 'FAILED' },
    outcome: 'failed_known account_closed',
  },
  {
    word: 'a DefinitiveFailure after sending',
    execute: (call) => {
      call.markSending()
      throw new DefinitiveFailure('account_closed')
    },
    status: 'failed_known',
    ending: { kind: 'failed_known', evidence: 'FAILED' },
    outcome: 'failed_known account_closed',
  },
  {
    word: 'a DefinitiveFailure whose reason is none',
    execute: () => Promise.reject(new DefinitiveFailure('The card 4111 1111 1111 1111 expired')),
    status: 'failed_known',
    ending: { kind: 'failed_known', evidence: 'FAILED' },
    outcome: 'failed_known definitive_failure',
  },
  {
    word: 'a thrown NotSent',
    execute: () => Promise.reject(new NotSent('pool_exhausted')),
    status: 'approved',
    ending: { kind: 'not_sent', evidence: 'FAILED' },
    outcome: 'approved pool_exhausted',
  },
  {
    word: 'NotSent after sending',
    execute: (call) => {
      call.markSending()
      throw new NotSent('connection_refused')
    },
    status: 'failed_unknown',
    ending: { kind: 'failed_unknown', evidence: 'UNKNOWN' },
    outcome: 'failed_unknown not_sent_after_sending',
  },
  ...thrown('an Error', new Error('connection reset')),
  ...thrown(
    'an error named like a typed one',
    Object.assign(new Error('no'), { name: 'DefinitiveFailure', reason: 'x' }),
  ),
  ...thrown('an AbortError', new DOMException('aborted', 'AbortError')),
  ...thrown('a text', 'failed_known'),
  ...thrown('null', null),
  ...thrown('an AggregateError of typed ones', new AggregateError([new NotSent('a'), new DefinitiveFailure('b')])),
  ...thrown('an error with a trap', trapped()),
  ...malformed('nothing', [][0]),
  ...malformed('null', null),
  ...malformed('true', true),
  ...malformed('a text', 'accepted'),
  ...malformed('a list', ['accepted']),
  ...malformed('no status', {}),
  ...malformed('another status', { status: 'done' }),
  ...malformed('a status of another case', { status: 'Accepted' }),
  ...malformed('verified_completion', { status: 'verified_completion' }),
  ...malformed('more than is known', { status: 'accepted', sure: true }),
  ...malformed('a result of another shape', { status: 'accepted', result: { refundId: 7 } }),
  ...malformed('a reference that is none', { status: 'accepted', externalReference: ' rf' }),
  ...malformed('a huge result', { status: 'accepted', result: { refundId: 'x'.repeat(70_000) } }),
  ...malformed('stale_no_effect with something else', { status: 'stale_no_effect', result: { refundId: 'rf' } }),
  ...malformed('failed_known without a reason', { status: 'failed_known' }),
  ...malformed('failed_known with a free text', { status: 'failed_known', reason: 'Card of Carla expired' }),
  ...malformed('failed_unknown without a reason', { status: 'failed_unknown' }),
  ...malformed(
    'an object of a class',
    new (class Answer {
      readonly status = 'accepted'
    })(),
  ),
  ...malformed('a property that computes itself', {
    get status() {
      return 'accepted'
    },
  }),
  ...malformed('a proxy', new Proxy({ status: 'accepted' }, {})),
  ...malformed('a map', new Map([['status', 'accepted']])),
  ...malformed('a function', () => 'accepted'),
]

function thrown(what: string, error: unknown): readonly Word[] {
  const ending = { kind: 'failed_unknown', evidence: 'UNKNOWN' } as const
  const execute = async (): Promise<never> => {
    throw error
  }
  return [
    { word: `a throw of ${what}`, execute, status: 'failed_unknown', ending, outcome: 'failed_unknown executor_threw' },
  ]
}

function malformed(what: string, answer: unknown): readonly Word[] {
  const ending = { kind: 'failed_unknown', evidence: 'UNKNOWN' } as const
  const execute = async (): Promise<Executed<Refund>> => unsound(answer)
  return [
    {
      word: `a return of ${what}`,
      execute,
      status: 'failed_unknown',
      ending,
      outcome: 'failed_unknown malformed_return',
    },
  ]
}

function trapped(): Error {
  return new Proxy(new Error('no'), {
    get() {
      throw new Error('trap')
    },
    getPrototypeOf() {
      throw new Error('trap')
    },
  })
}

describe('lifecycle 6.12', () => {
  it.each(words)('$word: the proposal is $status', async ({ execute, status, ending, outcome }) => {
    const world = await openExecution({ store: 'memory' })
    const proposal = await world.approved('the one with a word')
    world.action.methods.execute = async (call) => execute(call)

    const answer = await answerOf(world.execute(proposal))

    const [attempt] = (await world.effect(proposal)).attempts
    expect(answer).toBe(outcome ?? status)
    expect((await world.stored(proposal)).proposal.status).toBe(status)
    expect(attempt?.ending).toMatchObject({ ...ending, at: START })
    // Nothing but the verifier completes, and what ended without proof is looked into at once.
    const { verifyDueAt } = await world.effect(proposal)
    const dueAt = status === 'verification_pending' ? START + 5_000 : status === 'failed_unknown' ? START : null
    expect(verifyDueAt).toBe(dueAt)
    expect((await world.receipts(proposal)).at(-1)).toBe(`execution.${attempt?.ending?.kind}`)
  })

  it('no error text is read, and none is kept in the clear', async () => {
    const world = await openExecution({ store: 'sqlite' })
    const proposal = await world.approved('the one that tells too much')
    world.action.methods.execute = () => Promise.reject(new Error('card 4111111111111111 of Carla\u0000\u001B expired'))

    await world.execute(proposal)

    const sealed = await world.bareStore.attemptDetail(await effectOf(world, proposal), 1)
    const owner = { tenant: reference(TENANT), proposal: reference(proposal) }
    const key = await new ProposalKeys(world.keyring, world.clock).open(owner, (await world.stored(proposal)).key)
    expect(Buffer.from(sealed ?? []).includes('4111111111111111')).toBe(false)
    expect(JSON.stringify(await world.bareStore.receipts(reference(TENANT), reference(proposal)))).not.toContain('4111')
    expect(key.open('attempt:1', sealed ?? new Uint8Array())).toBe(
      '{"error":"card 4111111111111111 of Carla expired","result":null}',
    )
  })
})

describe.each(STORES)('lifecycle 6.11 on %s', (store) => {
  it('rule R10: the executor is handed the approved snapshot, parsed afresh from the committed bytes and deeply frozen', async () => {
    const world = await openExecution({ store })
    const command = world.input({ intent: 'the one that is handed over' })
    const proposal = (await world.prepared(requester, command)).proposal
    // Whoever still holds what was given cannot change what was approved.
    Object.assign(command.command as object, { amount: { amount: '90.00', currency: 'EUR' } })
    const { commitment } = (await world.stored(proposal)).proposal
    await world.runtime.approve(finance1, proposal, { commitment })
    const seen: unknown[] = []
    const { resolve, execute } = world.action.methods
    world.action.methods.resolve = async (input) => {
      seen.push(input.snapshot)
      return resolve(input)
    }
    world.action.methods.execute = async (call) => {
      expect(() => Object.assign(call.snapshot, { orderVersion: 8 })).toThrow(TypeError)
      expect(() => Object.assign(call.snapshot.amount, { amount: '90.00' })).toThrow(TypeError)
      seen.push(call.snapshot)
      return execute(call)
    }

    await world.execute(proposal)

    const text = (await world.dump()).snapshots.get(proposal)
    expect(seen.map((snapshot) => canonicalJson(unsound(snapshot), { numbers: 'integers' }))).toEqual([text, text])
    expect(seen[1]).not.toBe(seen[0])
    expect(seen[1]).toMatchObject({ amount: { amount: '10.00', currency: 'EUR' }, orderVersion: 7 })
  })

  it('is handed the identities, the precondition and the fence of its attempt', async () => {
    const world = await openExecution({ store })
    const { proposal, commitment } = await world.prepared(agent, world.input({ intent: 'the one with identities' }))
    await world.runtime.approve(finance1, proposal, { commitment })

    await world.execute(proposal)
    await world.clock.advance(5_000)
    await world.reconcile(proposal)

    const effect = await world.effect(proposal)
    const key = idempotencyKey(effect.key, 1)
    const [call] = world.log.executed
    const [read] = world.log.verified
    expect(call?.input).toMatchObject({
      precondition: 'order-version:7',
      semanticEffectReference: effect.key.reference,
      idempotencyKey: key,
      attempt: 1,
      epoch: 1,
      current: { orderVersion: 7, refunded: { amount: '20.00', currency: 'EUR' } },
      context: { tenant: TENANT, proposal, requester: agent.principal, agent: agent.principal },
    })
    expect([call?.input.stepKey(1), call?.input.stepKey(2)]).toEqual([stepKey(key, 1), stepKey(key, 2)])
    expect(read?.input.idempotencyKeys).toEqual([key])
    expect(call?.effect?.attempts[0]).toMatchObject({ idempotencyKey: key, precondition: 'order-version:7' })
  })

  it('fires the signal at the limit of the call, not before, and takes the answer to it', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that takes long')
    let signal: AbortSignal | null = null
    world.action.methods.execute = (call) => {
      signal = call.signal
      return new Promise((_, reject) => {
        call.signal.addEventListener('abort', () => reject(new Error('aborted', { cause: call.signal.reason })))
      })
    }

    const answer = world.execute(proposal)
    await world.clock.advance(EXECUTE_TIMEOUT_MS - 1)
    expect(signal).toMatchObject({ aborted: false })
    await world.clock.advance(1)

    expect(await answerOf(answer)).toBe('failed_unknown execute_timed_out')
    expect(signal).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } })
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ at: START + EXECUTE_TIMEOUT_MS })
  })

  it('trace S53: a call that ignores its signal is settled at the end of its lease, and its slot is free', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that never answers')
    world.action.methods.execute = () => new Promise(() => {})

    const answer = answerOf(world.execute(proposal))
    await world.clock.advance(LEASE_MS - 1)
    expect((await world.stored(proposal)).proposal.status).toBe('executing')
    await world.clock.advance(1)

    expect(await answer).toBe('failed_unknown execute_timed_out')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({
      kind: 'failed_unknown',
      evidence: 'UNKNOWN',
    })
  })

  it.each([
    { word: 'DefinitiveFailure', say: () => Promise.reject(new DefinitiveFailure('cancelled')) },
    { word: 'NotSent', say: () => Promise.reject(new NotSent('connection_refused')) },
    { word: 'failed_known', say: async () => ({ status: 'failed_known', reason: 'cancelled' }) as const },
    { word: 'stale_no_effect', say: async () => ({ status: 'stale_no_effect' }) as const },
  ])('rule R4: $word counts until the signal fires, and no longer', async ({ say }) => {
    for (const afterMs of [EXECUTE_TIMEOUT_MS - 1, EXECUTE_TIMEOUT_MS]) {
      const world = await openExecution({ store })
      const proposal = await world.approved('the one that fails at the last moment')
      const { promise, resolve } = Promise.withResolvers<void>()
      world.action.methods.execute = async () => {
        await promise
        return say()
      }

      const answer = world.execute(proposal)
      await world.clock.advance(afterMs)
      resolve()
      await answer

      const [attempt] = (await world.effect(proposal)).attempts
      const late = { kind: 'failed_unknown', evidence: 'UNKNOWN', reason: 'late_word' }
      expect(attempt?.ending).toMatchObject(afterMs < EXECUTE_TIMEOUT_MS ? { evidence: 'FAILED' } : late)
    }
  })

  it('rule R4: accepted counts whenever it is said within the lease', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that is accepted after its signal')
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise

    const answer = world.execute(proposal)
    await world.clock.advance(EXECUTE_TIMEOUT_MS + 1)
    resolve({ status: 'accepted', externalReference: 'rf-1' })

    expect((await answer).status).toBe('verification_pending')
  })

  it('trace S4: a process that stood still is not believed, though its signal never fired', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one whose process stands still')
    const clock = new FreezingClock(world.clock.state())
    const frozen = await world.open({ clock })
    world.action.methods.execute = async () => {
      clock.freezeFor(EXECUTE_TIMEOUT_MS)
      throw new NotSent('connection_refused')
    }

    const answer = await frozen.execute(requester, proposal)

    expect([answer.outcome, answer.reason]).toEqual(['failed_unknown', 'late_word'])
  })

  it('an executor that calls the runtime again is told that it is under way', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that calls itself')
    const { execute } = world.action.methods
    let inner = ''
    world.action.methods.execute = async (call) => {
      inner = await answerOf(world.execute(proposal))
      return execute(call)
    }

    await world.execute(proposal)

    expect([inner, world.action.calls.execute]).toEqual(['in_progress', 1])
  })

  it('a caller that goes away changes nothing: the call is settled all the same', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one whose caller hangs up')
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise

    await underWay(world, world.execute(proposal))
    await world.clock.advance(1_000)
    resolve({ status: 'accepted' })
    await still(world)

    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
  })
})
