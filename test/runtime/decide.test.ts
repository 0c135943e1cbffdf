// Decisions: who may decide on what, in the order of checks, and what is kept of it.
import { describe, expect, it } from 'vitest'
import type { DecisionInput } from '../../src/runtime/decide.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import {
  answerOf,
  HOUR_MS,
  LIFETIME_MS,
  MINUTE_MS,
  openWorld,
  reference,
  refused,
  START,
  STORES,
  unsound,
  type World,
} from './harness.ts'
import {
  agent,
  agentOwner,
  director,
  elsewhere,
  finance1,
  finance2,
  reader,
  requester,
  service,
  session,
  stranger,
  TENANT,
} from './sessions.ts'
import type { Session } from '../../src/proposal/session.ts'

/** What an approver sends, as far as it is spoiled. */
interface Sent {
  session: Session
  proposal: string
  input: { commitment: string; comment?: string; ifRevision?: number }
}

interface Check {
  readonly title: string
  readonly answer: string
  readonly only?: 'approve'
  /** What happened before, and after how many others of these. */
  readonly arrange?: (world: World, sent: Sent) => Promise<unknown>
  readonly place?: number
  readonly spoil?: (world: World, sent: Sent) => void
}

const INTENT = 'one intent'
const twoFinance = { require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] }

// In the order of lifecycle 5.
const checks: readonly Check[] = [
  {
    title: 'a session that is none',
    answer: 'malformed_reference',
    spoil: (_, sent) => (sent.session = { ...sent.session, principal: { kind: 'user', id: ' ' } }),
  },
  {
    title: 'a comment over its limit',
    answer: 'limit_exceeded',
    spoil: (_, { input }) => (input.comment = 'x'.repeat(2_001)),
  },
  { title: 'a proposal that is not there', answer: 'not_found', spoil: (_, sent) => (sent.proposal = 'nowhere') },
  { title: 'another tenant', answer: 'not_found', spoil: (_, sent) => (sent.session = elsewhere(sent.session)) },
  { title: 'no right to read', answer: 'not_found', spoil: (_, sent) => (sent.session = stranger) },
  { title: 'another revision', answer: 'revision_mismatch', spoil: (_, { input }) => (input.ifRevision = 77) },
  { title: 'an agent', answer: 'agent_cannot_decide', spoil: (_, sent) => (sent.session = agent) },
  { title: 'somebody excluded', answer: 'separation_of_duties', spoil: (_, sent) => (sent.session = agentOwner) },
  {
    title: 'a right that cannot be asked about',
    answer: 'authorization_unavailable',
    spoil: (world, sent) => {
      const { can } = world.action.methods
      world.action.methods.can = (act, caller, view) => {
        if (act === 'decide' && caller.principal.id === 'elmo') throw new Error('directory down')
        return can(act, caller, view)
      }
      sent.session = session('user:elmo', ['finance-manager'])
    },
  },
  { title: 'no right to decide', answer: 'decision_not_permitted', spoil: (_, sent) => (sent.session = reader) },
  {
    title: 'a status that takes no decisions',
    answer: 'rejected',
    place: 3,
    arrange: async ({ runtime }, { proposal, input: { commitment } }) =>
      runtime.reject(finance2, proposal, { commitment }),
  },
  {
    title: 'a lifetime that is over',
    answer: 'expired',
    place: 4,
    arrange: async (world) => world.clock.advance(LIFETIME_MS),
  },
  {
    title: 'another commitment',
    answer: 'binding_mismatch',
    spoil: (_, { input }) => (input.commitment = `c1_${'A'.repeat(43)}`),
  },
  {
    title: 'a session without the assurance',
    answer: 'binding_mismatch',
    spoil: (_, sent) => (sent.session = { ...sent.session, assurance: ['password'] }),
  },
  {
    title: 'an equal decision that still counts',
    answer: 'replayed',
    only: 'approve',
    place: 1,
    arrange: async ({ runtime }, { proposal, input: { commitment } }) =>
      runtime.approve(finance1, proposal, { commitment }),
  },
  {
    title: 'an effect that was done for another command',
    answer: 'conflict effect_content_differs',
    only: 'approve',
    place: 2,
    arrange: async (world) => verifiedElsewhere(world, { memo: 'another command' }),
  },
  {
    title: 'a key service that is away',
    answer: 'content_unavailable',
    only: 'approve',
    spoil: (world) => {
      world.keyring.resolve = async () => {
        throw new KeyUnavailable('unavailable')
      }
    },
  },
  { title: 'a store that is away', answer: 'store_unavailable', spoil: (world) => world.faults.at(1, 'refused') },
]

