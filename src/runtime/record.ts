// Recording: how a move of the lifecycle becomes the rows of a change, with exactly one receipt for each proposal.
import type { ReasonCode } from '../effect/reference.ts'
import { eventsOf } from '../proposal/event.ts'
import type { Move } from '../proposal/lifecycle/verdict.ts'
import { chainReceipt } from '../proposal/receipts/receipt-chain.ts'
import type { Receipt, ReceiptBody, ReceiptType } from '../proposal/receipts/receipt.ts'
import type { Proposal } from '../proposal/proposal.ts'
import type { Core } from './core.ts'
import type {
  ApprovalWrite,
  Change,
  Committed,
  Conflict,
  EffectWrite,
  EventDraft,
  LiveProposal,
  Sealed,
} from './ports.ts'
import { tried } from './rounds.ts'
import { VERSION } from './version.ts'

/** Who acted, as `kind:id`, and who called; null for time and evidence. */
export interface Actor {
  readonly participant: string | null
  readonly trigger: string | null
}

/** Time and evidence act by themselves. */
export const NOBODY: Actor = { participant: null, trigger: null }

/** A move of a stored proposal, ready to go into a change. */
export interface Recorded {
  readonly stored: LiveProposal
  readonly move: Move
  readonly actor: Actor
  readonly result?: Sealed
}

/** What time does to a proposal, whoever's touch brought it to light. */
const BY_TIME: ReadonlySet<ReceiptType> = new Set(['proposal.expired', 'approval.lapsed'])

/** The receipt of a stored proposal's next revision. */
export function receiptOf({ stored, move, actor }: Recorded): Receipt {
  const { proposal, receipt } = move
  const previous = { sequence: stored.proposal.revision + 1, hash: stored.lastHash }
  const who = BY_TIME.has(receipt.type) ? { ...actor, participant: null } : actor
  const body = receiptBody(proposal, receipt, who, receipt.reason ?? null)
  return chainReceipt(stored.receiptSalt, previous, { tenant: proposal.tenant, proposal: proposal.ref, body })
}

/** What a receipt of this proposal says. */
export function receiptBody(
  proposal: Proposal,
  { type, attempt, externalReference, detail }: Move['receipt'],
  { participant, trigger }: Actor,
  reason: ReasonCode | null,
): ReceiptBody {
  return {
    type,
    at: proposal.updatedAt,
    participant,
    trigger,
    action: proposal.action,
    status: proposal.status,
    attempt: attempt ?? null,
    reason,
    externalReference: externalReference ?? null,
    detail: detail ?? [],
    runtimeVersion: VERSION,
  }
}

/** What a change may hold beside the moves themselves. */
export interface ChangeParts {
  readonly notAfter?: number | null
  readonly notBefore?: number | null
  readonly effect?: EffectWrite | null
  readonly approvals?: readonly ApprovalWrite[]
  readonly inserts?: Change['proposals']
  readonly receipts?: readonly Receipt[]
  readonly events?: readonly EventDraft[]
}

/** The moves and whatever goes with them, as one change. */
export function changeOf(
  core: Core,
  tenant: Change['tenant'],
  moves: readonly Recorded[],
  parts: ChangeParts = {},
): Change {
  return {
    changeId: core.ids.token(),
    tenant,
    notAfter: parts.notAfter ?? null,
    notBefore: parts.notBefore ?? null,
    proposals: [...moves.map(updateOf), ...(parts.inserts ?? [])],
    effect: parts.effect ?? null,
    call: null,
    approvals: parts.approvals ?? [],
    receipts: [...moves.map(receiptOf), ...(parts.receipts ?? [])],
    events: [...moves.flatMap(({ stored, move }) => eventsOf(stored.proposal, move.proposal)), ...(parts.events ?? [])],
  }
}

/** Commits a change, and takes in what the store says of its time. */
export async function commit(core: Core, change: Change): Promise<Committed | Conflict> {
  const askedAt = core.clock.now()
  const answer = await core.store.commit(change)
  if (answer.kind === 'committed') core.storeClock.hear(answer.at, askedAt)
  return answer
}

/** Likewise, and the same change again where the answer was lost, so that it lands once (evidence P13). */
export async function commitTried(core: Core, change: Change): Promise<Committed | Conflict> {
  return tried(() => commit(core, change))
}

/** Commits one move of one proposal. */
export async function commitMove(
  core: Core,
  recorded: Recorded,
  parts: ChangeParts = {},
): Promise<Committed | Conflict> {
  return commit(core, changeOf(core, recorded.stored.proposal.tenant, [recorded], parts))
}

function updateOf({ move, result }: Recorded): Change['proposals'][number] {
  return { kind: 'update', proposal: move.proposal, ...(result === undefined ? {} : { result }) }
}
