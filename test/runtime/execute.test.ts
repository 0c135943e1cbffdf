// Execute: the order of its checks up to the resolution, where earlier ones win, and what each of them stores.
import { describe, expect, it } from 'vitest'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { KeyUnavailable, ProposalKeys } from '../../src/runtime/keys/sealing.ts'
import type { Keyring, LiveProposal } from '../../src/runtime/ports.ts'
import type { Session } from '../../src/proposal/session.ts'
import { type ExecutionWorld, openExecution } from './execution-world.ts'
import { answerOf, LIFETIME_MS, MINUTE_MS, reference, START, STORES } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import type { TestAction } from './refund.ts'
import { finance1, finance2, operator, reader, requester, service, session, stranger, TENANT } from './sessions.ts'

/** What an execution meets, as far as it is spoiled. */
interface Scene {
  readonly world: ExecutionWorld
  readonly proposal: string
  /** The action that executes, and the runtime that has it. */
  action: TestAction
  runtime: ProposalRuntime
  by: Session
  ref: string
  readonly keyring: SpoiltKeyring
  readonly reads: SpoiltReads
}

/** A check: what it answers, and what makes it fail. In the order of lifecycle 6. */
interface Check {
  readonly title: string
  readonly answer: string
  readonly spoil: (scene: Scene) => Promise<void> | void
}

const INTENT = 'the one that is executed'
const contract = { attemptsMax: 3 }
const changed = { ...contract, revision: 2 }

const checks: readonly Check[] = [
  { title: 'an unknown proposal', answer: 'not_found', spoil: (scene) => void (scene.ref = 'no-such-proposal') },
  { title: 'somebody who may not read it', answer: 'not_found', spoil: (scene) => void (scene.by = stranger) },
  { title: 'no right to execute', answer: 'not_permitted', spoil: (scene) => void (scene.by = reader) },
  {
    title: 'a proposal that is closed',
    answer: 'withdrawn',
    async spoil({ world, proposal }) {
      const now = world.clock.now()
      world.clock.setWall(START)
      await world.runtime.withdraw(requester, proposal)
      world.clock.setWall(now)
    },
  },
  {
    title: 'a lifetime that is over',
    answer: 'expired',
    spoil: async ({ world }) => world.clock.advance(LIFETIME_MS),
  },
  {
    title: 'approvals that do not suffice',
    answer: 'approval_pending',
    async spoil({ world, proposal }) {
      const { approvals } = await world.stored(proposal)
      await world.runtime.revokeApproval(finance1, proposal, approvals[0]?.approvalId ?? '')
    },
  },
  {
    title: 'content that cannot be opened',
    answer: 'blocked content_unavailable',
    spoil: ({ keyring }) => void (keyring.isDenied = true),
  },
  {
    title: 'content that is not what was committed to',
    answer: 'blocked commitment_mismatch',
    async spoil({ world, proposal, reads }) {
      const { content, key } = await world.stored(proposal)
      const owner = { tenant: reference(TENANT), proposal: reference(proposal) }
      const opened = await new ProposalKeys(world.keyring, world.clock).open(owner, key)
      const preview = opened.open('preview', content.preview).replace('10.00', '90.00')
      reads.content = { ...content, preview: opened.seal('preview', preview) }
    },
  },
  {
    title: 'a definition that is another one',
    answer: 'blocked definition_changed',
    async spoil(scene) {
      scene.action = scene.world.actionWith(changed)
      scene.runtime = await scene.world.open({ actions: [scene.action] })
    },
  },
  {
    title: 'a preview that would show something else',
    answer: 'blocked preview_differs',
    spoil(scene) {
      const { preview } = scene.action.methods
      scene.action.methods.preview = (snapshot) => ({ ...preview(snapshot), title: 'Payout' })
    },
  },
  {
    title: 'an effect that another proposal has in flight',
    answer: 'replayed effect_in_flight_elsewhere',
    async spoil({ world }) {
      const other = await world.approved(INTENT)
      await world.execute(other)
      expect((await world.stored(other)).proposal.status).toBe('verification_pending')
    },
  },
  {
    title: 'a state that cannot be resolved',
    answer: 'blocked resolve_failed',
    spoil({ world, action, proposal }) {
      const sound = world.action.methods.resolve
      action.methods.resolve = async (input) => {
        if (input.context.proposal === proposal) throw new Error('the order service is down')
        return sound(input)
      }
    },
  },
]