describe.each(STORES)('lifecycle 5 on %s', (store) => {
  for (const decision of ['approve', 'reject'] as const) {
    const rows = checks.filter(({ only }) => only === undefined || only === decision)
    it.each(rows.map((row, index) => [`${index + 1} ${row.title}`, row.answer, index] as const))(
      `${decision}: step %s answers %s before everything behind it`,
      async (_title, answer, index) => {
        const world = await openWorld({ store, contract: { policy: twoFinance } })
        const { proposal, commitment } = await world.prepared(agent, world.input({ intent: INTENT }))
        const sent: Sent = { session: finance1, proposal, input: { commitment } }
        const failing = rows.slice(index)
        for (const { arrange } of failing.toSorted(byPlace)) await arrange?.(world, sent)
        const before = await world.stored(proposal)
        // The earliest check spoils last, so that it has the last word. An expiry is stored, so the store must be there.
        for (const { spoil, answer: own } of failing.toReversed()) {
          if (answer !== 'expired' || own !== 'store_unavailable') spoil?.(world, sent)
        }

        expect(await answerOf(world.runtime[decision](sent.session, sent.proposal, sent.input))).toBe(answer)
        const { proposal: after, approvals } = await world.stored(proposal)
        expect(approvals).toEqual(before.approvals)
        expect(after.status).toBe(answer === 'expired' ? 'expired' : before.proposal.status)
      },
    )
  }

  it('approve: answers approval_pending until the policy is met, then approved, and records what is beyond it', async () => {
    const world = await openWorld({ store, contract: { policy: twoFinance } })
    const { proposal, commitment } = await world.prepared()
    const approve = (by: Session) => world.runtime.approve(by, proposal, { commitment })

    const answers = [
      await approve(finance1),
      await approve(finance2),
      await approve(session('user:flo', ['finance-manager'])),
    ]

    expect(answers.map(({ outcome, status, revision, nextStep }) => [outcome, status, revision, nextStep])).toEqual([
      ['approval_pending', 'awaiting_approval', 1, 'await_approval'],
      ['approved', 'approved', 2, 'execute'],
      ['approved', 'approved', 3, 'execute'],
    ])
    const { approvals } = await world.stored(proposal)
    expect(approvals).toMatchObject([
      {
        decision: 'approve',
        commitment,
        approver: { kind: 'user', id: 'fiona' },
        rolesAtDecision: ['finance-manager'],
        assurance: ['authenticated_session'],
        decidedAt: START,
        expiresAt: START + LIFETIME_MS,
        revokedAt: null,
      },
      { approver: { id: 'felix' } },
      { approver: { id: 'flo' } },
    ])
  })

  it('approve: is superseded and replayed if another proposal did the same, and names that one to whoever may read it', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared(agent, world.input({ intent: INTENT }))
    const done = await verifiedElsewhere(world)
    const secretive = world.action.methods.can

    const answer = await world.runtime.approve(finance1, proposal, { commitment })

    expect(answer).toMatchObject({ outcome: 'replayed', reason: 'effect_completed_elsewhere', status: 'superseded' })
    expect(answer.supersededBy).toBe(done)
    world.action.methods.can = (act, caller, view) => view.proposal?.ref !== done && secretive(act, caller, view)
    expect(await world.runtime.read(finance1, proposal)).toMatchObject({ status: 'superseded', supersededBy: null })
    expect((await world.runtime.reject(finance1, proposal, { commitment })).supersededBy).toBeNull()
  })

  it('approve: an agent never decides, whatever roles and rights it has', async () => {
    const world = await openWorld({ store })
    world.action.methods.can = () => true
    const { proposal, commitment } = await world.prepared()
    const mighty = session('agent:boss', ['finance-manager', 'director', 'operator'])

    for (const decide of ['approve', 'reject'] as const) {
      const error = await refused(world.runtime[decide](mighty, proposal, { commitment }))
      expect(error).toMatchObject({ name: 'DecisionRefused', code: 'agent_cannot_decide' })
    }
    expect((await world.stored(proposal)).proposal.revision).toBe(0)
  })

  it('approve: the requester and the agent’s owner are excluded by exact name, and no look-alike with them', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared(agent)
    const lookAlike = session('user:Olga', ['finance-manager'])

    const owner = await refused(world.runtime.approve(agentOwner, proposal, { commitment }))

    expect(owner).toMatchObject({ name: 'DecisionRefused', code: 'separation_of_duties' })
    expect(await answerOf(world.runtime.approve(lookAlike, proposal, { commitment }))).toBe('approved')
  })

  it('approve: a service counts only where a policy names it', async () => {
    const require = [{ name: 'clearing', count: 1, from: { principals: ['service:worker'] } }]
    const world = await openWorld({ store, contract: { policy: { require } } })
    world.action.methods.can = () => true
    const { proposal, commitment } = await world.prepared()

    const person = await world.runtime.approve(finance1, proposal, { commitment })
    const named = await world.runtime.approve(service, proposal, { commitment })

    expect([person.outcome, named.outcome]).toEqual(['approval_pending', 'approved'])
  })

  it.each([
    ['cut short', (good: string) => good.slice(0, -1)],
    ['with something behind it', (good: string) => `${good}A`],
    ['with another prefix', (good: string) => good.replace('c1_', 'c2_')],
    ['in another alphabet', (good: string) => `c1_${'+'.repeat(43)}`.slice(0, good.length)],
    ['empty', () => ''],
    ['missing', () => {}],
    ['a number', () => 7],
    ['an object that says it', (good: string) => ({ toString: () => good })],
    ['in a list', (good: string) => [good]],
  ])('a commitment %s binds nothing', async (_title, spoiled) => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    const input = unsound<DecisionInput>({ commitment: spoiled(commitment) })

    for (const decide of ['approve', 'reject'] as const) {
      const error = await refused(world.runtime[decide](finance1, proposal, input))
      expect(error).toMatchObject({ name: 'BindingMismatch', code: 'binding_mismatch', status: 'awaiting_approval' })
    }
  })

  it('threat T4: an approval of one proposal is worth nothing for any other', async () => {
    const world = await openWorld({ store })
    const input = world.input()
    const made = [
      await world.prepared(requester, input),
      await world.prepared(requester, input),
      await world.prepared(),
    ]

    for (const one of made) {
      for (const other of made) {
        if (one === other) continue
        const answer = world.runtime.approve(finance1, other.proposal, { commitment: one.commitment })
        expect(await answerOf(answer)).toBe('binding_mismatch')
      }
    }
    expect(new Set(made.map(({ commitment }) => commitment)).size).toBe(3)
  })

  it('reject: closes finally, also what was approved, and nothing afterwards counts', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.approvedProposal()

    const answer = await world.runtime.reject(finance2, proposal, { commitment })

    expect(answer).toMatchObject({ outcome: 'rejected', status: 'rejected', revision: 2, nextStep: 'none' })
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('rejected')
    expect(await answerOf(world.runtime.withdraw(requester, proposal))).toBe('rejected')
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('rejected')
    expect(world.action.calls.execute).toBe(0)
  })

  it('ifRevision: a decision for the revision that is there is taken', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment, revision } = await world.prepared()

    const stale = await refused(world.runtime.approve(finance1, proposal, { commitment, ifRevision: revision + 1 }))

    expect(stale).toMatchObject({ name: 'RevisionMismatch', code: 'revision_mismatch', revision })
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment, ifRevision: revision }))).toBe(
      'approved',
    )
    expect(await answerOf(world.runtime.reject(finance2, proposal, { commitment, ifRevision: revision }))).toBe(
      'revision_mismatch',
    )
  })
})

