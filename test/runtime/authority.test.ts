// Authority: every operation asks for its rights, refuses without them, and takes nothing but a clear yes.
import { describe, expect, it } from 'vitest'
import { type Act, ACTS } from '../../src/proposal/contract.ts'
import type { Session } from '../../src/proposal/session.ts'
import { answerOf, matching, MINUTE_MS, openWorld, refused, STORES, unsound, type World } from './harness.ts'
import { refund } from './refund.ts'
import { agent, finance1, operator, reader, requester, service, stranger } from './sessions.ts'

/** One operation on a proposal that awaits approval, the rights that it asks for, and how each is refused. */
interface Operation {
  readonly name: string
  readonly by: Session
  readonly needs: Partial<Record<Act, string>>
  readonly run: (world: World, by: Session, ref: string, commitment: string) => Promise<string>
}

const operations: readonly Operation[] = [
  {
    name: 'prepare',
    by: stranger,
    needs: { prepare: 'not_permitted' },
    run: async (world, by) => answerOf(world.runtime.prepare(by, world.input())),
  },
  {
    name: 'approve',
    by: finance1,
    needs: { read: 'not_found', decide: 'decision_not_permitted' },
    run: async ({ runtime }, by, ref, commitment) => answerOf(runtime.approve(by, ref, { commitment })),
  },
  {
    name: 'reject',
    by: finance1,
    needs: { read: 'not_found', decide: 'decision_not_permitted' },
    run: async ({ runtime }, by, ref, commitment) => answerOf(runtime.reject(by, ref, { commitment })),
  },
  {
    name: 'withdraw, of one’s own',
    by: requester,
    needs: { read: 'not_found', withdraw: 'not_permitted' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.withdraw(by, ref)),
  },
  {
    name: 'withdraw, of another’s',
    by: operator,
    needs: { read: 'not_found', operate: 'not_permitted', withdraw: 'not_permitted' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.withdraw(by, ref)),
  },
  {
    name: 'check',
    by: reader,
    needs: { read: 'not_found', check: 'not_permitted' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.check(by, ref)),
  },
  {
    name: 'execute',
    by: service,
    needs: { read: 'not_found', execute: 'not_permitted' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.execute(by, ref)),
  },
  {
    name: 'reconcile',
    by: service,
    needs: { read: 'not_found', reconcile: 'not_permitted' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.reconcile(by, ref)),
  },
  {
    name: 'read',
    by: reader,
    needs: { read: 'not_found' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.read(by, ref).then(({ kind }) => ({ outcome: kind }))),
  },
  {
    name: 'receipts',
    by: reader,
    needs: { read: 'not_found' },
    run: async ({ runtime }, by, ref) => answerOf(runtime.receipts(by, ref).then(() => ({ outcome: 'shown' }))),
  },
  {
    name: 'list',
    by: reader,
    needs: { list: 'left out', read: 'left out' },
    run: async ({ runtime }, by, ref) => {
      const { items } = await runtime.list(by)
      return items.some(({ proposal }) => proposal === ref) ? 'listed' : 'left out'
    },
  },
  {
    name: 'expireDue',
    by: service,
    needs: { reconcile: 'left out' },
    run: async ({ runtime, clock }, by, ref) => {
      await clock.advance(10 * MINUTE_MS)
      const { expired } = await runtime.expireDue(by)
      return expired.some((one) => one === ref) ? 'expired' : 'left out'
    },
  },
]

/** What no compiler checks: everything that JavaScript would take for a yes, and a few clear noes. */
const answersThatAreNoYes: readonly (readonly [string, unknown])[] = [
  ['the text true', 'true'],
  ['one', 1],
  ['an object', {}],
  ['a list', [true]],
  ['a boxed true', new Object(true)],
  ['a promise of a text', Promise.resolve('yes')],
  ['a promise of false', Promise.resolve(false)],
  ['nothing', undefined],
  ['null', null],
  ['false', false],
]

/** A world in which exactly these acts are allowed to whoever the operation is by, and a proposal of the requester. */
async function worldWith(store: 'memory' | 'sqlite', granted: readonly Act[]) {
  const world = await openWorld({ store })
  const { proposal, commitment } = await world.prepared()
  world.action.methods.can = (act) => granted.includes(act)
  return { world, proposal, commitment }
}

