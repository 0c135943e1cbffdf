// Canaries: what is private is told to nobody, and what is shown to readers stands in no file, receipt, event, error or log.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PreparationRefused } from '../../src/proposal/errors.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import type { Logger } from '../../src/runtime/ports.ts'
import { openWorld, reference, STORES, unsound, type World } from './harness.ts'
import { finance1, finance2, operator, reader, requester, service, stranger, TENANT } from './sessions.ts'

/** In every field that no reader is shown. */
const PRIVATE = 'PRIVATE-canary'
/** In every field that readers are shown. */
const SHOWN = 'SHOWN-canary'

/** Everything that was said while a test ran. */
interface Heard {
  readonly told: string[]
  readonly errors: string[]
  readonly logs: string[]
}

/** A world with a canary in everything, and with ears. */
async function openEars(store: 'memory' | 'sqlite'): Promise<{ world: World; heard: Heard }> {
  const heard: Heard = { told: [], errors: [], logs: [] }
  const log: Logger['info'] = (fields, message) => void heard.logs.push(JSON.stringify(fields) + message)
  const world = await openWorld({ store, logger: { info: log, warn: log, error: log } })
  world.action.business.customer = PRIVATE
  return { world, heard }
}

function input(world: World, fields: Readonly<Record<string, unknown>> = {}) {
  return world.input({ orderReference: SHOWN, memo: PRIVATE, ...fields })
}

/** Listens to the answer of an operation, or to its error. */
async function hear<T>({ told, errors }: Heard, operation: Promise<T>): Promise<T | null> {
  try {
    const answer = await operation
    told.push(JSON.stringify(answer))
    return answer
  } catch (error) {
    if (!(error instanceof Error)) throw error
    errors.push(
      `${error.name} ${error.message} ${JSON.stringify(error)} ${JSON.stringify(Object.entries(error).filter(([key]) => key !== 'cause'))} ${error.stack}`,
    )
    return null
  }
}

/** What any reader can find out about everything in the tenant, and what the outside is told. */
async function everythingTold(world: World, heard: Heard): Promise<{ readers: string; outside: string }> {
  const { items } = await world.runtime.list(reader)
  const views = await Promise.all(items.map(async ({ proposal }) => world.runtime.read(reader, proposal)))
  const receipts = await Promise.all(items.map(async ({ proposal }) => world.runtime.receipts(reader, proposal)))
  const events = await world.bareStore.events(reference(TENANT), 0, 1_000)
  const outside = JSON.stringify([items, receipts, events, heard.errors, heard.logs])
  return { readers: JSON.stringify([views, heard.told]) + outside, outside }
}

function expectNothingInFiles(world: World): void {
  if (world.path === null) return
  const folder = dirname(world.path)
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name))
    for (const canary of [PRIVATE, SHOWN, 'canary'])
      expect([name, canary, bytes.includes(canary)]).toEqual([name, canary, false])
  }
}