describe.each(STORES)('threat T9 on %s', (store) => {
  const decisions = {
    approve: async (world: World, ref: string, commitment: string) =>
      world.runtime.approve(finance2, ref, { commitment, comment: 'in time?' }),
    reject: async (world: World, ref: string, commitment: string) =>
      world.runtime.reject(finance2, ref, { commitment }),
    revokeApproval: async (world: World, ref: string) => {
      const [approval] = (await world.stored(ref)).approvals
      return world.runtime.revokeApproval(finance1, ref, approval?.approvalId ?? '')
    },
  }

  it.each(Object.entries(decisions))(
    'threat T9: %s is in time or it is not, at whichever of its waits the lifetime ends',
    async (_name, decide) => {
      const outcomes: string[] = []
      for (let wait = 1; outcomes.at(-1) !== 'untouched'; wait += 1) {
        let waits = 0
        let isOn = false
        const world = await openWorld({
          store,
          contract: { policy: twoFinance },
          around: async (name, call) => {
            if (isOn && (waits += 1) === wait) world.clock.setWall(START + LIFETIME_MS)
            const answer = await call()
            // Behind the commit nothing is decided any more.
            if (isOn && name === 'commit') isOn = false
            return answer
          },
        })
        const { proposal, commitment } = await world.prepared()
        await world.runtime.approve(finance1, proposal, { commitment })
        isOn = true
        const { outcome } = await decide(world, proposal, commitment)
        isOn = false

        const isInTime = waits < wait
        const { approvals, proposal: after } = await world.stored(proposal)
        expect([outcome, after.status === 'expired']).toEqual([isInTime ? outcome : 'expired', !isInTime])
        expect(
          approvals.some(({ decidedAt, revokedAt }) => Math.max(decidedAt, revokedAt ?? 0) >= START + LIFETIME_MS),
        ).toBe(false)
        outcomes.push(isInTime ? 'untouched' : outcome)
      }
      expect(outcomes.length).toBeGreaterThan(2)
    },
  )

  it('design D11: the clock of the store has the last word on whether there was still time', async () => {
    const world = await openWorld({ store })
    const slow = await world.open({ clock: new VirtualClock(START) })
    const { proposal, commitment } = await world.prepared()
    await world.clock.advance(LIFETIME_MS)

    const answer = await slow.approve(finance1, proposal, { commitment })

    expect(answer).toMatchObject({ outcome: 'expired', status: 'expired', nextStep: 'prepare_again' })
    expect((await world.stored(proposal)).approvals).toEqual([])
    const { receipts } = await world.runtime.receipts(reader, proposal)
    expect(receipts.at(-1)?.body).toMatchObject({ type: 'proposal.expired', at: START + LIFETIME_MS })
  })
})