describe.each(STORES)('lifecycle 6 on %s', (store) => {
  it.each(checks.map((check, index) => ({ ...check, index })))(
    'step $index $title answers $answer before everything behind it',
    async ({ answer, index }) => {
      const scene = await openScene(store)
      // What is behind it is spoilt first, since much of that takes an open proposal.
      for (const check of checks.slice(index).toReversed()) await check.spoil(scene)
      const { execute, resolve } = scene.action.calls

      expect(await answerOf(scene.runtime.execute(scene.by, scene.ref))).toBe(answer)
      expect(scene.action.calls.execute).toBe(execute)
      expect(scene.action.calls.resolve - resolve).toBe(answer.endsWith('resolve_failed') ? 1 : 0)
      expect(scene.world.log.executed.filter(({ input }) => input.context.proposal === scene.proposal)).toEqual([])
    },
  )

  it('refuses without a trace whoever may not execute', async () => {
    const { world, proposal } = await openScene(store)

    expect(await answerOf(world.runtime.execute(reader, proposal))).toBe('not_permitted')
    expect(await world.receipts(proposal)).toEqual(['proposal.prepared', 'approval.approved'])
  })

  it('rule R18: blocked keeps the status, and says it once for each change of reason', async () => {
    const { world, proposal, keyring } = await openScene(store)
    keyring.isDenied = true

    for (const _ of [1, 2, 3]) await world.execute(proposal)
    keyring.isDenied = false
    world.action.methods.resolve = () => Promise.reject(new Error('the order service is down'))
    for (const _ of [1, 2]) await world.execute(proposal)
    keyring.isDenied = true
    await world.execute(proposal)

    const { status, blockedBy } = (await world.stored(proposal)).proposal
    const blocked = (await world.receipts(proposal)).filter((type) => type === 'execution.blocked')
    expect({ status, blockedBy, blocked }).toMatchObject({ status: 'approved', blockedBy: 'content_unavailable' })
    expect(blocked).toHaveLength(3)
  })

  it('names who called the operation, and who acted, in every receipt', async () => {
    const { world, proposal } = await openScene(store)

    await world.runtime.execute(service, proposal)

    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    const acted = chain.map(({ body }) => [body?.type, body?.participant, body?.trigger])
    expect(acted.slice(2)).toEqual([
      ['execution.started', 'service:worker', 'service:worker'],
      ['execution.accepted', 'service:worker', 'service:worker'],
    ])
  })

  it('an agent may trigger what people approved', async () => {
    const { world, proposal } = await openScene(store)
    const bot = session('agent:bot', ['support'])

    expect((await world.runtime.execute(bot, proposal)).status).toBe('verification_pending')
  })

  it('expires exactly at its instant, with a receipt', async () => {
    const { world, proposal } = await openScene(store)
    const { expiresAt } = (await world.stored(proposal)).proposal

    world.clock.setWall(expiresAt)
    const answer = await world.execute(proposal)

    expect([answer.outcome, answer.status, answer.nextStep]).toEqual(['expired', 'expired', 'prepare_again'])
    expect((await world.receipts(proposal)).at(-1)).toBe('proposal.expired')
    expect(world.action.calls.resolve).toBe(0)
  })

  it('executes one millisecond before its instant', async () => {
    const { world, proposal } = await openScene(store)
    const { expiresAt } = (await world.stored(proposal)).proposal

    await world.clock.advance(expiresAt - 1 - world.clock.now())

    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it.each([
    { title: 'restored', approvals: 'that suffice again', role: 'finance-manager', outcome: 'in time' },
    { title: 'left alone', approvals: 'that still do not suffice', role: 'finance-manager', outcome: 'too late' },
  ])('step 3: a waiting proposal is $title by approvals $approvals', async ({ outcome }) => {
    const { world, proposal } = await openScene(store, { approvalTtl: '2m' })
    await world.clock.advance(2 * MINUTE_MS)
    expect(await answerOf(world.execute(proposal))).toBe('approval_pending approval_lapsed')
    // An approval that was on record all the time, as a clock that was set right shows.
    if (outcome === 'in time') world.clock.setWall(world.clock.now() - 2_000)

    const answer = await world.execute(proposal)

    const types = (await world.receipts(proposal)).slice(2)
    expect(answer.status).toBe(outcome === 'in time' ? 'verification_pending' : 'awaiting_approval')
    expect(types).toEqual(
      outcome === 'in time'
        ? ['approval.lapsed', 'approval.restored', 'execution.started', 'execution.accepted']
        : ['approval.lapsed'],
    )
  })

  it('step 3: an approval given anew lets it go on', async () => {
    const { world, proposal } = await openScene(store, { approvalTtl: '2m' })
    await world.clock.advance(2 * MINUTE_MS)
    const { commitment } = await world.execute(proposal)

    await world.runtime.approve(finance2, proposal, { commitment })

    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('refuses another revision than the caller saw', async () => {
    const { world, proposal } = await openScene(store)
    const { revision } = (await world.stored(proposal)).proposal

    expect(await answerOf(world.runtime.execute(requester, proposal, { ifRevision: revision - 1 }))).toBe(
      'revision_mismatch',
    )
    expect((await world.runtime.execute(requester, proposal, { ifRevision: revision })).status).toBe(
      'verification_pending',
    )
  })

  it('refuses a revision that was passed while the right to execute was asked', async () => {
    const { world, proposal, action } = await openScene(store)
    const { revision, commitment } = (await world.stored(proposal)).proposal
    const { can } = action.methods
    action.methods.can = async (act, caller, view) => {
      if (act === 'execute') await world.runtime.approve(finance2, proposal, { commitment })
      return can(act, caller, view)
    }

    expect(await answerOf(world.runtime.execute(requester, proposal, { ifRevision: revision }))).toBe(
      'revision_mismatch',
    )
    expect(action.calls.execute).toBe(0)
  })

  it('goes on from the revision that it raised itself, where approvals suffice again', async () => {
    const { world, proposal } = await openScene(store, { approvalTtl: '2m' })
    await world.clock.advance(2 * MINUTE_MS)
    await world.execute(proposal)
    world.clock.setWall(world.clock.now() - 2_000)
    const { revision } = (await world.stored(proposal)).proposal

    const answer = await world.runtime.execute(requester, proposal, { ifRevision: revision })

    expect(answer.status).toBe('verification_pending')
  })

  it('a closed proposal answers what it is, and a superseded one that it was done', async () => {
    const { world, proposal } = await openScene(store)
    const other = await world.approved(INTENT)
    await world.execute(other)
    await world.clock.advance(5_000)
    await world.reconcile(other)

    const first = await world.execute(proposal)
    const second = await world.execute(proposal)

    expect([first.outcome, first.reason, first.status]).toEqual([
      'replayed',
      'effect_completed_elsewhere',
      'superseded',
    ])
    expect(first.supersededBy).toBe(other)
    expect([second.outcome, second.status]).toEqual(['replayed', 'superseded'])
    expect(await answerOf(world.execute(other))).toBe('verified')
  })

  it('goes on with one verification if asked to, with no right beyond that to execute', async () => {
    const { world, proposal } = await openScene(store)
    const executor = session('user:eve', ['executor-only'])
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      if (caller.principal.id === 'eve') return act === 'execute' || act === 'read'
      return can(act, caller, view)
    }

    const early = await world.runtime.execute(executor, proposal, { reconcile: true })
    await world.clock.advance(5_000)
    const due = await world.runtime.execute(executor, proposal, { reconcile: true })

    expect([early.outcome, early.waitUntil]).toEqual(['verification_pending', world.clock.now()])
    expect([due.outcome, due.result]).toEqual(['verified', { refundId: 'rf-1' }])
    expect(await answerOf(world.runtime.reconcile(executor, proposal))).toBe('not_permitted')
    expect(world.action.calls.execute).toBe(1)
  })

  it('an operator alone does not execute', async () => {
    const { world, proposal } = await openScene(store)

    expect(await answerOf(world.runtime.execute(operator, proposal))).toBe('not_permitted')
  })
})

/** A keyring that can be told to refuse. */
interface SpoiltKeyring extends Keyring {
  isDenied: boolean
}

/** What the runtime reads in place of the stored content. */
interface SpoiltReads {
  content: LiveProposal['content'] | null
}

async function openScene(
  store: (typeof STORES)[number],
  policy: Readonly<Record<string, unknown>> = {},
): Promise<Scene> {
  const sound = ephemeralKeyring()
  const keyring: SpoiltKeyring = {
    isDenied: false,
    current: () => sound.current(),
    referenceKey: () => sound.referenceKey(),
    resolve: (version) => (keyring.isDenied ? Promise.reject(new KeyUnavailable('denied')) : sound.resolve(version)),
  }
  const reads: SpoiltReads = { content: null }
  const require = [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }]
  const world = await openExecution({
    store,
    keyring,
    contract: { ...contract, policy: { require, ...policy } },
    around: around(reads),
  })
  const proposal = await world.approved(INTENT)
  const { action, runtime } = world
  return { world, proposal, action, runtime, by: requester, ref: proposal, keyring, reads }
}

function around(reads: SpoiltReads): Around {
  return async (name, call) => {
    const answer = await call()
    const isLive = name === 'proposal' && typeof answer === 'object' && answer !== null && 'content' in answer
    return isLive && reads.content !== null ? { ...answer, content: reads.content } : answer
  }
}
