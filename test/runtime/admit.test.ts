// Admission: rights and time are judged at the last moment, the attempt is durable before the call, and nothing else calls.
import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/runtime/ports.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { answering, type ExecutionWorld, openExecution, opensAttempt, says } from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, LIFETIME_MS, MINUTE_MS, reference, START, STORES, unsound } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { refund } from './refund.ts'
import { director, finance1, finance2, requester, service, TENANT } from './sessions.ts'

const finance = { name: 'finance', count: 1, from: { role: 'finance-manager' } }
const LEASE_MS = 60_000

/** A world whose admission can be met by something, before it reaches the store and after it was taken. */
interface Gate {
  before: (() => Promise<void> | void) | null
  after: (() => Promise<void> | void) | null
  /** The changes that opened an attempt. */
  readonly admissions: Change[]
}

async function openGate(
  store: StoreName,
  contract: Readonly<Record<string, unknown>> = {},
): Promise<{ world: ExecutionWorld; proposal: string; gate: Gate }> {
  const gate: Gate = { before: null, after: null, admissions: [] }
  const around: Around = async (_name, call, change) => {
    if (!opensAttempt(change)) return call()
    gate.admissions.push(change)
    await gate.before?.()
    const answer = await call()
    await gate.after?.()
    return answer
  }
  const world = await openExecution({ store, contract, around })
  return { world, proposal: await world.approved('the one that is admitted'), gate }
}

/** Where time passes during an execution: each is after an await and before the call. */
const moments = {
  'the first right is asked for': onRight('execute', 1),
  'the state is resolved': ({ world }, happens) => {
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      happens()
      return resolve(input)
    }
  },
  'the right is asked for on the state': onRight('execute', 2),
  'the right of the approver is asked for': onRight('decide', 1),
  'related proposals are looked for': ({ reads }, happens) => void (reads.list = happens),
  'the admission is on its way': ({ gate }, happens) => void (gate.before = happens),
  'the admission is answered': ({ gate }, happens) => void (gate.after = happens),
} satisfies Record<string, (scene: Scene, happens: () => void) => void>

interface Scene {
  readonly world: ExecutionWorld
  readonly gate: Gate
  readonly reads: { list: (() => void) | null }
}

function onRight(act: 'execute' | 'decide', nth: number): (scene: Scene, happens: () => void) => void {
  return ({ world }, happens) => {
    const { can } = world.action.methods
    let asked = 0
    world.action.methods.can = async (what, caller, view) => {
      if (what === act) asked += 1
      if (what === act && asked === nth) happens()
      return can(what, caller, view)
    }
  }
}

const momentNames = Object.keys(moments) as (keyof typeof moments)[]

