// Prepare: the order of its checks, what it stores and what it hands to the host.
import { describe, expect, it } from 'vitest'
import type { Prepared } from '../../src/proposal/action.ts'
import { PreparationRefused } from '../../src/proposal/errors.ts'
import type { Session } from '../../src/proposal/session.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import { answerOf, LIFETIME_MS, openWorld, reference, START, STORES, unsound, type World } from './harness.ts'
import type { Refund } from './refund.ts'
import { agent, finance1, reader, requester, service, session, stranger, TENANT } from './sessions.ts'

/** What a caller sends, as far as it is spoiled. */
interface Sent {
  session: Session
  input: { action: string; command: unknown; requestKey?: string; replaces?: string }
}

/** A check: its answer, what must have happened before, and what makes it fail. */
interface Check {
  readonly title: string
  readonly answer: string
  readonly arrange?: (world: World) => Promise<string | void>
  readonly spoil: (world: World, sent: Sent, arranged: string) => void
}

const USED_KEY = 'used-key'
const LARGE = { amount: '20000.00', currency: 'EUR' }
/** Who prepares here: the only one who could meet the policy for large amounts. */
const cfo = session('user:cfo', ['support'])
const policy = {
  require: [
    { name: 'finance', count: 1, from: { role: 'finance-manager' } },
    { name: 'board', count: 1, from: { principals: ['user:cfo'] }, when: { path: '/amount', atLeast: LARGE } },
  ],
}
const INTENT = 'the one that was done'

const checks: readonly Check[] = [
  {
    title: 'a session that is none',
    answer: 'malformed_reference',
    spoil: (_, sent) => (sent.session = { ...sent.session, tenant: ' ' }),
  },
  {
    title: 'an action that is not registered',
    answer: 'action_not_registered',
    spoil: (_, { input }) => (input.action = 'example.payments/payout@1'),
  },
  {
    title: 'a right that cannot be asked about',
    answer: 'authorization_unavailable',
    spoil: (world, sent) => {
      const { can } = world.action.methods
      world.action.methods.can = (act, caller, view) => {
        if (act === 'prepare' && caller.principal.id === 'elmo') throw new Error('directory down')
        return can(act, caller, view)
      }
      sent.session = session('user:elmo', ['support'])
    },
  },
  { title: 'no right to prepare', answer: 'not_permitted', spoil: (_, sent) => (sent.session = stranger) },
  {
    title: 'a command over a limit',
    answer: 'limit_exceeded',
    spoil: (_, { input }) => (input.command = { ...commandOf(input), memo: 'x'.repeat(70_000) }),
  },
  {
    title: 'a command that does not fit',
    answer: 'invalid_command',
    spoil: (_, { input }) => (input.command = { ...commandOf(input), amount: 7 }),
  },
  {
    title: 'a request key that is none',
    answer: 'malformed_reference',
    spoil: (_, { input }) => (input.requestKey = 'two words'),
  },
  {
    title: 'a request key of another command',
    answer: 'request_key_reused',
    arrange: async (world) => {
      await world.prepared(cfo, { ...world.input(), requestKey: USED_KEY })
    },
    spoil: (_, { input }) => (input.requestKey = USED_KEY),
  },
  {
    title: 'a proposal to amend that is not there',
    answer: 'not_found',
    spoil: (_, { input }) => (input.replaces = 'nowhere'),
  },
  {
    title: 'a host that refuses',
    answer: 'preparation_refused',
    spoil: (world) => {
      world.action.methods.prepare = async () => {
        throw new PreparationRefused('order_closed')
      }
    },
  },
  {
    title: 'a host that throws',
    answer: 'preparation_failed',
    spoil: (world) => {
      world.action.methods.prepare = async () => {
        throw new Error('no connection')
      }
    },
  },
  {
    title: 'a snapshot that does not fit',
    answer: 'invalid_preparation',
    spoil: (world) => spoilPrepared(world, (good) => ({ ...good, snapshot: { ...good.snapshot, orderVersion: 1.5 } })),
  },
  {
    title: 'an effect reference that is none',
    answer: 'invalid_preparation',
    spoil: (world) => spoilPrepared(world, (good) => ({ ...good, effectReference: ' padded ' })),
  },
  {
    title: 'a subject that is none',
    answer: 'invalid_preparation',
    spoil: (world) => spoilPrepared(world, (good) => ({ ...good, subject: '' })),
  },
  {
    title: 'an identifying effect reference',
    answer: 'effect_reference_identifying',
    spoil: (world) => spoilPrepared(world, (good) => ({ ...good, effectReference: 'refund-of-ORD-1001' })),
  },
  {
    title: 'an effect that is done already',
    answer: 'conflict effect_content_differs',
    arrange: async (world) => {
      const { proposal, commitment } = await world.prepared(requester, world.input({ intent: INTENT }))
      await world.runtime.approve(finance1, proposal, { commitment })
      await world.runtime.execute(requester, proposal)
      await world.clock.advance(5_000)
      await world.runtime.reconcile(service, proposal)
    },
    spoil: (_, { input }) => (input.command = { ...commandOf(input), intent: INTENT, memo: 'another command' }),
  },
  {
    title: 'a preview that does not fit',
    answer: 'invalid_preparation',
    spoil: (world) => {
      const { preview } = world.action.methods
      world.action.methods.preview = (snapshot) => unsound({ ...preview(snapshot), title: 7 })
    },
  },
  {
    title: 'a policy that nobody is left to meet',
    answer: 'policy_unsatisfiable',
    spoil: (_, { input }) => (input.command = { ...commandOf(input), amount: LARGE }),
  },
  {
    title: 'a key service that is away',
    answer: 'content_unavailable',
    spoil: (world) => {
      world.keyring.current = async () => {
        throw new KeyUnavailable('unavailable')
      }
    },
  },
  {
    title: 'a proposal to amend that the caller may not withdraw',
    answer: 'not_permitted',
    arrange: async (world) => (await world.prepared(requester)).proposal,
    spoil: (_, { input }, arranged) => (input.replaces = arranged),
  },
  {
    title: 'a store that is away',
    answer: 'store_unavailable',
    spoil: (world) => world.faults.at(1, 'refused'),
  },
]

