// Traces that no other file has as its subject: sequences that must not be possible, each by its number.
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openExecution } from '../runtime/execution-world.ts'
import { answerOf, refused, unsound } from '../runtime/harness.ts'
import { agent, agentOwner, finance1, requester, service, session } from '../runtime/sessions.ts'
import { dropBefore, lookWhenDue } from './steps.ts'

const privacy = session('user:paula', ['privacy-officer', 'auditor'])
/** Two approved proposals whose order has moved, and a host that offers the state as it is now. */
async function openDrifted() {
  const world = await openExecution({ store: 'memory' })
  const drifted = [await world.approved('first'), await world.approved('second')]
  const { resolve } = world.action.methods
  world.action.methods.resolve = async (input) => {
    const resolved = await resolve(input)
    return { ...resolved, replacement: unsound(resolved.current) }
  }
  world.action.business.orderVersion += 1
  return { world, drifted }
}

/** The invariants find an effect by its proposals that are live; of an erased one the call alone is left. */
const erased = { except: ['I11'] } as const

describe('trace S11: a renamed action runs everything again', () => {
  const renamed = { type: 'example.payments/refund@2', effectDomain: 'example.payments/refunds' }

  it('trace S11 another domain is refused, unless the former one is named', async () => {
    const world = await openExecution({ store: 'memory' })

    await expect(world.open({ actions: [world.actionWith(renamed)] })).rejects.toMatchObject({
      problems: [{ path: '/effectDomain' }],
    })
  })

  it('trace S11 under the new domain the effect of the former one is found, and not made again', async () => {
    const world = await openExecution({ store: 'memory' })
    const first = await world.approved('once')
    await world.execute(first)
    await lookWhenDue(world, first)

    const action = world.actionWith({ ...renamed, formerDomains: ['example.payments/refund'] })
    const deployed = await world.open({ actions: [action] })
    const again = await deployed.prepare(requester, { ...world.input({ intent: 'once' }), action: renamed.type })

    expect([again.outcome, again.proposal]).toEqual(['replayed', first])
    expect(action.calls.execute).toBe(0)
  })

  it('trace S11 an action under another name that names the domain finds what was done under the first one', async () => {
    const world = await openExecution({ store: 'memory' })
    const first = await world.approved('once')
    await world.execute(first)
    await lookWhenDue(world, first)

    const action = world.actionWith({ type: 'example.payments/payback@1', effectDomain: 'example.payments/refund' })
    const deployed = await world.open({ actions: [action, world.action] })
    const again = await deployed.prepare(requester, {
      ...world.input({ intent: 'once' }),
      action: action.contract.type,
    })

    // Another action is another content, whatever its command says.
    expect([again.outcome, again.proposal]).toEqual(['conflict', first])
    expect(action.calls.execute).toBe(0)
  })

  it('trace S11 what was approved before the domain changed is not executed beside what is done in the new one', async () => {
    const world = await openExecution({ store: 'memory' })
    const pending = await world.approved('once')
    const action = world.actionWith({ ...renamed, formerDomains: ['example.payments/refund'] })
    const deployed = await world.open({ actions: [action] })
    const again = await deployed.prepare(requester, { ...world.input({ intent: 'once' }), action: renamed.type })
    await deployed.approve(finance1, again.proposal, { commitment: again.commitment })
    await deployed.execute(requester, again.proposal)

    expect(await answerOf(world.execute(pending))).toBe('blocked definition_changed')
    expect([world.action.calls.execute, action.calls.execute]).toEqual([0, 1])
  })
})

describe('trace S16: retention and request keys reopen the door', () => {
  it('trace S16 after erasure the request key still stands for the first proposal, whatever prepare would mint', async () => {
    const world = await openExecution({ store: 'sqlite', ...erased })
    const { prepare } = world.action.methods
    let minted = 0
    world.action.methods.prepare = async (input) => {
      minted += 1
      return { ...(await prepare(input)), effectReference: input.effect.derive('intent', String(minted)) }
    }
    const input = { ...world.input(), requestKey: 'request-1' }
    const { proposal, commitment } = await world.runtime.prepare(requester, input)
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.execute(proposal)
    await lookWhenDue(world, proposal)
    await world.clock.advance(400 * 86_400_000)
    await world.runtime.erase(privacy, proposal, { reason: 'retention_over' })

    await answerOf(world.runtime.prepare(requester, input))

    expect(minted).toBe(1)
    expect(world.action.calls.execute).toBe(1)
  })
})

