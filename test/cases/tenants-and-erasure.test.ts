// Cases I: tenants and erasure. Nothing crosses a border, and what is erased is gone, while what happened stays known.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commitThenDrop, lookWhenDue, standing } from './steps.ts'
import { type ExecutionWorld, openExecution } from '../runtime/execution-world.ts'
import { answerOf, refused, STORES } from '../runtime/harness.ts'
import { refund } from '../runtime/refund.ts'
import { elsewhere, finance1, OTHER_TENANT, reader, requester, session } from '../runtime/sessions.ts'

const privacy = session('user:paula', ['privacy-officer', 'auditor'])
/** The invariants find an effect by its proposals that are live; of an erased one the call alone is left. */
const erased = { except: ['I11'] } as const
const evidence = { permissions: { ...refund.permissions, evidence: 'auditor' } }

describe('case C120: approve and reject work across tenants, and error texts tell what exists', () => {
  const admin = session('user:adam', [
    'support',
    'finance-manager',
    'director',
    'operator',
    'executor',
    'auditor',
    'privacy-officer',
  ])

  it('case C120 another tenant’s administrator is told the same of what exists and of what does not', async () => {
    const world = await openExecution({ store: 'memory', contract: evidence })
    const { proposal, commitment } = await world.prepared()
    const before = await world.stored(proposal)
    const { runtime } = world
    const foreign = elsewhere(admin)
    const acts: readonly ((ref: string) => Promise<unknown>)[] = [
      async (ref) => runtime.read(foreign, ref),
      async (ref) => runtime.approve(foreign, ref, { commitment }),
      async (ref) => runtime.reject(foreign, ref, { commitment }),
      async (ref) => runtime.withdraw(foreign, ref),
      async (ref) => runtime.check(foreign, ref),
      async (ref) => runtime.execute(foreign, ref),
      async (ref) => runtime.reconcile(foreign, ref),
      async (ref) => runtime.erase(foreign, ref, { reason: 'customer_request' }),
      async (ref) => runtime.receipts(foreign, ref),
      async (ref) => runtime.exportEvidence(foreign, ref),
      async (ref) => runtime.settle(foreign, ref, { verdict: 'occurred', reason: 'a', evidenceReference: 'b' }),
    ]

    for (const act of acts) {
      const [exists, not] = [await refused(act(proposal)), await refused(act('01ARZ3NDEKTSV4RRFFQ69G5FAV'))]
      expect(exists['code']).toBe('not_found')
      expect(exists).toEqual(not)
    }
    expect(await runtime.list(foreign)).toMatchObject({ items: [] })
    expect(await world.stored(proposal)).toEqual(before)
    // The same person in the tenant itself is let in.
    expect(await runtime.read(admin, proposal)).toMatchObject({ proposal })
  })

  it('case C120 request keys are each tenant’s own, and so are effects', async () => {
    const world = await openExecution({ store: 'memory' })
    const input = { ...world.input({ intent: 'the same' }), requestKey: 'request-1' }

    const [here, there] = [
      await world.runtime.prepare(requester, input),
      await world.runtime.prepare(elsewhere(requester), input),
    ]

    expect([here.outcome, there.outcome]).toEqual(['prepared', 'prepared'])
    const effects = [await world.stored(here.proposal), await world.stored(there.proposal, OTHER_TENANT)]
    expect(new Set(effects.map(({ proposal }) => proposal.effect.reference)).size).toBe(2)
  })
})

/** Everything that lies beside the database, as bytes. */
function filesOf(world: ExecutionWorld): readonly Buffer[] {
  const path = world.path ?? ''
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))
  return names.map((name) => readFileSync(join(dirname(path), name)))
}

