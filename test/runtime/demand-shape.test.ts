// Misuse from where no compiler looked: each is answered with a sentence, and not with what JavaScript says.
import { describe, expect, it } from 'vitest'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { assertSuitableNode } from '../../src/runtime/suitable-node.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { openWorld, refused, unsound } from './harness.ts'
import { TestAction } from './refund.ts'
import { finance1, operator, privacy, requester, service } from './sessions.ts'

describe('ProposalRuntime.open', () => {
  const sound = { store: memoryStore(), keyring: ephemeralKeyring(), actions: [] }

  it.each([
    ['no options', undefined, 'A runtime is opened with { store, keyring, actions }.'],
    ['no store', { ...sound, store: undefined }, 'A runtime needs a store, such as memoryStore()'],
    [
      'a store without its await',
      { ...sound, store: Promise.resolve() },
      'The store is a promise: an await is missing.',
    ],
    ['no keyring', { ...sound, keyring: {} }, 'A runtime needs a keyring, such as await keyringFile(path).'],
    ['a keyring without its await', { ...sound, keyring: Promise.resolve() }, 'The keyring is a promise'],
    ['no actions', { ...sound, actions: undefined }, 'A runtime needs "actions": a list of actions.'],
    ['a class', { ...sound, actions: [TestAction] }, 'A runtime needs actions, not their classes'],
    ['what is no action', { ...sound, actions: [{}] }, 'The action cannot be registered'],
  ])('refuses %s with a sentence', async (_what, options, sentence) => {
    const error = await refused(ProposalRuntime.open(unsound(options)))

    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toContain(sentence)
  })

  it.each(['20.19.0', '22.17.1', '18.0.0'])('refuses Node %s', (version) => {
    expect(() => assertSuitableNode(version)).toThrow(`Countersign needs Node 22.18 or newer; this is Node ${version}.`)
  })

  it.each(['22.18.0', '23.0.0', '24.1.0'])('takes Node %s', (version) => {
    expect(() => assertSuitableNode(version)).not.toThrow()
  })
})

describe('an operation', () => {
  it('without its input names what is missing', async () => {
    const world = await openWorld({ store: 'memory' })
    const { runtime } = world
    const { proposal } = await world.approvedProposal()
    const none = unsound<never>(null)
    const answers = await Promise.all(
      [
        runtime.prepare(requester, none),
        runtime.approve(finance1, proposal, none),
        runtime.reject(finance1, proposal, unsound(null)),
        runtime.resume(operator, proposal, none),
        runtime.settle(operator, proposal, none),
        runtime.observe(service, none),
        runtime.erase(privacy, proposal, none),
      ].map(async (operation) => (await refused(operation))['path']),
    )

    expect(answers).toEqual(['/action', '/commitment', '/commitment', '/reason', '/verdict', '/eventId', '/reason'])
  })

  it('without a session says so', async () => {
    const world = await openWorld({ store: 'memory' })

    expect(await refused(world.runtime.prepare(unsound(null), world.input()))).toMatchObject({
      code: 'malformed_reference',
      path: '/session',
    })
  })
})

it('a SQLite store without a path says that it needs one', async () => {
  expect((await refused(sqliteStore(unsound(null)))).message).toContain('named by its path')
})

it('who may not do something is told what', async () => {
  const world = await openWorld({ store: 'memory' })
  const { proposal } = await world.prepared()
  const { runtime } = world

  const acts = await Promise.all(
    [
      runtime.check(requester, proposal),
      runtime.execute(operator, proposal),
      runtime.withdraw(finance1, proposal),
      runtime.erase(operator, proposal, { reason: 'asked_for' }),
    ].map(async (operation: Promise<unknown>) => (await refused(operation))['act']),
  )

  expect(acts).toEqual(['check', 'execute', 'operate', 'erase'])
})