describe.each(STORES)('a comment on %s', (store) => {
  it('is sealed, and shown to whoever may read the proposal', async () => {
    const world = await openWorld({ store, contract: { policy: twoFinance } })
    const { proposal, commitment } = await world.prepared()
    const comment = 'Looks right to me \u{1F44D}\nsigned F.'
    await world.runtime.approve(finance1, proposal, { commitment, comment })
    await world.runtime.approve(finance2, proposal, { commitment })

    const view = await world.runtime.read(reader, proposal)

    expect(view).toMatchObject({ approvals: [{ comment }, { comment: null }] })
    const [sealed] = [...(await world.stored(proposal)).comments.values()]
    expect(Buffer.from(sealed ?? []).includes('Looks right')).toBe(false)
  })

  it('goes with a rejection too', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.reject(finance1, proposal, { commitment, comment: '' })

    expect(await world.runtime.read(reader, proposal)).toMatchObject({
      approvals: [{ decision: 'reject', comment: '' }],
    })
  })

  it.each<[string, unknown, string]>([
    ['half a character', 'a\uD83D', 'malformed_reference'],
    ['a number', 7, 'malformed_reference'],
    ['null', null, 'malformed_reference'],
    ['a list', ['x'], 'malformed_reference'],
  ])('is refused if it is %s', async (_title, comment, code) => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()

    const error = await refused(world.runtime.approve(finance1, proposal, unsound({ commitment, comment })))

    expect(error).toMatchObject({ code, path: '/comment' })
  })
})

describe.each(STORES)('taking an approval back on %s', (store) => {
  it('brings the proposal back to wait, and leaves the approval on record', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.approvedProposal()
    const [approval] = (await world.stored(proposal)).approvals
    await world.clock.advance(MINUTE_MS)

    const answer = await world.runtime.revokeApproval(finance1, proposal, approval?.approvalId ?? '')

    expect(answer).toMatchObject({
      outcome: 'revoked',
      status: 'awaiting_approval',
      revision: 2,
      nextStep: 'await_approval',
    })
    expect((await world.stored(proposal)).approvals).toEqual([{ ...approval, revokedAt: START + MINUTE_MS }])
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('approval_pending')
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approved')
  })

  it('leaves the proposal approved where the policy does not rest on it', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.approvedProposal()
    await world.runtime.approve(finance2, proposal, { commitment })
    const [, second] = (await world.stored(proposal)).approvals

    const answer = await world.runtime.revokeApproval(finance2, proposal, second?.approvalId ?? '')

    expect(answer).toMatchObject({ outcome: 'revoked', status: 'approved' })
  })

  it('asks for no right but to read, and never for that to decide', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const [approval] = (await world.stored(proposal)).approvals
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => act !== 'decide' && can(act, caller, view)

    const moved = { ...finance1, roles: ['auditor'] }

    expect(await answerOf(world.runtime.revokeApproval(moved, proposal, approval?.approvalId ?? ''))).toBe('revoked')
  })

  it('is not found for anybody else, for no such approval, and for a rejection', async () => {
    const world = await openWorld({ store, contract: { policy: twoFinance } })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.runtime.reject(finance2, proposal, { commitment })
    const [approved, rejected] = (await world.stored(proposal)).approvals
    const revoke = (by: Session, id = ''): Promise<string> => answerOf(world.runtime.revokeApproval(by, proposal, id))

    expect(await revoke(finance2, approved?.approvalId)).toBe('not_found')
    expect(await revoke(agent, approved?.approvalId)).toBe('not_found')
    expect(await revoke(finance2, rejected?.approvalId)).toBe('not_found')
    expect(await revoke(finance1, 'nothing')).toBe('not_found')
    expect(await revoke(finance1, '')).toBe('not_found')
    expect(await revoke(finance1, approved?.approvalId)).toBe('rejected')
  })

  it('is replayed the second time, and tells when the approval lapsed by itself', async () => {
    const policy = { ...twoFinance, approvalTtl: '1m' }
    const world = await openWorld({ store, contract: { policy } })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.runtime.approve(finance2, proposal, { commitment })
    const [first, second] = (await world.stored(proposal)).approvals
    const revoke = (by: Session, id = ''): Promise<string> => answerOf(world.runtime.revokeApproval(by, proposal, id))

    expect(await revoke(finance1, first?.approvalId)).toBe('revoked')
    expect(await revoke(finance1, first?.approvalId)).toBe('replayed')
    await world.clock.advance(MINUTE_MS)
    expect(await revoke(finance2, second?.approvalId)).toBe('conflict approval_lapsed')
    await world.clock.advance(LIFETIME_MS)
    expect(await revoke(finance2, second?.approvalId)).toBe('expired')
  })

  it('is too late once the attempt is admitted', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const [approval] = (await world.stored(proposal)).approvals
    await world.runtime.execute(requester, proposal)

    expect(await answerOf(world.runtime.revokeApproval(finance1, proposal, approval?.approvalId ?? ''))).toBe(
      'verification_pending',
    )
  })
})