describe.each(STORES)('lifecycle 6.8 on %s', (store) => {
  it.each([
    { who: 'the caller may no longer execute, on the state', act: 'execute', says: false, ends: 'not_permitted' },
    { who: 'the approver may no longer decide', act: 'decide', says: false, ends: 'not_permitted' },
    { who: 'the caller is nearly allowed', act: 'execute', says: 'true', ends: 'not_permitted' },
    { who: 'the directory fails for the caller', act: 'execute', says: null, ends: 'authorization_unavailable' },
    { who: 'the directory fails for the approver', act: 'decide', says: null, ends: 'authorization_unavailable' },
  ])('trace S38: is blocked while $who, and strands nothing', async ({ act, says: answer, ends }) => {
    const { world, proposal, gate } = await openGate(store)
    const { can } = world.action.methods
    let isSpoilt = true
    world.action.methods.can = (what, caller, view) => {
      const isMeant = what === act && (act === 'decide' || view.snapshot !== null)
      if (!isSpoilt || !isMeant) return can(what, caller, view)
      if (answer === null) throw new Error('directory down')
      return unsound<boolean>(answer)
    }

    expect(await answerOf(world.execute(proposal))).toBe(`blocked ${ends}`)
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
    expect([gate.admissions.length, world.action.calls.execute]).toEqual([0, 0])

    isSpoilt = false
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('trace S53: is blocked while a directory never answers', async () => {
    const { world, proposal } = await openGate(store)
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) =>
      act === 'decide' ? new Promise(() => {}) : can(act, caller, view)

    const answer = answerOf(world.execute(proposal))
    await world.clock.advance(10_000)

    expect(await answer).toBe('blocked authorization_unavailable')
  })

  it('trace S26: the right of the approver is asked after that of the caller, and nothing is awaited after it', async () => {
    const { world, proposal } = await openGate(store)

    await world.execute(proposal)

    const acts = world.action.asked.map(({ act, view }) => (view.snapshot === null ? act : `${act} on the state`))
    const last = acts.slice(acts.indexOf('execute on the state'))
    expect(last.slice(0, 2)).toEqual(['execute on the state', 'decide'])
    expect(world.action.asked.find(({ act }) => act === 'decide')?.caller).toMatchObject({
      principal: finance1.principal,
      roles: ['finance-manager'],
    })
  })

  it('judges the caller on the state as it is, not as it was approved', async () => {
    const { world, proposal } = await openGate(store, { immaterial: ['/customer'] })
    world.action.business.customer = 'Somebody else'

    await world.execute(proposal)

    const seen = world.action.asked.flatMap(({ act, view }) => (act === 'execute' ? [view.snapshot?.customer] : []))
    expect(seen).toEqual([undefined, 'Somebody else'])
  })

  it('pitfall W15: where one approver has lost the right, another approval on record takes the place', async () => {
    const { world, proposal } = await openGate(store)
    const { commitment } = (await world.stored(proposal)).proposal
    await world.runtime.approve(finance2, proposal, { commitment })
    const lost = new Set([finance1.principal.id])
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      return act === 'decide' && lost.has(caller.principal.id) ? false : can(act, caller, view)
    }

    lost.add(finance2.principal.id)
    expect(await answerOf(world.execute(proposal))).toBe('blocked not_permitted')
    lost.delete(finance2.principal.id)
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('pitfall W15: everybody who stands in is asked, and one person stands in once', async () => {
    const { world } = await openGate(store, {
      policy: { require: [{ ...finance, count: 2 }] },
    })
    const { proposal, commitment } = await world.prepared()
    for (const one of [finance1, finance2]) await world.runtime.approve(one, proposal, { commitment })
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      return act === 'decide' && caller.principal.id === 'felix' ? false : can(act, caller, view)
    }

    expect(await answerOf(world.execute(proposal))).toBe('blocked not_permitted')
    const asked = world.action.asked.filter(({ act, view }) => act === 'decide' && view.proposal?.status === 'approved')
    expect(asked.map(({ caller }) => caller.principal.id).toSorted()).toEqual(['felix', 'fiona'])
  })

  it.each([
    { policy: 'block', related: 'the same subject, in doubt', settle: false, ends: 'blocked related_in_doubt' },
    { policy: 'block', related: 'the same subject, unresolved', settle: null, ends: 'blocked related_in_doubt' },
    { policy: 'block', related: 'the same subject, settled', settle: true, ends: 'verification_pending' },
    { policy: 'warn', related: 'the same subject, in doubt', settle: false, ends: 'verification_pending' },
  ])('whileRelatedInDoubt $policy: with another one for $related it is $ends', async ({ policy, settle, ends }) => {
    const { world, proposal } = await openGate(store, {
      policy: { require: [finance], whileRelatedInDoubt: policy },
    })
    const other = await world.approved('another one for the same order')
    await world.execute(other)
    if (settle !== false) {
      if (settle === null) world.action.methods.verify = answering(says.doneAs({ matches: 2 }))
      await world.clock.advance(5_000)
      await world.reconcile(other)
    }

    expect(await answerOf(world.execute(proposal))).toBe(ends)
  })

  it('a proposal is not related to itself', async () => {
    const { world, proposal } = await openGate(store, {
      policy: { require: [finance], whileRelatedInDoubt: 'block' },
    })

    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })
})

describe.each(STORES)('expiry during an execution on %s', (store) => {
  const offsets = [-1, 0, 1]
  const cases = momentNames.flatMap((moment) => offsets.map((offset) => ({ moment, offset })))

  it.each(cases)('$offset ms from expiry while $moment', async ({ moment, offset }) => {
    const scene = await openScene(store)
    const { world, proposal } = scene
    const { expiresAt } = (await world.stored(proposal)).proposal
    await world.clock.advance(expiresAt - 2_000 - world.clock.now())
    moments[moment](scene, () => world.clock.setWall(expiresAt + offset))

    const answer = await world.execute(proposal)

    const isInTime = offset < 0
    expect(answer.status).toBe(isInTime ? 'verification_pending' : 'expired')
    expect(world.action.calls.execute).toBe(isInTime ? 1 : 0)
  })

  it('trace S39: admitted and then too late is proven not sent, so that nobody hunts for a request that was never made', async () => {
    const scene = await openScene(store)
    const { world, proposal } = scene
    const { expiresAt } = (await world.stored(proposal)).proposal
    await world.clock.advance(expiresAt - 2_000 - world.clock.now())
    moments['the admission is answered'](scene, () => world.clock.setWall(expiresAt))

    await world.execute(proposal)

    expect((await world.receipts(proposal)).slice(2)).toEqual(['execution.started', 'execution.not_sent'])
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ kind: 'not_sent', reason: 'too_late' })
  })

  it.each(cases)('$offset ms from the lapse of an approval while $moment', async ({ moment, offset }) => {
    const scene = await openScene(store, { approvalTtl: '2m' })
    const { world, proposal } = scene
    const lapsesAt = (await world.stored(proposal)).approvals[0]?.expiresAt ?? 0
    await world.clock.advance(lapsesAt - 2_000 - world.clock.now())
    moments[moment](scene, () => world.clock.setWall(lapsesAt + offset))

    const answer = await world.execute(proposal)

    const isInTime = offset < 0
    expect(answer.status).toBe(isInTime ? 'verification_pending' : 'awaiting_approval')
    expect(world.action.calls.execute).toBe(isInTime ? 1 : 0)
    // What was admitted already ends as not sent; until then the approval is what is missing.
    const why = moment === 'the admission is answered' ? 'too_late' : 'approval_lapsed'
    expect([answer.outcome, answer.reason]).toEqual(
      isInTime ? ['verification_pending', null] : ['approval_pending', why],
    )
  })

  it.each<{ why: string; spoil: (world: ExecutionWorld, expire: () => void) => void }>([
    {
      why: 'the state cannot be resolved',
      spoil: (world, expire) => {
        world.action.methods.resolve = async () => {
          expire()
          throw new Error('down')
        }
      },
    },
    {
      why: 'a right is gone',
      spoil: (world, expire) => {
        const { can } = world.action.methods
        world.action.methods.can = (act, caller, view) => {
          if (act === 'execute' && view.snapshot !== null) expire()
          return act === 'execute' && view.snapshot !== null ? false : can(act, caller, view)
        }
      },
    },
    {
      why: 'the directory fails',
      spoil: (world, expire) => {
        const { can } = world.action.methods
        world.action.methods.can = (act, caller, view) => {
          if (act !== 'decide') return can(act, caller, view)
          expire()
          throw new Error('directory down')
        }
      },
    },
  ])('what expires while $why is over, and not blocked', async ({ spoil }) => {
    const { world, proposal } = await openScene(store)
    const { expiresAt } = (await world.stored(proposal)).proposal
    spoil(world, () => world.clock.setWall(expiresAt))

    expect(await answerOf(world.execute(proposal))).toBe('expired')
    expect((await world.receipts(proposal)).at(-1)).toBe('proposal.expired')
  })

  async function openScene(
    kind: StoreName,
    policy: Readonly<Record<string, unknown>> = {},
  ): Promise<Scene & { readonly proposal: string }> {
    const reads: Scene['reads'] = { list: null }
    const gate: Gate = { before: null, after: null, admissions: [] }
    const around: Around = async (name, call, change) => {
      if (name === 'list') reads.list?.()
      if (!opensAttempt(change)) return call()
      await gate.before?.()
      const answer = await call()
      await gate.after?.()
      return answer
    }
    const contract = { policy: { require: [finance], whileRelatedInDoubt: 'block', ...policy } }
    const world = await openExecution({ store: kind, contract, around })
    return { world, gate, reads, proposal: await world.approved('the one that runs out of time') }
  }
})

