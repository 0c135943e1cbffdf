// Cases E: who decides, and when. Four eyes are two people; no decision is no decision; one of two that cross wins.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import type { Status } from '../../src/proposal/status.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { type ExecutionWorld, openExecution } from '../runtime/execution-world.ts'
import { answerOf, LIFETIME_MS, MINUTE_MS, STORES } from '../runtime/harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { agent, agentOwner, finance1, requester, service, session } from '../runtime/sessions.ts'
import { lookWhenDue } from './steps.ts'

describe('case C070: the submitter, or the last editor, approves his own record', () => {
  const submitter = session('user:u1', ['support'])
  const promoted = session('user:u1', ['support', 'finance-manager'])
  const editor = session('user:u2', ['support', 'finance-manager', 'operator'])

  it('case C070 neither may, in any order, also not with a role that came later; a third person may', async () => {
    const world = await openExecution({ store: 'memory' })
    const first = await world.prepared(submitter, world.input({ intent: 'record' }))
    const input = { ...world.input({ intent: 'record', orderReference: 'ORD-1002' }), replaces: first.proposal }
    const { proposal, commitment } = await world.prepared(editor, input)
    const approve = async (by: Session): Promise<string> =>
      answerOf(world.runtime.approve(by, proposal, { commitment }))

    expect(await approve(editor)).toBe('separation_of_duties')
    expect(await approve(submitter)).toBe('separation_of_duties')
    expect(await approve(promoted)).toBe('separation_of_duties')
    expect(await approve(finance1)).toBe('approved')
    expect(await answerOf(world.execute(proposal))).toBe('verification_pending')
  })

  it('case C070 what an agent proposes counts as proposed by its owner', async () => {
    const world = await openExecution({ store: 'memory' })
    const { proposal, commitment } = await world.prepared(agent)

    expect(await answerOf(world.runtime.approve(agentOwner, proposal, { commitment }))).toBe('separation_of_duties')
    expect(await answerOf(world.runtime.approve(agent, proposal, { commitment }))).toBe('agent_cannot_decide')
  })

  it('case C070 the right of the approver is asked again when it is executed', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('record')
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      return caller.principal.id === 'fiona' && act === 'decide' ? false : can(act, caller, view)
    }

    expect(await answerOf(world.execute(ref))).toBe('blocked not_permitted')
    expect(world.action.calls.execute).toBe(0)
  })
})

describe('case C075: nobody answered, and the record says "approved"', () => {
  it('case C075 silence expires: no approver, no execution, no late approval', async () => {
    const world = await openExecution({ store: 'memory', contract: { lifetime: '1h' } })
    const { proposal, commitment } = await world.prepared()
    await world.clock.advance(61 * MINUTE_MS)

    expect(await world.runtime.read(finance1, proposal)).toMatchObject({
      policy: { met: false },
      nextStep: 'prepare_again',
    })
    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('expired')
    expect(await answerOf(world.execute(proposal))).toBe('expired')
    expect((await world.stored(proposal)).approvals).toEqual([])
  })

  it.each(['0s', '-1h', 'NaN', 'never', '', '91d', 0, Number.NaN, Number.POSITIVE_INFINITY, null, undefined])(
    'case C075 a lifetime of %s is refused',
    async (lifetime) => {
      await expect(openExecution({ store: 'memory', contract: { lifetime } })).rejects.toMatchObject({
        problems: [{ path: '/lifetime' }],
      })
    },
  )
})