describe.each(STORES)('rule R12 on %s', (store) => {
  it('rule R12: an equal decision is replayed while it counts, and recorded anew once it has lapsed', async () => {
    const world = await openWorld({
      store,
      contract: { lifetime: '48h', policy: { ...twoFinance, approvalTtl: '1h' } },
    })
    const { proposal, commitment } = await world.prepared()
    const approve = (): Promise<string> => answerOf(world.runtime.approve(finance1, proposal, { commitment }))

    expect(await approve()).toBe('approval_pending')
    await world.clock.advance(HOUR_MS - 1)
    expect(await approve()).toBe('replayed')
    await world.clock.advance(1)
    expect(await approve()).toBe('approval_pending')
    expect((await world.stored(proposal)).approvals).toHaveLength(2)
  })

  it('rule R12: an approval that was taken back is given anew', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.approvedProposal()
    const [approval] = (await world.stored(proposal)).approvals
    await world.runtime.revokeApproval(finance1, proposal, approval?.approvalId ?? '')

    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approved')
    expect((await world.stored(proposal)).approvals).toHaveLength(2)
  })

  it.each<[string, Record<string, unknown>, boolean]>([
    ['below the amount', { amount: { amount: '9999.99', currency: 'EUR' } }, false],
    ['at the amount', { amount: { amount: '10000.00', currency: 'EUR' } }, true],
    ['in another currency', { amount: { amount: '1', currency: 'JPY' } }, true],
  ])('rule R12: a condition that cannot be judged counts as true: %s', async (_title, fields, applies) => {
    const atLeast = { amount: '10000.00', currency: 'EUR' }
    const require = [
      { name: 'finance', count: 1, from: { role: 'finance-manager' } },
      { name: 'director', count: 1, from: { role: 'director' }, when: { path: '/amount', atLeast } },
    ]
    const world = await openWorld({ store, contract: { policy: { require } } })
    const { proposal, commitment } = await world.prepared(requester, world.input(fields))

    const first = await world.runtime.approve(finance1, proposal, { commitment })

    expect(first.outcome).toBe(applies ? 'approval_pending' : 'approved')
    expect(await answerOf(world.runtime.approve(director, proposal, { commitment }))).toBe('approved')
  })
})

function byPlace({ place: a = 0 }: Check, { place: b = 0 }: Check): number {
  return a - b
}

/** A second proposal for the same intent, taken all the way to verified. */
async function verifiedElsewhere(world: World, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const input = world.input({ intent: INTENT, ...fields })
  const { proposal, commitment } = await world.prepared(requester, input)
  await world.runtime.approve(finance1, proposal, { commitment })
  await world.runtime.approve(finance2, proposal, { commitment })
  await world.runtime.execute(requester, proposal)
  await world.clock.advance(5_000)
  const { status } = await world.runtime.reconcile(service, proposal)
  expect(status).toBe('verified')
  expect((await world.bareStore.proposal(reference(TENANT), reference(proposal)))?.kind).toBe('live')
  return proposal
}