it('trace S17 a model that words the same intent anew makes another effect, and is held back while the first is in doubt', async () => {
  const policy = {
    require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }],
    whileRelatedInDoubt: 'block',
  }
  const world = await openExecution({ store: 'memory', contract: { policy } })
  const first = await world.approved('damaged item')
  world.action.methods.execute = dropBefore
  await world.execute(first)

  const second = await world.approved('refund: damaged item')

  expect(await world.runtime.read(finance1, second)).toMatchObject({
    related: [{ proposal: first, sameEffect: false }],
  })
  expect(await answerOf(world.execute(second))).toBe('blocked related_in_doubt')
  expect(world.action.calls.execute).toBe(1)
})

describe('trace S23: an agent escapes exclusions', () => {
  it('trace S23 who proposes is who the session says, whatever the request says of it', async () => {
    const world = await openExecution({ store: 'memory' })
    const claimed = { requester: { kind: 'user', id: 'rita' }, agent: null, proposingAgent: null }

    const { proposal, commitment } = await world.runtime.prepare(agent, unsound({ ...world.input(), ...claimed }))

    expect((await world.stored(proposal)).proposal).toMatchObject({
      requester: agent.principal,
      agent: agent.principal,
      agentOwner: agentOwner.principal,
    })
    expect(await answerOf(world.runtime.approve(agentOwner, proposal, { commitment }))).toBe('separation_of_duties')
  })

  it('trace S23 a service does not approve by its role, and an agent never', async () => {
    const world = await openExecution({ store: 'memory' })
    const { proposal, commitment } = await world.prepared()
    const others = [
      session('service:batch', ['finance-manager']),
      session('agent:other', ['finance-manager'], { owner: finance1.principal }),
    ]

    for (const other of others) await answerOf(world.runtime.approve(other, proposal, { commitment }))

    expect(await answerOf(world.execute(proposal))).toBe('approval_pending')
    expect(world.action.calls.execute).toBe(0)
  })
})

it('trace S41 a prepare whose answer was lost left the keys where the proposal is, or neither', async () => {
  const world = await openExecution({ store: 'sqlite' })
  for (const fault of ['lost', 'lost_before'] as const) {
    const input = { ...world.input(), requestKey: `request-${fault}` }
    world.faults.at(1, fault)
    expect(await answerOf(world.runtime.prepare(requester, input))).toBe('persistence_outcome_unknown')

    const { outcome, proposal, commitment } = await world.runtime.prepare(requester, input)

    expect(outcome).toBe(fault === 'lost' ? 'replayed' : 'prepared')
    // Whoever approves opens what is stored with the key that is stored.
    expect((await world.runtime.approve(finance1, proposal, { commitment })).outcome).toBe('approved')
  }
})