describe.each(STORES)('invariant I23 on %s', (store) => {
  it('invariant I23: through a whole life nothing private is told, and nothing shown leaves the views', async () => {
    const { world, heard } = await openEars(store)
    const { runtime } = world
    const { execute, verify } = world.action.methods
    world.action.methods.execute = async (given) => {
      await execute(given)
      throw new Error(`the answer about ${PRIVATE} was lost`)
    }
    world.action.methods.verify = async (given) => unsound({ ...(await verify(given)), result: { refundId: SHOWN } })
    const { proposal, commitment } = (await hear(heard, runtime.prepare(requester, input(world)))) ?? {
      proposal: '',
      commitment: '',
    }
    await hear(heard, runtime.approve(finance1, proposal, { commitment, comment: SHOWN }))
    await hear(heard, runtime.check(finance1, proposal))
    await hear(heard, runtime.execute(requester, proposal, { reconcile: true }))
    await world.clock.advance(5_000)
    await hear(heard, runtime.reconcile(service, proposal))

    const { readers, outside } = await everythingTold(world, heard)

    expect((await world.stored(proposal)).proposal.status).toBe('verified')
    expect(readers).toContain(SHOWN)
    expect(readers).not.toContain(PRIVATE)
    expect(outside).not.toContain('canary')
    expectNothingInFiles(world)
  })

  it('invariant I23: drift names paths and no values, and a replacement keeps what is private', async () => {
    const { world, heard } = await openEars(store)
    const { resolve } = world.action.methods
    const { proposal, commitment } = await world.runtime.prepare(requester, input(world))
    await world.runtime.approve(finance1, proposal, { commitment })
    world.action.business.customer = `${PRIVATE} moved`
    world.action.business.refunded = { amount: '31.00', currency: 'EUR' }
    world.action.methods.resolve = async (given) => {
      const found = await resolve(given)
      return unsound({ ...found, replacement: found.current })
    }
    await hear(heard, world.runtime.check(finance1, proposal))
    await hear(heard, world.runtime.execute(requester, proposal))

    const { readers, outside } = await everythingTold(world, heard)

    expect(readers).toContain('/customer')
    expect(heard.told[0]).not.toContain('/customer')
    expect(readers).not.toContain(PRIVATE)
    expect(outside).not.toMatch(/canary|31\.00/)
    expectNothingInFiles(world)
  })

  it('invariant I23: no refusal and no failure tells anything, whoever caused it', async () => {
    const { world, heard } = await openEars(store)
    const { runtime, action, keyring } = world
    const good = { ...action.methods }
    const { proposal, commitment } = await runtime.prepare(requester, { ...input(world), requestKey: 'key' })
    const fail = (): never => {
      throw new Error(`${PRIVATE} and ${SHOWN}`)
    }
    const prepare = async (fields: Readonly<Record<string, unknown>>): Promise<unknown> =>
      hear(heard, runtime.prepare(requester, input(world, fields)))

    await prepare({ amount: PRIVATE })
    await prepare({ [PRIVATE]: 1 })
    await prepare({ memo: `${PRIVATE}\uD800` })
    await prepare({ memo: PRIVATE.repeat(10_000) })
    await hear(heard, runtime.prepare(requester, { ...input(world), requestKey: 'key' }))
    await hear(heard, runtime.prepare(requester, { ...input(world), requestKey: `${PRIVATE} ` }))
    await hear(heard, runtime.prepare(requester, { ...input(world), replaces: PRIVATE }))
    await hear(heard, runtime.prepare(requester, { ...input(world), action: PRIVATE }))
    action.methods.prepare = async () => {
      throw new PreparationRefused(`because of ${PRIVATE}`)
    }
    await prepare({})
    expect(heard.errors.at(-1)).toContain('preparation_failed')
    for (const [name, spoiled] of Object.entries({
      prepare: async () => fail(),
      preview: fail,
      can: fail,
    })) {
      Object.assign(action.methods, good, { [name]: spoiled })
      await prepare({})
    }
    for (const part of [
      { snapshot: PRIVATE },
      { effectReference: ` ${PRIVATE}` },
      { effectReference: SHOWN },
      { subject: `${PRIVATE}\n` },
      { [PRIVATE]: PRIVATE },
    ]) {
      action.methods.prepare = async (given) => unsound({ ...(await good.prepare(given)), ...part })
      await prepare({})
    }
    Object.assign(action.methods, good)
    await hear(heard, runtime.approve(finance1, proposal, { commitment: PRIVATE, comment: PRIVATE }))
    await hear(heard, runtime.approve(finance1, proposal, { commitment, comment: PRIVATE.repeat(1_000) }))
    await hear(heard, runtime.withdraw(requester, proposal, { reason: PRIVATE }))
    await hear(heard, runtime.list(reader, { subject: `${PRIVATE} `, after: PRIVATE }))
    await hear(heard, runtime.list(reader, { after: PRIVATE }))
    await hear(heard, runtime.read(stranger, PRIVATE))
    await hear(heard, runtime.read({ ...reader, tenant: ` ${PRIVATE}` }, proposal))
    await hear(heard, runtime.revokeApproval(finance2, proposal, PRIVATE))
    const resolve = keyring.resolve.bind(keyring)
    keyring.resolve = async () => {
      throw new KeyUnavailable('denied', { cause: new Error(PRIVATE) })
    }
    await hear(heard, runtime.approve(finance1, proposal, { commitment }))
    await hear(heard, runtime.check(operator, proposal))
    keyring.resolve = resolve
    world.faults.at(1, 'refused')
    await hear(heard, runtime.approve(finance1, proposal, { commitment, comment: PRIVATE }))

    expect(heard.told).toEqual([])
    expect(heard.errors.length).toBeGreaterThan(25)
    expect(heard.errors.join('\n')).not.toContain('canary')
    const { readers, outside } = await everythingTold(world, heard)
    expect(readers).not.toContain(PRIVATE)
    expect(outside).not.toContain('canary')
    expectNothingInFiles(world)
  })
})
