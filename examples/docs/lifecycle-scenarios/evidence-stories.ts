// Stories about evidence: what became of a call is looked up and never guessed, and nothing is sent again before that.
import { RefundAction } from '../refund-action.ts'
import { agent } from './cast.ts'
import { tell } from './narrator.ts'
import { approvedRefund, lookWhenDue, ResendableRefund } from './refunds.ts'
import type { Stage } from './stage.ts'

/** A naive system calls "accepted" done; or it looks once, finds nothing yet, and sends another refund. */
export async function verification(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new RefundAction(stage.business.url))
  const proposal = await approvedRefund(runtime, stage.newOrder())

  tell('The business system accepts the refund; its look-up lags behind its books once.')
  await stage.business.faults('stale_reads', 1)
  const accepted = await runtime.execute(agent, proposal)

  const tooEarly = await lookWhenDue(stage, runtime, accepted)
  const seen = await lookWhenDue(stage, runtime, tooEarly)
  return `${tooEarly.status} -> ${seen.status}`
}

/** A naive system takes the broken connection for a failure and tries again: the customer is paid twice. */
export async function lostResponse(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new RefundAction(stage.business.url))
  const order = stage.newOrder()
  const proposal = await approvedRefund(runtime, order)

  tell('The business system books the refund, and the connection breaks before it can say so.')
  await stage.business.faults('commit_then_drop', 1)
  const lost = await runtime.execute(agent, proposal)

  const found = await lookWhenDue(stage, runtime, lost)
  return `${lost.status} -> ${found.status}, refunds: ${await stage.refundsOf(order)}`
}

/** A naive system never tries again, or at once: "not there" may just mean "not there yet". */
export async function finalAbsence(stage: Stage): Promise<string> {
  const runtime = await stage.runtime(new ResendableRefund(stage.business.url))
  const order = stage.newOrder()
  const proposal = await approvedRefund(runtime, order)

  tell('The connection breaks, as before; but this time nothing was booked.')
  await stage.business.faults('drop_before_commit', 1)
  const lost = await runtime.execute(agent, proposal)

  // Nothing is there, which does not count yet: for all that anybody knows, the lost request is still on its way.
  const tooEarly = await lookWhenDue(stage, runtime, lost)

  // The lease lasts a minute (`executeTimeout` and 30 s); then the request may be on its way for another (`inFlight`).
  tell('2 minutes pass, after which the lost request can no longer land.')
  await stage.letPass(2 * 60_000)
  const released = await lookWhenDue(stage, runtime, tooEarly)

  tell('The approval still stands, so the refund is executed again; the runtime looks once more before it sends.')
  const resent = await runtime.execute(agent, proposal)
  const seen = await lookWhenDue(stage, runtime, resent)

  const [attempts, refunds] = [await stage.attemptsOn(order), await stage.refundsOf(order)]
  return `${released.outcome} -> ${seen.status}, attempts: ${attempts}, refunds: ${refunds}`
}
