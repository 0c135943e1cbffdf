// Late words: what an executor says after somebody else ended its attempt is kept, proves nothing negative, and may alarm.
import { describe, expect, it } from 'vitest'
import { DefinitiveFailure, type Executed, NotSent } from '../../src/proposal/action.ts'
import { StoreUnavailable } from '../../src/proposal/errors.ts'
import type { Change, Logger } from '../../src/runtime/ports.ts'
import {
  answering,
  type ExecutionWorld,
  frozenRuntime,
  openExecution,
  resendAfter,
  says,
  settle,
} from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, MINUTE_MS, STORES } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import type { Refund } from './refund.ts'
import { requester } from './sessions.ts'

const LEASE_MS = 60_000
const IN_FLIGHT_MS = 60_000
const PAST_BOUNDARY_MS = LEASE_MS + IN_FLIGHT_MS

type Say = Promise<Executed<Refund>> | Executed<Refund>

/** A worker that admitted an attempt and stands still, and what it will say when it wakes up. */
interface Zombie {
  readonly world: ExecutionWorld
  readonly proposal: string
  /** Lets the worker notice what time it is, and speak; answers what its caller is told. */
  readonly speaks: (word: () => Say) => Promise<string>
}

async function openZombie(
  store: StoreName,
  contract: Readonly<Record<string, unknown>> = {},
  around?: Around,
): Promise<Zombie> {
  const world = await openExecution({ store, contract, ...(around === undefined ? {} : { around }) })
  const proposal = await world.approved('the one with a zombie')
  const frozen = await frozenRuntime(world)
  const { promise, resolve } = Promise.withResolvers<() => Say>()
  const sound = world.action.methods.execute
  world.action.methods.execute = async () => (await promise)()
  const answer = answerOf(frozen.runtime.execute(requester, proposal))
  await world.clock.advance(0)
  await world.clock.advance(0)
  expect((await world.stored(proposal)).proposal.status).toBe('executing')
  world.action.methods.execute = sound
  return {
    world,
    proposal,
    async speaks(word) {
      frozen.thaw()
      resolve(word)
      return answer
    },
  }
}

/** Whether a change only says who verifies: the last one before the target is asked. */
function takesLease(change: Change | null): boolean {
  if (change === null || change.effect === null || change.proposals.length > 0) return false
  const { row, opened, ended, observed } = change.effect
  return row.verifyLease !== null && opened === null && ended === null && observed === null
}

const negatives: readonly { readonly word: string; readonly say: () => Say }[] = [
  { word: 'DefinitiveFailure', say: () => Promise.reject(new DefinitiveFailure('cancelled')) },
  { word: 'NotSent', say: () => Promise.reject(new NotSent('connection_refused')) },
  { word: 'failed_known', say: () => ({ status: 'failed_known', reason: 'cancelled' }) },
  { word: 'stale_no_effect', say: () => ({ status: 'stale_no_effect' }) },
  { word: 'an error', say: () => Promise.reject(new Error('connection reset')) },
]

