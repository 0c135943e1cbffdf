// Every state that a proposal can be in, and the shortest way of getting one there.
import type { Status } from '../../src/proposal/status.ts'
import type { World } from './harness.ts'
import { answering, contradicted, executing, found, inDoubt, lost, refusing, saying, unresolved } from './operators.ts'
import { finance1, operator, requester, session } from './sessions.ts'

/** The statuses, and what is left of a proposal that was erased. */
export type State = Status | 'erased'

const privacy = session('user:petra', ['privacy-officer', 'auditor'])

/** Gets one of the requester's proposals into the state, approved by the first of finance wherever somebody had to. */
export const reach: Readonly<Record<State, (world: World) => Promise<string>>> = {
  awaiting_approval: async (world) => (await world.prepared()).proposal,
  approved,
  async executing(world) {
    executing(world, async () => new Promise(() => {}))
    const ref = await approved(world)
    // The call never ends, so nobody waits for it.
    await Promise.race([world.runtime.execute(requester, ref), world.clock.advance(0)])
    return ref
  },
  verification_pending: async (world) => executed(world, async () => ({ status: 'accepted' })),
  failed_unknown: async (world) => inDoubt(world),
  verification_unresolved: async (world) => unresolved(world),
  verified,
  failed_known: async (world) => executed(world, refusing),
  async closed_unknown(world) {
    const ref = await contradicted(world)
    await world.runtime.settle(operator, ref, saying('closed_unknown'))
    return ref
  },
  async rejected(world) {
    const ref = await approved(world)
    const { commitment } = (await world.stored(ref)).proposal
    await world.runtime.reject(finance1, ref, { commitment })
    return ref
  },
  withdrawn,
  async expired(world) {
    const ref = await approved(world)
    await world.clock.advance(2 * 60 * 60_000)
    await world.runtime.execute(requester, ref)
    return ref
  },
  async stale(world) {
    const ref = await approved(world)
    world.action.business.orderVersion += 1
    await world.runtime.execute(requester, ref)
    return ref
  },
  async superseded(world) {
    const ref = await approved(world)
    await verified(world)
    await world.runtime.execute(requester, ref)
    return ref
  },
  async erased(world) {
    const ref = await withdrawn(world)
    await world.runtime.erase(privacy, ref, { reason: 'asked_by_subject' })
    return ref
  },
}

async function approved(world: World): Promise<string> {
  const { proposal, commitment } = await world.runtime.prepare(requester, world.input({ intent: 'broken vase' }))
  await world.runtime.approve(finance1, proposal, { commitment })
  return proposal
}

async function executed(world: World, end: Parameters<typeof executing>[1]): Promise<string> {
  executing(world, end)
  const ref = await approved(world)
  await world.runtime.execute(requester, ref)
  return ref
}

async function verified(world: World): Promise<string> {
  const ref = await executed(world, lost)
  answering(world, found)
  await world.runtime.reconcile(operator, ref, { now: true })
  return ref
}

async function withdrawn(world: World): Promise<string> {
  const ref = await approved(world)
  await world.runtime.withdraw(requester, ref)
  return ref
}