describe.each(STORES)('lifecycle 6.9 and 6.10 on %s', (store) => {
  it('writes proposal, claim, attempt, fence, lease and receipt in one change, with the time until which it may land', async () => {
    const { world, proposal, gate } = await openGate(store, { policy: { require: [finance], approvalTtl: '2m' } })
    const { revision, effect } = (await world.stored(proposal)).proposal

    await world.execute(proposal)

    expect(gate.admissions).toHaveLength(1)
    expect(gate.admissions[0]).toMatchObject({
      notAfter: START + 2 * MINUTE_MS,
      proposals: [{ kind: 'update', proposal: { status: 'executing', attempt: 1, revision: revision + 1 } }],
      effect: {
        expect: 'absent',
        row: { key: effect, owner: proposal, version: 1, epoch: 1 },
        opened: {
          number: 1,
          proposal,
          action: refund.type,
          target: 'business-system',
          generation: 1,
          epoch: 1,
          startedAt: START,
          leaseUntil: START + LEASE_MS,
          precondition: 'order-version:7',
          ending: null,
        },
      },
      receipts: [{ body: { type: 'execution.started', attempt: 1, status: 'executing' } }],
    })
    expect(gate.admissions[0]?.effect?.opened?.token).toMatch(/^\S{20,}$/)
  })

  it('the least of expiry and needed approvals limits the admission', async () => {
    const { world, gate } = await openGate(store, {
      policy: {
        require: [finance, { name: 'director', count: 1, from: { role: 'director' } }],
        approvalTtl: '9m',
      },
    })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.clock.advance(2 * MINUTE_MS)
    await world.runtime.approve(director, proposal, { commitment })

    await world.execute(proposal)

    expect(gate.admissions[0]?.notAfter).toBe(START + 9 * MINUTE_MS)
  })

  it.each([
    { fault: 'refused', told: 'store_unavailable', status: 'approved', again: 'verification_pending' },
    { fault: 'lost_before', told: 'persistence_outcome_unknown', status: 'approved', again: 'verification_pending' },
    { fault: 'lost', told: 'persistence_outcome_unknown', status: 'executing', again: 'in_progress' },
  ] as const)('an admission that is $fault calls nothing', async ({ fault, told, status, again }) => {
    const { world, proposal } = await openGate(store)
    world.faults.at(1, fault)

    expect(await answerOf(world.execute(proposal))).toBe(told)
    expect((await world.stored(proposal)).proposal.status).toBe(status)
    expect(world.action.calls.execute).toBe(0)
    expect(await answerOf(world.execute(proposal))).toBe(again)
  })

  it('an admission whose answer was lost is looked into after its lease, and never called', async () => {
    const { world, proposal } = await openGate(store)
    world.faults.at(1, 'lost')
    await answerOf(world.execute(proposal))

    expect(await answerOf(world.reconcile(proposal))).toBe('in_progress')
    await world.clock.advance(LEASE_MS)
    const answer = await world.reconcile(proposal)

    expect([answer.status, answer.evidence?.status]).toEqual(['verification_pending', 'UNKNOWN'])
    expect(await world.receipts(proposal)).toEqual([
      'proposal.prepared',
      'approval.approved',
      'execution.started',
      'operation.lease_lapsed',
      'verification.provisional_absence',
    ])
    expect(world.log.executed).toEqual([])
  })

  it.each([
    { tookMs: 30_000, ends: 'verification_pending', calls: 1 },
    { tookMs: 30_001, ends: 'approved', calls: 0 },
    { tookMs: 90_000, ends: 'approved', calls: 0 },
  ])(
    'an admission that took $tookMs ms leaves enough of its lease, or is not sent',
    async ({ tookMs, ends, calls }) => {
      const { world, proposal, gate } = await openGate(store)
      gate.after = () => world.clock.advance(tookMs)

      const answer = await world.execute(proposal)

      expect([answer.status, world.action.calls.execute]).toEqual([ends, calls])
      if (calls === 1) return
      const { attempts } = await world.effect(proposal)
      expect(attempts[0]?.ending).toMatchObject({ kind: 'not_sent', evidence: 'FAILED', reason: 'lease_too_short' })
      expect((await world.receipts(proposal)).slice(2)).toEqual(['execution.started', 'execution.not_sent'])

      // Proven not sent: another look at the target, and the effect is called under the key that was never seen.
      gate.after = null
      expect((await world.execute(proposal)).status).toBe('verification_pending')
      expect((await world.effect(proposal)).attempts.map(({ generation }) => generation)).toEqual([1, 1])
      expect(world.action.calls.execute).toBe(1)
    },
  )

  it('trace S6: a wall clock that jumps over the lease while it is admitted leaves nothing to call under', async () => {
    const { world, proposal, gate } = await openGate(store, { lifetime: '1d' })
    gate.after = () => world.clock.setWall(START + LEASE_MS)

    expect((await world.execute(proposal)).status).toBe('approved')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ kind: 'not_sent' })
    expect(world.action.calls.execute).toBe(0)
  })

  it.each([
    { what: 'its approval', policy: { approvalTtl: '1m' }, ends: 'awaiting_approval' },
    { what: 'its lifetime', policy: {}, ends: 'expired' },
  ])('not sent, it goes back to what holds by then: without $what it is $ends', async ({ policy, ends }) => {
    const { world, proposal, gate } = await openGate(store, { policy: { require: [finance], ...policy } })
    gate.after = () => world.clock.advance(ends === 'expired' ? LIFETIME_MS : MINUTE_MS)

    expect((await world.execute(proposal)).status).toBe(ends)
    expect(world.action.calls.execute).toBe(0)
  })

  it('an approval that is taken back while the rights are asked for stops the admission', async () => {
    const { world, proposal, gate } = await openGate(store)
    const [approval] = (await world.stored(proposal)).approvals
    gate.before = async () => {
      gate.before = null
      await world.runtime.revokeApproval(finance1, proposal, approval?.approvalId ?? '')
    }

    expect(await answerOf(world.execute(proposal))).toBe('approval_pending')
    expect(world.action.calls.execute).toBe(0)
  })

  it('another approval while it is admitted starts the checks anew, and it runs once', async () => {
    const { world, proposal, gate } = await openGate(store)
    const { commitment } = (await world.stored(proposal)).proposal
    gate.before = async () => {
      gate.before = null
      await world.runtime.approve(finance2, proposal, { commitment })
    }

    expect((await world.execute(proposal)).status).toBe('verification_pending')
    expect([world.action.calls.resolve, world.action.calls.execute]).toEqual([2, 1])
  })

  it('rule R18: an execution that always loses says so after a bounded number of rounds', async () => {
    const { world, proposal, gate } = await openGate(store, { policy: { require: [{ ...finance }] } })
    const { commitment } = (await world.stored(proposal)).proposal
    let others = 0
    gate.before = async () => {
      others += 1
      const one = { ...finance1, principal: { kind: 'user' as const, id: `finance-${others}` } }
      await world.runtime.approve(one, proposal, { commitment })
    }

    expect(await answerOf(world.execute(proposal))).toBe('conflict lost_race')
    expect([others, world.action.calls.execute]).toEqual([8, 0])
  })
})

