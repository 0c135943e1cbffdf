// The refunds of the scenarios: variants of the action, and the steps that every story takes with it.
import type {
  Execute,
  Executed,
  OperationResult,
  ProposalRuntime,
  Resolve,
  Resolved,
  Session,
  Snapshot,
} from 'countersign'
import { type Refund, refund, RefundAction } from '../refund-action.ts'
import { agent, fiona } from './cast.ts'
import { tell } from './narrator.ts'
import type { Stage } from './stage.ts'

/** The refund as it is, with the calls of its executor counted. */
export class CountedRefund extends RefundAction {
  executorCalls = 0

  override async execute(input: Execute<Refund>): Promise<Executed<Refund>> {
    this.executorCalls += 1
    return super.execute(input)
  }
}

// #region replacement
/** Offers, in case of drift, the same refund of the order as it is now. */
export class RefundWithReplacement extends RefundAction {
  override async resolve(input: Resolve<Refund>): Promise<Resolved<Refund> & { readonly current: Snapshot<Refund> }> {
    const resolved = await super.resolve(input)
    return { ...resolved, replacement: resolved.current }
  }
}
// #endregion

/** Lets something happen at the worst moment: the order has been looked at, and the money has not moved yet. */
export class RacedRefund extends RefundAction {
  readonly #race: () => Promise<void>

  constructor(url: string, race: () => Promise<void>) {
    super(url)
    this.#race = race
  }

  override async execute(input: Execute<Refund>): Promise<Executed<Refund>> {
    await this.#race()
    return super.execute(input)
  }
}

/** Trusts the business system when it says that a request is finished without effect, and may then send another one. */
export class ResendableRefund extends RefundAction {
  override readonly contract: Refund = { ...refund, acceptProof: { resend: ['terminal'] } }
}

/** Somebody asks for 10.00 EUR of the order. */
export async function propose(runtime: ProposalRuntime, requester: Session, order: string): Promise<OperationResult> {
  tell(`${requester.principal.id} proposes to refund 10.00 EUR of ${order}.`)
  return runtime.prepare(requester, {
    action: refund.type,
    command: { orderReference: order, intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } },
  })
}

/** The agent asks and Fiona approves; the answer is the reference of the proposal. */
export async function approvedRefund(runtime: ProposalRuntime, order: string): Promise<string> {
  const { proposal, commitment } = await propose(runtime, agent, order)
  tell('fiona approves what she was shown, and nothing else.')
  await runtime.approve(fiona, proposal, { commitment })
  return proposal
}

/** Lets time pass until the runtime wants to look at the business system again, and lets it look. */
export async function lookWhenDue(
  stage: Stage,
  runtime: ProposalRuntime,
  { proposal, waitUntil }: OperationResult,
): Promise<OperationResult> {
  const now = stage.clock.now()
  if (waitUntil !== null && waitUntil > now) {
    tell(`${((waitUntil - now) / 1_000).toFixed(1)} seconds pass.`)
    await stage.letPass(waitUntil - now)
  }
  const looked = await runtime.reconcile(agent, proposal)
  tell(`The runtime looks the refund up by its idempotency key: ${looked.outcome}.`)
  return looked
}
