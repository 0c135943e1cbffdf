// Opening an attempt: proposal, claim and attempt become durable in one change, or somebody else was quicker.
import type { Attempt, Effect } from '../../effect/effect.ts'
import { unclaimed, withOpened } from '../../effect/effect-changes.ts'
import { counterpart, idempotencyKey } from '../../effect/effect-key.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import { effectWrite } from '../effect-write.ts'
import { commitMove } from '../record.ts'
import { LOST_RACE } from '../rounds.ts'
import { blocked, conclude, type Execution, type Round } from './execution.ts'

/** The attempt that is to be opened. */
export interface Opening {
  /** As the claim was judged on it; null for the first claim. */
  readonly effect: Effect | null
  readonly generation: number
  readonly startedAt: number
  readonly leaseUntil: number
  readonly precondition: Attempt['precondition']
  /** Exclusive: expiry of the proposal, or of an approval that it needs. */
  readonly notAfter: number
}

/** The open attempt and its proposal; or the round ends here, and nothing was opened. */
export type Opened =
  | { readonly kind: 'answered'; readonly answer: Round }
  | { readonly kind: 'admitted'; readonly proposal: Proposal; readonly attempt: Attempt }

/** Opens the next attempt of an approved proposal. Spec: lifecycle 6.9. */
export async function openAttempt(execution: Execution, opening: Opening): Promise<Opened> {
  const { core, stored, registered, actor } = execution
  const { generation, startedAt, leaseUntil, precondition, notAfter } = opening
  const { definition } = registered
  const { proposal } = stored
  const effect = opening.effect ?? unclaimed(proposal.effect)
  const after = withOpened(effect, proposal.ref, {
    proposal: proposal.ref,
    action: proposal.action,
    target: definition.target.name,
    generation,
    idempotencyKey: idempotencyKey(proposal.effect, generation),
    token: core.ids.token(),
    startedAt,
    leaseUntil,
    precondition,
  })
  const attempt = after.attempts.at(-1)
  if (attempt === undefined) throw new Error('an attempt was just opened')
  const move = lifecycle.admit(proposal, attempt, core.clock.now())
  if (move.kind !== 'move' || move.proposal.status !== 'executing') return answered(await conclude(execution, move))

  const formers = definition.formerDomains.map((domain) => ({ ...proposal.effect, domain }))
  const isFirst = opening.effect === null
  const write = effectWrite(after, isFirst ? 'absent' : effect.version, {
    opened: attempt,
    // A first claim is barred by that of a guarded call too (rules R17).
    formerKeys: isFirst ? [...formers, counterpart(proposal.effect), ...formers.map(counterpart)] : formers,
  })
  const answer = await commitMove(core, { stored, move, actor }, { effect: write, notAfter })
  if (answer.kind === 'committed') return { kind: 'admitted', proposal: move.proposal, attempt }
  if (answer.on === 'too_late') return answered(await tooLate(execution, notAfter))
  // Found out since this execution began: an older copy of the store was put back (rules R15).
  if (answer.on === 'held') return answered(await blocked(execution, 'restore_unacknowledged'))
  return answered(LOST_RACE)
}

function answered(answer: Round): Opened {
  return { kind: 'answered', answer }
}

// The store's clock has the last word (design D11), and by it this is over, whatever the clock of this process says.
async function tooLate(execution: Execution, notAfter: number): Promise<Round> {
  const { proposal } = execution.stored
  const now = Math.max(execution.core.clock.now(), notAfter)
  const isOver = now >= proposal.expiresAt
  return conclude(execution, isOver ? lifecycle.expire(proposal, now) : lifecycle.lapse(proposal, now))
}