describe.each(STORES)('case C078 on %s: cancel and approve cross each other', (store) => {
  const privacy = session('user:paula', ['privacy-officer', 'auditor'])
  const felix = session('user:felix', ['finance-manager'])
  const rounds = store === 'memory' ? 50 : 20

  /** How a proposal is closed, what it is then, and by whom. */
  interface Closing {
    readonly name: string
    readonly closed: Status
    readonly close: (runtime: ProposalRuntime, world: ExecutionWorld, ref: string) => Promise<unknown>
  }

  const closings: readonly Closing[] = [
    { name: 'withdraw', closed: 'withdrawn', close: async (runtime, _, ref) => runtime.withdraw(requester, ref) },
    {
      name: 'reject',
      closed: 'rejected',
      close: async (runtime, world, ref) => {
        const { commitment } = (await world.stored(ref)).proposal
        return runtime.reject(felix, ref, { commitment })
      },
    },
    {
      name: 'expire',
      closed: 'expired',
      close: async (runtime, world) => {
        await world.clock.advance(1)
        return runtime.expireDue(service)
      },
    },
    {
      name: 'erase',
      closed: 'withdrawn',
      close: async (runtime, _, ref) => runtime.erase(privacy, ref, { reason: 'customer_request' }),
    },
  ]

  /** Lets something else happen just before the n-th call that a runtime makes to its store. */
  function interrupted(): {
    readonly around: Around
    readonly arm: (nth: number, what: () => Promise<unknown>) => void
    readonly disarm: () => void
  } {
    let left = 0
    let happens: (() => Promise<unknown>) | null = null
    return {
      arm: (nth, what) => {
        left = nth
        happens = what
      },
      disarm: () => {
        happens = null
      },
      around: async (_name, call) => {
        left -= 1
        if (left === 0) await happens?.().catch(() => null)
        return call()
      },
    }
  }

  it.each(closings)('case C078 $name, at every step of an execution: one of the two happens', async (closing) => {
    const { around, arm, disarm } = interrupted()
    const world = await openExecution({ store, around })
    const rival = await world.open({ store: world.bareStore })
    const seen = new Set<string>()

    for (let nth = 1; nth <= 20; nth += 1) {
      const ref = await world.approved(`step ${nth}`)
      if (closing.name === 'expire') await world.clock.advance(LIFETIME_MS - 1)
      const before = world.action.calls.execute
      arm(nth, async () => closing.close(rival, world, ref))

      await world.execute(ref).catch(() => null)
      disarm()

      seen.add(await oneHappened(world, ref, closing, before))
    }
    expect(seen.size).toBe(2)
  })

  it.each(closings)('case C078 $name and execute, at the same moment: one of the two happens', async (closing) => {
    const world = await openExecution({ store })
    const rival = await world.open({ seed: 7 })
    const seen = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const ref = await world.approved(`round ${round}`)
      if (closing.name === 'expire') await world.clock.advance(LIFETIME_MS - 1)
      const before = world.action.calls.execute
      const both = [async () => closing.close(rival, world, ref), async () => world.execute(ref)]

      await Promise.all((round % 2 === 0 ? both : both.toReversed()).map(async (one) => one().catch(() => null)))

      seen.add(await oneHappened(world, ref, closing, before))
    }
    expect([...seen].filter((status) => status !== 'verification_pending' && status !== closing.closed)).toEqual([])
  })

  /** Either it was sent and is told as sent, or it is closed and stays so. */
  async function oneHappened(
    world: ExecutionWorld,
    ref: string,
    { closed }: Closing,
    callsBefore: number,
  ): Promise<string> {
    const wasSent = world.action.calls.execute > callsBefore
    const view = await world.runtime.read(finance1, ref)
    const status = view.kind === 'erased' ? view.tombstone.status : view.status
    expect(status).toBe(wasSent ? 'verification_pending' : closed)
    const again = await answerOf(world.execute(ref))
    expect(again).toMatch(wasSent ? /^verification_pending/ : /^(?:withdrawn|rejected|expired|not_found)/)
    expect(world.action.calls.execute).toBe(callsBefore + (wasSent ? 1 : 0))
    if (wasSent) await lookWhenDue(world, ref)
    return status
  }

  it('case C078 withdraw and approve, at the same moment: it is withdrawn, and nothing is ever sent', async () => {
    const world = await openExecution({ store })
    const rival = await world.open({ seed: 7 })
    for (let round = 0; round < rounds; round += 1) {
      const { proposal, commitment } = await world.prepared()
      const both = [
        async () => rival.withdraw(requester, proposal),
        async () => world.runtime.approve(finance1, proposal, { commitment }),
      ]

      await Promise.all((round % 2 === 0 ? both : both.toReversed()).map(async (one) => one().catch(() => null)))

      expect((await world.stored(proposal)).proposal.status).toBe('withdrawn')
      expect(await answerOf(world.execute(proposal))).toBe('withdrawn')
    }
    expect(world.action.calls.execute).toBe(0)
  })
})

describe('case C079: yesterday’s button approves today’s request', () => {
  it('case C079 a button acts on what it shows, each press is answered, and the other request is untouched', async () => {
    const world = await openExecution({ store: 'memory' })
    const yesterday = await world.prepared(requester, world.input({ intent: 'yesterday' }))
    await world.clock.advance(LIFETIME_MS)
    const today = await world.prepared(requester, world.input({ intent: 'today' }))
    const press = async (by: Session, on: string, shown: string): Promise<string> => {
      return answerOf(world.runtime.approve(by, on, { commitment: shown }))
    }

    expect(await press(finance1, yesterday.proposal, yesterday.commitment)).toBe('expired')
    expect(await press(finance1, yesterday.proposal, yesterday.commitment)).toBe('expired')
    expect(await press(finance1, today.proposal, yesterday.commitment)).toBe('binding_mismatch')
    expect((await world.stored(today.proposal)).approvals).toEqual([])

    const forwardedTo = session('user:sam', ['support'])
    expect(await press(forwardedTo, today.proposal, today.commitment)).toBe('decision_not_permitted')
    expect(await press(finance1, today.proposal, today.commitment)).toBe('approved')
    expect(await press(finance1, today.proposal, today.commitment)).toBe('replayed')
  })
})