describe.each(STORES)('design D11 on %s', (store) => {
  it.each([
    { what: 'lifetime', policy: {}, ends: 'expired' },
    { what: 'approval', policy: { approvalTtl: '2m' }, ends: 'approval_pending approval_lapsed' },
  ])('the clock of the store has the last word on the $what, and is asked once', async ({ policy, ends }) => {
    const { world, proposal, gate } = await openGate(store, { policy: { require: [finance], ...policy } })
    await world.clock.advance(ends === 'expired' ? LIFETIME_MS : 2 * MINUTE_MS)
    const slow = await world.open({ clock: new VirtualClock(START) })

    const answer = await slow.execute(requester, proposal)

    expect(answer.reason === null ? answer.outcome : `${answer.outcome} ${answer.reason}`).toBe(ends)
    expect([gate.admissions.length, world.action.calls.resolve, world.action.calls.execute]).toEqual([1, 1, 0])
  })

  it('a process whose clock runs ahead expires early, and calls nothing', async () => {
    const { world, proposal } = await openGate(store)
    const fast = await world.open({ clock: new VirtualClock(START + LIFETIME_MS) })

    expect(await answerOf(fast.execute(service, proposal))).toBe('expired')
    expect(world.action.calls.execute).toBe(0)
    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    expect(chain.at(-1)?.body?.at).toBe(START + LIFETIME_MS)
  })

  it('invariant I12: a clock that is set back revives nothing', async () => {
    const { world, proposal } = await openGate(store)
    await world.clock.advance(LIFETIME_MS)
    expect(await answerOf(world.execute(proposal))).toBe('expired')

    world.clock.setWall(START)

    expect(await answerOf(world.execute(proposal))).toBe('expired')
  })
})