describe.each(STORES)('lifecycle 4 on %s', (store) => {
  it.each(checks.map((check, index) => [`${index + 1} ${check.title}`, check.answer, index] as const))(
    'step %s answers %s before everything behind it',
    async (_title, answer, index) => {
      const world = await openWorld({ store, contract: { policy } })
      const sent: Sent = { session: cfo, input: { ...world.input() } }
      const failing = checks.slice(index)
      const arranged: string[] = []
      for (const { arrange } of failing) arranged.push((await arrange?.(world)) ?? '')
      const before = await census(world)

      // The earliest check spoils last, so that it has the last word on what is sent.
      for (const [at, { spoil }] of [...failing.entries()].toReversed()) spoil(world, sent, arranged[at] ?? '')

      expect(await answerOf(world.runtime.prepare(sent.session, sent.input))).toBe(answer)
      expect(await census(world)).toEqual(before)
    },
  )

  it('stores a proposal at revision 0 with its receipt and its events, and shows its commitment', async () => {
    const world = await openWorld({ store })

    const result = await world.prepared()

    expect(result).toMatchObject({
      outcome: 'prepared',
      reason: null,
      status: 'awaiting_approval',
      revision: 0,
      nextStep: 'await_approval',
      evidence: null,
      attention: [],
      replacedBy: null,
      supersededBy: null,
      result: null,
    })
    const { proposal } = await world.stored(result.proposal)
    expect(proposal).toMatchObject({
      requester: { kind: 'user', id: 'rita' },
      agent: null,
      agentOwner: null,
      createdAt: START,
      updatedAt: START,
      expiresAt: START + LIFETIME_MS,
      commitment: result.commitment,
      effect: { domain: 'example.payments/refund' },
    })
    const { receipts } = await world.runtime.receipts(reader, result.proposal)
    expect(receipts.map(({ body }) => [body?.type, body?.participant, body?.trigger])).toEqual([
      ['proposal.prepared', 'user:rita', 'user:rita'],
    ])
    const events = await world.bareStore.events(reference(TENANT), 0, 10)
    expect(events.map(({ type, status }) => [type, status])).toEqual([
      ['proposal.prepared', 'awaiting_approval'],
      ['proposal.approval_needed', 'awaiting_approval'],
    ])
  })

  it('takes every identity from the session, the agent’s owner among them', async () => {
    const world = await openWorld({ store })
    let context: unknown
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (input) => {
      context = input.context
      return prepare(input)
    }

    const { proposal: ref } = await world.prepared(agent)

    const bot = { kind: 'agent', id: 'bot' }
    const { proposal } = await world.stored(ref)
    expect(context).toEqual({ tenant: TENANT, proposal: ref, requester: bot, agent: bot })
    expect(proposal).toMatchObject({ requester: bot, agent: bot, agentOwner: { kind: 'user', id: 'olga' } })
    expect(proposal.policy.excluded).toEqual([
      { principal: 'agent:bot', because: 'requester' },
      { principal: 'user:olga', because: 'agent_owner' },
    ])
  })

  it('repeats no change whose answer was lost, and finds the proposal again by its request key', async () => {
    const world = await openWorld({ store })
    const input = { ...world.input(), requestKey: 'k-1' }
    world.faults.at(1, 'lost')

    expect(await answerOf(world.runtime.prepare(requester, input))).toBe('persistence_outcome_unknown')
    expect(world.faults.changes).toHaveLength(1)
    expect(await answerOf(world.runtime.prepare(requester, input))).toBe('replayed')
    expect(await census(world)).toHaveLength(1)
  })

  it('gives a host that hangs its limit, then its signal, and takes nothing from it afterwards', async () => {
    const world = await openWorld({ store })
    const { prepare } = world.action.methods
    const late = Promise.withResolvers<void>()
    let signal: AbortSignal | undefined
    world.action.methods.prepare = async (input) => {
      signal = input.signal
      await late.promise
      return prepare(input)
    }

    const answer = answerOf(world.prepared())
    await world.clock.advance(9_999)
    expect(signal?.aborted).toBe(false)
    await world.clock.advance(1)

    expect(await answer).toBe('preparation_failed')
    expect(signal?.aborted).toBe(true)
    late.resolve()
    await world.clock.advance(1)
    expect(await census(world)).toEqual([])
  })
})

/** How many proposals there are, and at which revisions. */
async function census(world: World): Promise<readonly string[]> {
  const found = await world.bareStore.list({ tenant: reference(TENANT), limit: 200 })
  return found.map(({ ref, revision }) => `${ref} ${revision}`)
}

function commandOf(input: Sent['input']): Record<string, unknown> {
  return input.command as Record<string, unknown>
}

function spoilPrepared(world: World, spoil: (good: Prepared<Refund>) => unknown): void {
  const { prepare } = world.action.methods
  world.action.methods.prepare = async (input) => unsound(spoil(await prepare(input)))
}
