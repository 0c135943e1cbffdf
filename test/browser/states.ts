// The states that an inbox is in: what tests look at, and what the pictures in the README show.
import { answering, foundOther, gone, operator2, saying } from '../runtime/operators.ts'
import { finance1, finance2, operator, requester } from '../runtime/sessions.ts'
import type { Session } from '../../src/proposal/session.ts'
import type { BrowserWorld } from './browser-world.ts'

/** A page, and who looks at it. */
export interface State {
  readonly name: string
  readonly by: Session
  readonly path: string
}

const WAIT_MS = 180_000

/** Brings a world of two approvers into every main state. */
export async function everyState(world: BrowserWorld): Promise<readonly State[]> {
  const { runtime, clock } = world
  const waiting = await world.prepared(requester)
  const half = await world.prepared(requester)
  await runtime.approve(finance2, half.proposal, { commitment: half.commitment, comment: 'Checked with the customer.' })
  const sent = await world.prepared(requester)
  for (const by of [finance1, finance2]) {
    await runtime.approve(by, sent.proposal, { commitment: sent.commitment })
  }
  answering(world, gone)
  await runtime.execute(requester, sent.proposal)
  const other = await world.prepared(requester)
  for (const by of [finance1, finance2]) {
    await runtime.approve(by, other.proposal, { commitment: other.commitment })
  }
  await runtime.execute(requester, other.proposal)
  answering(world, foundOther)
  await clock.advance(WAIT_MS)
  await runtime.reconcile(operator, other.proposal, { now: true })
  const settled = await world.prepared(requester)
  for (const by of [finance1, finance2]) {
    await runtime.approve(by, settled.proposal, { commitment: settled.commitment })
  }
  await runtime.execute(requester, settled.proposal)
  await clock.advance(WAIT_MS)
  await runtime.reconcile(operator, settled.proposal, { now: true })
  await runtime.settle(operator, settled.proposal, saying('did_not_occur'))
  return [
    { name: 'queue', by: finance1, path: '/inbox' },
    { name: 'needs-a-person', by: operator, path: '/inbox/attention' },
    { name: 'my-decisions', by: finance1, path: '/inbox/decided' },
    { name: 'proposal', by: finance1, path: `/inbox/proposals/${half.proposal}` },
    { name: 'approve', by: finance1, path: `/inbox/proposals/${waiting.proposal}/approve` },
    { name: 'in-doubt', by: operator, path: `/inbox/proposals/${sent.proposal}` },
    { name: 'mismatch', by: operator, path: `/inbox/proposals/${other.proposal}` },
    { name: 'to-confirm', by: operator2, path: `/inbox/proposals/${settled.proposal}` },
    { name: 'empty', by: operator, path: '/inbox' },
    { name: 'not-found', by: operator, path: '/inbox/proposals/none' },
  ]
}
