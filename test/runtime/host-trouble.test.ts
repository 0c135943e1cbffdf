// Host trouble: whatever goes wrong in a method of the action reaches its host, and codes alone reach the log.
import { describe, expect, it, vi } from 'vitest'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { PreparationRefused } from '../../src/proposal/errors.ts'
import type { OnHostError } from '../../src/runtime/host-trouble.ts'
import { answerOf, HOUR_MS, openWorld, unsound, type World } from './harness.ts'
import type { Methods } from './refund.ts'
import { finance1, operator, privacy, requester } from './sessions.ts'

/** In every error of the host. */
const PRIVATE = 'PRIVATE-canary'
const boom = (): never => {
  throw new Error(PRIVATE)
}

interface Ears {
  readonly world: World
  readonly told: { readonly error: string; readonly method: string; readonly proposal: string | null }[]
  readonly logged: object[]
}

async function openEars(methods: Partial<Methods>, onHostError?: OnHostError): Promise<Ears> {
  const told: Ears['told'] = []
  const logged: Ears['logged'] = []
  const log = (fields: object, message: string): void => void logged.push({ ...fields, message })
  const tell: OnHostError = (error, call) => void told.push({ error: String(error), ...call })
  const logger = { info: log, warn: log, error: log }
  const world = await openWorld({ store: 'memory', methods, logger, onHostError: onHostError ?? tell })
  return { world, told, logged }
}

/** One proposal through everything that calls the action; what is refused on the way is no matter here. */
async function live(world: World): Promise<void> {
  const { runtime, action, clock } = world
  const { proposal, commitment } = await world.prepared()
  await answerOf(runtime.approve(finance1, proposal, { commitment }))
  await answerOf(runtime.execute(requester, proposal))
  await clock.advance(HOUR_MS)
  await answerOf(runtime.reconcile(operator, proposal, { now: true }))
  await answerOf(runtime.erase(privacy, proposal, { reason: 'asked_for' }))
  expect(action.calls.prepare).toBe(1)
}

const THROWING = ['can', 'prepare', 'preview', 'resolve', 'execute', 'verify', 'compareFacts', 'isHeld'] as const

/** What each method answers that is not of its form. */
const MALFORMED: Partial<Methods> = {
  can: () => unsound('yes'),
  prepare: async () => unsound({ snapshot: PRIVATE }),
  preview: () => unsound({ [PRIVATE]: PRIVATE }),
  resolve: async () => unsound(PRIVATE),
  execute: async () => unsound({ status: PRIVATE }),
  verify: async () => unsound(PRIVATE),
  compareFacts: () => unsound(PRIVATE),
  isHeld: async () => unsound(PRIVATE),
}

describe('a method of the action that goes wrong', () => {
  it.each(THROWING)('%s that throws is told to the host, and logged by a code', async (method) => {
    const { world, told, logged } = await openEars({ [method]: boom })
    await live(world).catch(() => {})
    expect(told[0]).toMatchObject({ error: `Error: ${PRIVATE}`, method })
    const message = 'a call of the action failed'
    expect(logged).toContainEqual({ method, proposal: told[0]?.proposal, trouble: 'threw', message })
    expect(JSON.stringify(logged)).not.toContain(PRIVATE)
  })

  it.each(THROWING)('%s that answers something malformed is told to the host without the answer', async (method) => {
    const { world, told, logged } = await openEars({ [method]: MALFORMED[method] })
    await live(world).catch(() => {})
    expect(told[0]?.method).toBe(method)
    expect(logged).toContainEqual(expect.objectContaining({ method, trouble: 'malformed' }))
    expect(JSON.stringify([told, logged])).not.toContain(PRIVATE)
  })

  it('one that does not answer in time is told likewise', async () => {
    const { world, told, logged } = await openEars({ prepare: () => new Promise(() => {}) })
    const refused = answerOf(world.prepared())
    await vi.waitFor(() => expect(world.action.calls.prepare).toBe(1))
    await world.clock.advance(HOUR_MS)
    expect(await refused).toBe('preparation_failed')
    expect(told).toMatchObject([{ error: 'Error: prepare did not answer within its limit.', method: 'prepare' }])
    expect(logged).toMatchObject([{ method: 'prepare', trouble: 'timed_out' }])
  })

  it('an executor that throws once its signal has fired has hung, and its error is told', async () => {
    const { world, told, logged } = await openEars({
      execute: async ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error(PRIVATE)))
        }),
    })
    const { proposal } = await world.approvedProposal()
    const executed = answerOf(world.runtime.execute(requester, proposal))
    await vi.waitFor(() => expect(world.action.calls.execute).toBe(1))
    await world.clock.advance(HOUR_MS)
    expect(await executed).toContain('execute_timed_out')
    expect(told).toMatchObject([{ error: `Error: ${PRIVATE}`, method: 'execute' }])
    expect(logged).toMatchObject([{ method: 'execute', trouble: 'timed_out' }])
  })
})

it('what the action says by throwing is no trouble', async () => {
  const { world, told, logged } = await openEars({
    execute: async () => {
      throw new DefinitiveFailure('refused_by_bank')
    },
  })
  const { proposal } = await world.approvedProposal()
  expect(await answerOf(world.runtime.execute(requester, proposal))).toContain('refused_by_bank')
  world.action.methods.prepare = () => Promise.reject(new PreparationRefused('order_closed'))
  expect(await answerOf(world.prepared())).toBe('preparation_refused')
  expect([told, logged]).toEqual([[], []])
})

it.each([
  ['throws', boom],
  ['rejects', () => unsound<undefined>(Promise.reject(new Error(PRIVATE)))],
])('a host that %s when it is told changes nothing', async (_how, onHostError) => {
  const { world } = await openEars({ resolve: boom }, onHostError)
  const { proposal } = await world.approvedProposal()
  expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('blocked resolve_failed')
})