describe('case C122: anonymising a user breaks the hash chain and still leaves his address elsewhere', () => {
  const address = 'carla@customer.example'

  it('case C122 after erasure the chain holds, the address is nowhere, and what happened is still known', async () => {
    const world = await openExecution({ store: 'sqlite', contract: evidence, ...erased })
    world.action.business.customer = address
    const input = { ...world.input({ memo: `write to ${address}` }), requestKey: 'request-1' }
    const { proposal, commitment } = await world.runtime.prepare(requester, input)
    await world.runtime.approve(finance1, proposal, { commitment, comment: `${address} called` })
    const { execute } = world.action.methods
    world.action.methods.execute = async (request) => {
      await execute(request)
      throw new Error(`timeout while paying ${address}`)
    }
    await world.execute(proposal)
    await lookWhenDue(world, proposal)
    const { key, content } = await world.stored(proposal)
    const traces = [
      Buffer.from(address),
      Buffer.from(key.wrapped),
      Buffer.from(content.snapshot),
      Buffer.from(content.preview),
    ]
    const found = (): readonly number[] =>
      traces.map((trace) => filesOf(world).filter((file) => file.includes(trace)).length)
    expect(found().slice(1)).not.toContain(0)

    expect(await answerOf(world.runtime.erase(privacy, proposal, { reason: 'customer_request' }))).toBe('erased')

    expect(found()).toEqual([0, 0, 0, 0])
    const shown = await world.runtime.read(reader, proposal)
    expect(shown).toMatchObject({
      kind: 'erased',
      tombstone: {
        action: 'example.payments/refund@1',
        status: 'verified',
        evidence: 'CONFIRMED',
        reason: 'customer_request',
        metRequirements: ['finance'],
        attemptCount: 1,
      },
    })
    const { check } = await world.runtime.receipts(reader, proposal)
    expect(check.integrity).toEqual([])
    const bundle = JSON.stringify([shown, await world.runtime.exportEvidence(reader, proposal)])
    expect(bundle).not.toContain(address)
    expect(bundle).not.toContain('fiona')
  })

  it('case C122 what is erased is not executed, and neither its request nor its effect begins anew', async () => {
    const world = await openExecution({ store: 'sqlite', ...erased })
    const input = { ...world.input({ intent: 'once' }), requestKey: 'request-1' }
    const { proposal, commitment } = await world.runtime.prepare(requester, input)
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.execute(proposal)
    await lookWhenDue(world, proposal)
    await world.runtime.erase(privacy, proposal, { reason: 'customer_request' })

    expect(await answerOf(world.execute(proposal))).toBe('not_found')
    expect(await answerOf(world.runtime.prepare(requester, input))).toMatch(/^(?:replayed|not_found)/)
    const sameEffect = await answerOf(world.runtime.prepare(requester, world.input({ intent: 'once' })))
    expect(sameEffect).toMatch(/^(?:replayed|effect_already_completed)/)
    expect(world.action.calls.execute).toBe(1)
  })
})

describe.each(STORES)('case C124 on %s: erasure of a proposal whose outcome is unknown', (store) => {
  it('case C124 it is deferred, what is needed to look stays, and it is done once the outcome is known', async () => {
    const world = await openExecution({ store, ...erased })
    const ref = await world.approved('refund')
    world.action.methods.execute = commitThenDrop(world)
    await world.execute(ref)

    expect(await world.runtime.erase(privacy, ref, { reason: 'customer_request' })).toMatchObject({
      outcome: 'erasure_deferred',
      reason: 'effect_unsettled',
    })
    expect((await lookWhenDue(world, ref)).status).toBe('verified')
    const done = await world.runtime.eraseDue(privacy)

    expect(done.map(({ proposal, outcome }) => [proposal, outcome])).toEqual([[ref, 'erased']])
    expect(await world.runtime.read(reader, ref)).toMatchObject({
      kind: 'erased',
      tombstone: { evidence: 'CONFIRMED' },
    })
  })

  it('case C124 while the call is under way it is deferred too, and the result is still recorded', async () => {
    const world = await openExecution({ store, ...erased })
    const ref = await world.approved('refund')
    const { execute } = world.action.methods
    world.action.methods.execute = async (input) => {
      await world.runtime.erase(privacy, ref, { reason: 'tenant_left' })
      return execute(input)
    }

    const executed = await world.execute(ref)
    expect(standing(executed)).toBe('in doubt')
    await lookWhenDue(world, ref)
    await world.runtime.eraseDue(privacy)

    expect(await world.runtime.read(reader, ref)).toMatchObject({
      kind: 'erased',
      tombstone: { status: 'verified', evidence: 'CONFIRMED', attemptCount: 1 },
    })
  })

  it('case C124 under a duty to keep it is refused with that reason', async () => {
    const world = await openExecution({ store })
    Object.defineProperty(world.action, 'isHeld', { value: async () => true })
    const held = await world.open()
    const { proposal } = await world.prepared()

    expect(await answerOf(held.erase(privacy, proposal, { reason: 'customer_request' }))).toBe('erasure_held')
    expect(await world.stored(proposal)).toMatchObject({ proposal: { erasure: 'none' } })
  })
})