describe.each(STORES)('a late word on %s', (store) => {
  it.each(negatives)('rule R4, trace S4: late $word is a receipt, and frees nothing', async ({ say }) => {
    const { world, proposal, speaks } = await openZombie(store)
    const rival = await world.approved('the one with a zombie')
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)

    expect(await speaks(say)).toBe('verification_pending')

    const effect = await world.effect(proposal)
    expect(effect.attempts[0]?.ending).toMatchObject({ kind: 'lease_lapsed', evidence: 'UNKNOWN' })
    expect(effect.observations.at(-1)).toMatchObject({
      source: 'executor',
      verdict: 'UNKNOWN',
      flags: ['late'],
      covers: { from: 1, to: 1 },
    })
    expect((await world.receipts(proposal)).at(-1)).toBe('execution.late')
    expect(await answerOf(world.execute(rival))).toBe('replayed effect_in_flight_elsewhere')
  })

  it.each(negatives)(
    'rule R4: $word is late as soon as the fence was raised, whatever its own clock says',
    async (row) => {
      const world = await openExecution({ store })
      const proposal = await world.approved('the one with a slow clock')
      const slow = await frozenRuntime(world)
      const { promise, resolve } = Promise.withResolvers<void>()
      world.action.methods.execute = async () => {
        await promise
        return row.say()
      }
      const answer = slow.runtime.execute(requester, proposal)
      await world.clock.advance(LEASE_MS)
      await world.reconcile(proposal)

      resolve()
      await answer

      const { attempts, observations } = await world.effect(proposal)
      expect(attempts[0]?.ending).toMatchObject({ kind: 'lease_lapsed' })
      expect(observations.at(-1)).toMatchObject({ source: 'executor', verdict: 'UNKNOWN' })
    },
  )

  it('rule R4: a late acceptance is kept with its reference, and only the verifier completes', async () => {
    const { world, proposal, speaks } = await openZombie(store)
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)

    await speaks(() => ({ status: 'accepted', externalReference: 'rf-1' }))

    const { observations } = await world.effect(proposal)
    const { status, attention } = (await world.stored(proposal)).proposal
    expect(observations.at(-1)).toMatchObject({ answer: 'accepted', externalReference: 'rf-1', verdict: 'UNKNOWN' })
    expect([status, attention]).toEqual(['verification_pending', []])
  })

  it('rule R6: the boundary counts from a late return, not from the lease alone', async () => {
    const { world, proposal, speaks } = await openZombie(store)
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)
    await world.clock.advance(50_000)
    await speaks(() => Promise.reject(new Error('connection reset')))
    await world.clock.advance(IN_FLIGHT_MS - 1)

    await world.reconcile(proposal)
    const early = await world.effect(proposal)
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)

    expect(early.observations.at(-1)).toMatchObject({ answer: 'authoritative_final_absence', verdict: 'UNKNOWN' })
    expect((await world.stored(proposal)).proposal.status).toBe('failed_known')
  })

  it('rule R6: the boundary of a read counts from a return that was recorded after the effect was read for it', async () => {
    let speakUp: (() => Promise<unknown>) | null = null
    const { world, proposal, speaks } = await openZombie(store, {}, async (_name, call, change) => {
      const answer = await call()
      if (!takesLease(change)) return answer
      const speaking = speakUp
      speakUp = null
      await speaking?.()
      return answer
    })
    world.action.methods.verify = answering(says.gone('terminal'))
    speakUp = () => speaks(() => Promise.reject(new Error('connection reset')))
    await world.clock.advance(PAST_BOUNDARY_MS)

    const answer = await world.reconcile(proposal)

    const { observations, absencesSpent, unavailablesSpent } = await world.effect(proposal)
    expect(observations.map(({ source, verdict }) => `${source} ${verdict}`)).toEqual([
      'executor UNKNOWN',
      'verifier UNKNOWN',
    ])
    expect([answer.status, absencesSpent, unavailablesSpent]).toEqual(['verification_pending', 0, 0])
    await world.clock.advance(IN_FLIGHT_MS)
    expect((await world.reconcile(proposal)).status).toBe('failed_known')
  })

  it('rule R6: a failure is none if a late return was recorded between its reading and its storing', async () => {
    let speakUp: (() => Promise<unknown>) | null = null
    const { world, proposal, speaks } = await openZombie(store, {}, async (_name, call, change) => {
      const speaking = change?.effect?.observed?.observation.source === 'verifier' ? speakUp : null
      if (speaking !== null) speakUp = null
      await speaking?.()
      return call()
    })
    world.action.methods.verify = answering(says.gone('terminal'))
    speakUp = () => speaks(() => Promise.reject(new Error('connection reset')))
    await world.clock.advance(PAST_BOUNDARY_MS)

    const answer = await world.reconcile(proposal)

    const { observations, absencesSpent } = await world.effect(proposal)
    expect(observations.map(({ source, verdict }) => `${source} ${verdict}`)).toEqual([
      'executor UNKNOWN',
      'verifier UNKNOWN',
    ])
    expect([answer.status, absencesSpent]).toEqual(['verification_pending', 0])
  })

  it('trace S27: a late acceptance of an attempt that was closed as absent alarms, and the target is asked at once', async () => {
    const { world, proposal, speaks } = await openZombie(store, resendAfter('terminal'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(PAST_BOUNDARY_MS)
    await world.reconcile(proposal)
    await world.execute(proposal)
    world.action.methods.verify = answering(says.doneAs({ externalReference: 'rf-2' }))
    await world.clock.advance(5_000)
    expect((await world.reconcile(proposal)).outcome).toBe('verified')

    expect(await speaks(() => ({ status: 'accepted', externalReference: 'rf-1' }))).toBe('verified')

    const stored = (await world.stored(proposal)).proposal
    const { verifyDueAt, attempts } = await world.effect(proposal)
    expect([stored.status, stored.attention]).toEqual(['verified', ['duplicate_possible']])
    expect(verifyDueAt).toBe(world.clock.now())
    const answer = await world.reconcile(proposal)
    expect([answer.nextStep, answer.attention]).toEqual(['operator', ['duplicate_possible']])
    expect(world.log.verified.at(-1)?.input.idempotencyKeys).toEqual(
      attempts.map(({ idempotencyKey }) => idempotencyKey),
    )
  })

  it('rule R11: another reference than the confirmed one alarms, whoever says it', async () => {
    const { world, proposal, speaks } = await openZombie(store)
    world.action.methods.verify = answering(says.doneAs({ externalReference: 'rf-2' }))
    await world.clock.advance(LEASE_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('verified')

    await speaks(() => ({ status: 'accepted', externalReference: 'rf-1' }))

    expect((await world.stored(proposal)).proposal.attention).toEqual(['duplicate_possible'])
    expect((await world.effect(proposal)).verifyDueAt).toBe(world.clock.now())
  })

  it('rule R11: the confirmed reference, told late, alarms nobody', async () => {
    const { world, proposal, speaks } = await openZombie(store)
    world.action.methods.verify = answering(says.doneAs({ externalReference: 'rf-2' }))
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)

    await speaks(() => ({ status: 'accepted', externalReference: 'rf-2' }))

    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'verified', attention: [] })
    expect((await world.effect(proposal)).verifyDueAt).toBeNull()
  })

  it('rule R11: a late acceptance contradicts a person who said that nothing occurred', async () => {
    const { world, proposal, speaks } = await openZombie(store)
    world.action.methods.verify = answering(says.doneAs({ matches: 2 }))
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)
    await settle(world, proposal, 'did_not_occur', 'user:omar')

    await speaks(() => ({ status: 'accepted', externalReference: 'rf-1' }))

    expect((await world.stored(proposal)).proposal.attention).toContain('duplicate_possible')
    expect((await world.effect(proposal)).verifyDueAt).toBe(world.clock.now())
  })

  it('invariant I15: a worker that gave up on its own call still listens to it, and nothing moves by what it hears', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that is heard late')
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    const answer = answerOf(world.execute(proposal))
    await world.clock.advance(LEASE_MS)
    expect(await answer).toBe('failed_unknown execute_timed_out')

    resolve({ status: 'failed_known', reason: 'cancelled' })
    await world.clock.advance(0)
    await world.clock.advance(0)

    const { observations } = await world.effect(proposal)
    expect((await world.stored(proposal)).proposal.status).toBe('failed_unknown')
    expect(observations).toMatchObject([{ source: 'executor', verdict: 'UNKNOWN', reason: 'late_word' }])
    expect((await world.receipts(proposal)).at(-1)).toBe('execution.late')
  })

  it('a late word that cannot be stored is logged, without a word of the host', async () => {
    const lines: unknown[] = []
    const log = (...line: readonly unknown[]): void => void lines.push(line)
    const logger: Logger = { info: log, warn: log, error: log }
    let isAway = false
    const world = await openExecution({
      store,
      logger,
      around: async (name, call) => {
        if (isAway && name === 'commit') throw new StoreUnavailable('The store is out of reach.')
        return call()
      },
    })
    const proposal = await world.approved('the one that nobody hears')
    const { promise, reject } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    const answer = world.execute(proposal)
    await world.clock.advance(LEASE_MS)
    await answer
    isAway = true

    reject(new Error('card 4111 of Carla'))
    for (const _ of [1, 2, 3]) await world.clock.advance(0)

    expect(JSON.stringify(lines)).not.toContain('Carla')
    expect(lines.slice(-1)).toEqual([[{ proposal, attempt: 1 }, 'a late word of an executor could not be stored']])
  })

  it('a late word is offered again to a store that hesitates', async () => {
    const { world, proposal, speaks } = await openZombie(store)
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)
    world.faults.at(1, 'lost')
    world.faults.at(2, 'refused')

    await speaks(() => ({ status: 'accepted', externalReference: 'rf-1' }))

    const { observations } = await world.effect(proposal)
    expect(observations.filter(({ source }) => source === 'executor')).toHaveLength(1)
  })

  it('a late word of a withdrawn resend is shown on the closed proposal', async () => {
    const { world, proposal, speaks } = await openZombie(store, resendAfter('terminal'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.clock.advance(5 * MINUTE_MS)
    await world.reconcile(proposal)
    await world.runtime.withdraw(requester, proposal)

    expect(await speaks(() => ({ status: 'accepted', externalReference: 'rf-1' }))).toBe('withdrawn')

    expect((await world.stored(proposal)).proposal).toMatchObject({
      status: 'withdrawn',
      attention: ['duplicate_possible'],
    })
  })
})
