// Stories about authority: an approval is good for the state that it described, for a while, and once.
import { DecisionRefused, type OperationResult } from 'countersign'
import { RefundAction } from '../refund-action.ts'
import { agent, fiona, sam } from './cast.ts'
import { tell } from './narrator.ts'
import { approvedRefund, CountedRefund, propose, RacedRefund, RefundWithReplacement } from './refunds.ts'
import type { Stage } from './stage.ts'

/** A naive system refunds what was once approved, of an order that is no longer the one that was shown. */
export async function drift(stage: Stage): Promise<string> {
  const action = new CountedRefund(stage.business.url)
  const runtime = await stage.runtime(action)
  const order = stage.newOrder()
  const proposal = await approvedRefund(runtime, order)

  tell('Before it is executed, somebody else refunds 5.00 EUR of the same order.')
  await stage.business.changeOrder(order, '25.00')

  const { status } = await runtime.execute(agent, proposal)
  return `${status}, executor calls: ${action.executorCalls}`
}

/** A naive system carries the approval over to the changed refund, which nobody has seen. */
export async function driftWithReplacement(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new RefundWithReplacement(stage.business.url))
  const order = stage.newOrder()
  const proposal = await approvedRefund(runtime, order)

  tell('Somebody else refunds 5.00 EUR; the action offers the same refund of the order as it is now.')
  await stage.business.changeOrder(order, '25.00')

  // The content is offered anew. Authority is not: it never moves from one proposal to another.
  const { status, replacedBy } = await runtime.execute(agent, proposal)
  const fresh = replacedBy === null ? null : await runtime.read(fiona, replacedBy)
  return `${status}, fresh proposal: ${fresh?.kind === 'proposal' ? fresh.status : 'none'}`
}

/** A naive system checks, then writes. Between the two there is always a moment in which the order can change. */
export async function finalRace(stage: Stage): Promise<string> {
  const order = stage.newOrder()
  const action = new RacedRefund(stage.business.url, async () => {
    tell('The runtime has found no drift, the executor is about to write; right now 5.00 EUR are refunded elsewhere.')
    await stage.business.changeOrder(order, '25.00')
  })
  const runtime = await stage.runtime(action)
  const proposal = await approvedRefund(runtime, order)

  // The executor hands the version that was checked to the business system, whose own transaction refuses another one.
  const { reason } = await runtime.execute(agent, proposal)
  return `${reason}, refunds: ${await stage.refundsOf(order)}`
}

/** A naive system has approvals that lie around for ever, until somebody or something uses one. */
export async function expiry(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new RefundAction(stage.business.url))
  const proposal = await approvedRefund(runtime, stage.newOrder())

  tell('10 minutes pass, which is all the time that the proposal had.')
  await stage.letPass(10 * 60_000)

  const { status } = await runtime.execute(agent, proposal)
  return status
}

/** A naive system takes two requests for one refund for two refunds: each was approved, after all. */
export async function competingProposal(stage: Stage): Promise<string> {
  const action = new CountedRefund(stage.business.url)
  const runtime = await stage.runtime(action)
  const order = stage.newOrder()
  const proposals = [await approvedRefund(runtime, order), await approvedRefund(runtime, order)]

  tell('Both proposals name the same effect; both are executed at the same moment.')
  const results = await Promise.all(proposals.map(async (proposal) => runtime.execute(agent, proposal)))

  // Which of the two wins is open; that only one does is not.
  const others = results.filter(({ outcome }) => outcome !== 'verification_pending')
  return `${others.map(({ outcome }) => outcome).join(', ')}, executor calls: ${action.executorCalls}`
}

/** A naive system asks whether somebody has the right role, and not whether the request is his own. */
export async function selfApproval(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new RefundAction(stage.business.url))
  const own = await propose(runtime, sam, stage.newOrder())
  const ofHisAgent = await propose(runtime, agent, stage.newOrder())

  tell('sam, who is a finance manager too and owns the agent, tries to approve both.')
  const approve = async ({ proposal, commitment }: OperationResult): Promise<string> => {
    try {
      return (await runtime.approve(sam, proposal, { commitment })).outcome
    } catch (error) {
      if (error instanceof DecisionRefused && error.code === 'separation_of_duties') return 'refused'
      throw error
    }
  }
  const answers = new Set([await approve(own), await approve(ofHisAgent)])
  return [...answers].join(', ')
}