describe.each(STORES)('rule R14 on %s', (store) => {
  it.each(operations)('rule R14: $name asks for its rights and for no other', async ({ by, needs, run }) => {
    const needed = ACTS.filter((act) => act in needs)

    const { world, proposal, commitment } = await worldWith(store, needed)

    const answer = await run(world, by, proposal, commitment)
    expect(Object.values(needs)).not.toContain(answer)
    expect(new Set(world.action.asked.slice(1).map(({ act }) => act))).toEqual(new Set(needed))
  })

  it.each(operations.flatMap((one) => Object.entries(one.needs).map(([act, answer]) => ({ ...one, act, answer }))))(
    'rule R14: $name without the right to $act answers $answer, whatever else is allowed',
    async ({ by, run, act, answer }) => {
      const { world, proposal, commitment } = await worldWith(
        store,
        ACTS.filter((one) => one !== act),
      )
      const before = await world.stored(proposal)

      expect(await run(world, by, proposal, commitment)).toBe(answer)
      expect(await world.stored(proposal)).toEqual(before)
    },
  )

  it.each(operations)('rule R14: $name is refused where nothing is said about it', async ({ by, needs, run }) => {
    const prepared = await openWorld({ store })
    const { proposal, commitment } = await prepared.prepared()
    const runtime = await prepared.open({ actions: [prepared.actionWith({ permissions: {} })] })
    const mighty = { ...by, roles: ['support', 'finance-manager', 'director', 'operator', 'executor', 'auditor'] }

    const answer = await run({ ...prepared, runtime }, mighty, proposal, commitment)

    expect(Object.values(needs)).toContain(answer)
  })

  it.each(operations)('rule R14: $name takes only a clear yes', async ({ by, needs, run }) => {
    const { world, proposal, commitment } = await worldWith(store, [])
    const answers: string[] = []

    for (const [, answer] of answersThatAreNoYes) {
      world.action.methods.can = () => unsound(answer)
      answers.push(await run(world, by, proposal, commitment))
    }

    expect(Object.values(needs)).toEqual(expect.arrayContaining(answers))
  })

  it.each(operations.filter(({ name }) => name !== 'expireDue'))(
    'rule R18: $name waits no longer than the limit for the host, and then changes nothing',
    async ({ by, run }) => {
      const { world, proposal, commitment } = await worldWith(store, [])
      const before = await world.stored(proposal)
      world.action.methods.can = async () => new Promise<boolean>(() => {})

      const answer = run(world, by, proposal, commitment).catch(String)
      await world.clock.advance(9_999)
      const early = await Promise.race([answer, Promise.resolve('still waiting')])
      await world.clock.advance(1)

      expect(early).toBe('still waiting')
      expect(await answer).toMatch(/authorization_unavailable|AuthorizationUnavailable/)
      expect(await world.stored(proposal)).toEqual(before)
    },
  )

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('canary-of-the-directory')
      },
    ],
    [
      'throws a text',
      () => {
        throw unsound<Error>('canary-of-the-directory')
      },
    ],
    [
      'throws nothing',
      () => {
        throw unsound<Error>(null)
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('canary-of-the-directory')
      },
    ],
  ])('rule R14: a directory that %s is unavailable, and says nothing', async (_title, can) => {
    const world = await openWorld({ store })
    world.action.methods.can = unsound(can)

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ name: 'AuthorizationUnavailable', code: 'authorization_unavailable' })
    expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain('canary')
  })
})

describe('what can is asked with', () => {
  it('is the caller as the session established it, and what is open about the act', async () => {
    const world = await openWorld({ store: 'memory' })
    const { proposal, commitment } = await world.prepared(agent)
    await world.runtime.approve(finance1, proposal, { commitment })

    const [prepare, read, decide] = world.action.asked
    const bot = { kind: 'agent', id: 'bot' }
    expect(prepare).toEqual({
      act: 'prepare',
      caller: {
        tenant: 'acme',
        principal: bot,
        owner: { kind: 'user', id: 'olga' },
        roles: ['support'],
        assurance: ['authenticated_session'],
      },
      view: { proposal: null, command: matching({ orderReference: 'ORD-1001' }), snapshot: null },
    })
    const { subject } = (await world.stored(proposal)).proposal
    expect(read).toMatchObject({ act: 'read', caller: { principal: { id: 'fiona' }, owner: null } })
    expect(decide?.view).toEqual({
      proposal: { ref: proposal, status: 'awaiting_approval', requester: bot, agent: bot, subject },
      command: null,
      snapshot: null,
    })
  })

  it('is no command at all where the command does not fit, so that nobody learns by rights what is wrong with it', async () => {
    const world = await openWorld({ store: 'memory' })

    await refused(world.runtime.prepare(requester, world.input({ amount: 7 })))
    await refused(world.runtime.prepare(stranger, world.input({ amount: 7 })))

    expect(world.action.asked.map(({ view }) => view.command)).toEqual([null, null])
  })
})

describe('threat T1', () => {
  const everybody = { agent, finance1, operator, reader, requester, service, stranger }

  it.each(operations)('threat T1: who may $name follows from the contract', async ({ name, needs, run }) => {
    for (const by of Object.values(everybody)) {
      const world = await openWorld({ store: 'memory' })
      const { proposal, commitment } = await world.prepared()

      const answer = await run(world, by, proposal, commitment)

      const refusals = [...Object.values(needs), 'agent_cannot_decide', 'separation_of_duties']
      const told = refusals.includes(answer) ? answer : null
      expect([by.principal.id, told]).toEqual([by.principal.id, expectedRefusal(name, needs, by)])
    }
  })
})

/** What the permissions of the refund say about the requester's proposal; null where the operation is allowed. */
function expectedRefusal(name: string, needs: Operation['needs'], by: Session): string | null {
  const isAllowed = (act: Act): boolean => {
    const roles: string | readonly string[] = refund.permissions[act] ?? []
    return [roles].flat().some((role) => by.roles.includes(role))
  }
  const isOwn = by === requester
  if ('read' in needs && !isAllowed('read')) return needs.read ?? null
  if ('decide' in needs && by === agent) return 'agent_cannot_decide'
  if ('decide' in needs && isOwn) return 'separation_of_duties'
  if (name.startsWith('withdraw') && !isOwn && !isAllowed('operate')) return 'not_permitted'
  const missing = ACTS.find((act) => act in needs && act !== 'operate' && !isAllowed(act))
  return missing === undefined ? null : (needs[missing] ?? null)
}
