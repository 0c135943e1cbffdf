// Sessions: who calls is checked before anything else, in every operation alike.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { answerOf, openWorld, refused, unsound, type World } from './harness.ts'
import { agent, finance1, requester, session } from './sessions.ts'

const operations: Readonly<Record<string, (world: World, by: Session, ref: string) => Promise<unknown>>> = {
  prepare: async (world, by) => world.runtime.prepare(by, world.input()),
  approve: async (world, by, ref) => world.runtime.approve(by, ref, { commitment: '' }),
  reject: async (world, by, ref) => world.runtime.reject(by, ref, { commitment: '' }),
  revokeApproval: async (world, by, ref) => world.runtime.revokeApproval(by, ref, 'x'),
  withdraw: async (world, by, ref) => world.runtime.withdraw(by, ref),
  check: async (world, by, ref) => world.runtime.check(by, ref),
  execute: async (world, by, ref) => world.runtime.execute(by, ref),
  reconcile: async (world, by, ref) => world.runtime.reconcile(by, ref),
  read: async (world, by, ref) => world.runtime.read(by, ref),
  list: async (world, by) => world.runtime.list(by),
  receipts: async (world, by, ref) => world.runtime.receipts(by, ref),
  expireDue: async (world, by) => world.runtime.expireDue(by),
}

const malformed: readonly (readonly [title: string, fields: Record<string, unknown>, path: string])[] = [
  ['an empty tenant', { tenant: '' }, '/session/tenant'],
  ['a padded tenant', { tenant: 'acme ' }, '/session/tenant'],
  ['a tenant that is not NFC', { tenant: 'cafe\u0301' }, '/session/tenant'],
  ['a tenant with a zero width space', { tenant: 'ac\u200Bme' }, '/session/tenant'],
  ['no tenant', { tenant: undefined }, '/session/tenant'],
  ['a tenant that is a number', { tenant: 7 }, '/session/tenant'],
  ['an unknown kind', { principal: { kind: 'admin', id: 'x' } }, '/session/principal/kind'],
  ['a kind in capitals', { principal: { kind: 'User', id: 'x' } }, '/session/principal/kind'],
  ['a kind of Object.prototype', { principal: { kind: 'constructor', id: 'x' } }, '/session/principal/kind'],
  ['an empty name', { principal: { kind: 'user', id: '' } }, '/session/principal/id'],
  ['a name with a line break', { principal: { kind: 'user', id: 'a\nb' } }, '/session/principal/id'],
  ['a name that is a list', { principal: { kind: 'user', id: ['rita'] } }, '/session/principal/id'],
  ['an owner of an unknown kind', { owner: { kind: 'boss', id: 'x' } }, '/session/owner/kind'],
  ['an owner without a name', { owner: { kind: 'user' } }, '/session/owner/id'],
  ['an empty role', { roles: ['support', ''] }, '/session/roles/1'],
  ['a role that is a number', { roles: [7] }, '/session/roles/0'],
  ['a padded assurance', { assurance: [' mfa'] }, '/session/assurance/0'],
]

describe('a session', () => {
  it.each(malformed)(
    'with %s is refused by every operation, before anything is looked up',
    async (_title, fields, path) => {
      const world = await openWorld({ store: 'memory' })
      const { proposal } = await world.prepared()
      const asked = world.action.asked.length

      for (const run of Object.values(operations)) {
        const error = await refused(run(world, unsound({ ...requester, ...fields }), proposal))
        expect(error).toMatchObject({ name: 'MalformedReference', code: 'malformed_reference', path })
      }
      expect(world.action.asked).toHaveLength(asked)
    },
  )

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['a text', 'user:rita'],
    ['without a principal', { ...requester, principal: undefined }],
    ['without roles', { ...requester, roles: undefined }],
    ['with a text for roles', { ...requester, roles: 'support' }],
    ['without assurance', { ...requester, assurance: undefined }],
  ])('that is %s is misuse, and does nothing', async (_title, by) => {
    const world = await openWorld({ store: 'memory' })

    for (const run of Object.values(operations)) {
      const error = await refused(run(world, unsound(by), 'x'))
      expect(error instanceof TypeError || error['code'] === 'malformed_reference').toBe(true)
    }
    expect(world.faults.changes).toEqual([])
  })

  it('speaks for itself: nothing in a prepare input or a decision changes who it is', async () => {
    const world = await openWorld({ store: 'memory' })
    const input = {
      ...world.input(),
      tenant: 'globex',
      requester: { kind: 'user', id: 'eve' },
      agent: null,
      status: 'approved',
      approvals: [1],
    }
    const { proposal, commitment } = await world.runtime.prepare(agent, unsound(input))
    const decision = { commitment, approver: { kind: 'user', id: 'eve' }, rolesAtDecision: ['director'], decidedAt: 7 }

    await world.runtime.approve(finance1, proposal, unsound(decision))

    const { proposal: stored, approvals } = await world.stored(proposal)
    expect(stored).toMatchObject({ tenant: 'acme', requester: { id: 'bot' }, agent: { id: 'bot' }, revision: 1 })
    expect(approvals).toMatchObject([{ approver: { id: 'fiona' }, rolesAtDecision: ['finance-manager'] }])
  })

  it('of an agent may have no owner; then only the agent itself is excluded', async () => {
    const world = await openWorld({ store: 'memory' })
    const { proposal } = await world.prepared(session('agent:bot', ['support']))

    expect((await world.stored(proposal)).proposal).toMatchObject({ agentOwner: null })
  })

  it('keeps kinds apart: a service and an agent of the requester’s name are other principals', async () => {
    const world = await openWorld({ store: 'memory' })
    const { proposal, commitment } = await world.prepared(session('service:rita', ['support']))
    const namesake = session('user:rita', ['finance-manager'])

    expect(await answerOf(world.runtime.approve(namesake, proposal, { commitment }))).toBe('approved')
  })
})