it('trace S43 erased is said when no reader keeps the file from being cleaned, and never of a copy', async () => {
  const world = await openExecution({ store: 'sqlite' })
  const { proposal } = await world.prepared()
  const reader = new Database(world.path ?? '', { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM proposals').get()

  const early = await world.runtime.erase(privacy, proposal, { reason: 'customer_request' })
  expect(await world.runtime.read(privacy, proposal)).toMatchObject({ kind: 'erased' })
  reader.exec('COMMIT')
  reader.close()
  const late = await world.runtime.erase(privacy, proposal, { reason: 'customer_request' })

  expect(early).toMatchObject({ outcome: 'erasure_deferred', reason: 'files_in_use', backups: 'not_covered' })
  expect(late).toMatchObject({ outcome: 'erased', backups: 'not_covered' })
})

it('trace S44 what a fresh proposal differs in is computed when it is read, and goes with the content that is erased', async () => {
  const world = await openExecution({ store: 'sqlite' })
  const first = await world.prepared(requester, world.input({ intent: 'amended' }))
  const amended = world.input({ intent: 'amended', amount: { amount: '11.00', currency: 'EUR' } })
  const { proposal } = await world.prepared(requester, { ...amended, replaces: first.proposal })
  expect(await world.runtime.read(finance1, proposal)).toMatchObject({
    changedSinceReplaced: [{ path: '/amount/amount', before: '10.00', after: '11.00' }],
  })

  await world.runtime.erase(privacy, first.proposal, { reason: 'customer_request' })

  expect(await world.runtime.read(finance1, proposal)).toMatchObject({ changedSinceReplaced: [] })
})

describe('trace S56: smaller items', () => {
  it('trace S56 the attempts of an effect are counted over all its proposals', async () => {
    const world = await openExecution({
      store: 'memory',
      contract: { attemptsMax: 1, acceptProof: { resend: ['terminal'] } },
    })
    const first = await world.approved('once')
    world.action.methods.execute = async () => ({ status: 'failed_known', reason: 'card_expired' })
    await world.execute(first)

    const fresh = await world.approved('once')

    expect(await answerOf(world.execute(fresh))).toBe('blocked attempts_spent')
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S56 a chain of replacements ends', async () => {
    const world = await openExecution({ store: 'memory' })
    let last = await world.prepared()
    for (let links = 0; links < 50; links += 1) {
      last = await world.prepared(requester, { ...world.input(), replaces: last.proposal })
    }

    const oneMore = world.prepared(requester, { ...world.input(), replaces: last.proposal })

    expect(await answerOf(oneMore)).toBe('invalid_preparation')
    expect((await world.stored(last.proposal)).proposal.status).toBe('awaiting_approval')
  })

  it('trace S56 a replacement comes about only by who may prepare one; the drift is told all the same', async () => {
    const { world, drifted } = await openDrifted()
    const byExecutor = await world.runtime.execute(service, drifted[0] ?? '')
    const byRequester = await world.execute(drifted[1] ?? '')

    expect(byExecutor).toMatchObject({ outcome: 'stale', reason: 'material_drift', replacedBy: null })
    expect([byRequester.outcome, byRequester.replacedBy === null]).toEqual(['stale', false])
    expect(world.action.calls.execute).toBe(0)
    const { receipts } = await world.runtime.receipts(finance1, drifted[0] ?? '')
    expect(receipts.at(-1)?.body?.detail).toContain('replacement_dropped')
  })

  it('trace S56 while nobody knows who may prepare nothing is final, and the next execution stores both', async () => {
    const { world, drifted } = await openDrifted()
    const [proposal = ''] = drifted
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      if (act === 'prepare') throw new Error('directory down')
      return can(act, caller, view)
    }

    expect(await answerOf(world.execute(proposal))).toBe('blocked authorization_unavailable')
    world.action.methods.can = can
    const { outcome, replacedBy } = await world.execute(proposal)
    expect([outcome, replacedBy === null]).toEqual(['stale', false])
  })

  it('trace S56 a chain of replacements at drift ends: the last one is dropped, and the drift is told', async () => {
    const { world, drifted } = await openDrifted()
    let [last = ''] = drifted
    for (let links = 0; links < 50; links += 1) {
      const { replacedBy } = await world.execute(last)
      last = replacedBy ?? ''
      const { commitment } = (await world.stored(last)).proposal
      await world.runtime.approve(finance1, last, { commitment })
      world.action.business.orderVersion += 1
    }

    expect(await world.execute(last)).toMatchObject({ outcome: 'stale', replacedBy: null })
    expect(world.action.calls.execute).toBe(0)
  })

  it('trace S56 an erased proposal is shown as that to who may read it, and to nobody else', async () => {
    const world = await openExecution({ store: 'memory' })
    const { proposal } = await world.prepared()
    await world.runtime.erase(privacy, proposal, { reason: 'customer_request' })

    expect(await world.runtime.read(finance1, proposal)).toMatchObject({ kind: 'erased' })
    expect((await refused(world.runtime.read(session('user:sam', []), proposal)))['code']).toBe('not_found')
  })
})
