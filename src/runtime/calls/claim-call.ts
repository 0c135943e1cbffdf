// Claiming: one insert that one of all callers wins; the others are told what is there.
import {
  ActionInProgressError,
  ActionPersistenceError,
  IdempotencyConflictError,
} from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { type CallInput, requestHash } from '../../effect/calls/call-input.ts'
import type { CallClaim, GuardedCall } from '../../effect/calls/guarded-call.ts'
import { counterpart } from '../../effect/effect-key.ts'
import { unclaimed, withFenceRaised } from '../../effect/effect-changes.ts'
import { EffectKindConflict } from '../../proposal/errors.ts'
import { effectWrite } from '../effect-write.ts'
import type { Change } from '../ports.ts'
import { LOST_RACE } from '../rounds.ts'
import { type CallCore, callChange } from './call-core.ts'
import { asked, demanded, untilWon } from './persistence.ts'

/** The claim is the caller's, and nothing was started under it; or the call was completed before. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly call: GuardedCall }
  | { readonly kind: 'completed'; readonly call: GuardedCall }

const NOTHING_SEEN = { receipt: null }

/**
 * Claims a call, takes over a claim that nobody started in its lease, or finds the completed call.
 * @throws IdempotencyConflictError, ActionInProgressError, EffectKindConflict, ActionPersistenceError
 */
export async function claimCall(core: CallCore, input: CallInput): Promise<Claimed> {
  const hash = requestHash(input.requestText, await demanded(core.tenantKey, 'no', NOTHING_SEEN))
  return untilWon(
    async () => {
      const found = await demanded(() => core.store.call(input.key), 'no', NOTHING_SEEN)
      return found === null ? claimAnew(core, input, hash) : judgeFound(core, input, hash, found)
    },
    'no',
    NOTHING_SEEN,
  )
}

async function claimAnew(core: CallCore, input: CallInput, hash: string): Promise<Claimed | typeof LOST_RACE> {
  const { key, providerReference, risk, metadata } = input
  const now = core.clock.now()
  const claim: CallClaim = {
    actionId: core.ids.reference(),
    requestHash: hash,
    providerReference,
    risk,
    metadata,
    state: 'PENDING',
    holder: core.ids.token(),
    leaseUntil: now + core.times.claimLeaseMs,
    createdAt: now,
    completedAt: null,
  }
  const effect = { ...unclaimed(key), version: 1, epoch: 1 }
  // The same effect under the proposals' own domain bars the claim, in the transaction that makes it (rules R17).
  const write = effectWrite(effect, 'absent', { formerKeys: [counterpart(key)] })
  const change = callChange(core, { effect: write, call: { kind: 'claim', claim } })
  const outcome = await stored(core, input, change, { claim, effect, attempts: [] }, NOTHING_SEEN)
  if (outcome !== 'refused') return outcome
  const other = await demanded(() => core.store.effect(counterpart(key)), 'no', NOTHING_SEEN)
  if (other !== null) throw new EffectKindConflict()
  return LOST_RACE
}

async function judgeFound(
  core: CallCore,
  input: CallInput,
  hash: string,
  found: GuardedCall,
): Promise<Claimed | typeof LOST_RACE> {
  const { claim, effect } = found
  if (claim.requestHash !== hash) throw new IdempotencyConflictError('request', actionReceipt(found))
  if (claim.providerReference !== input.providerReference) {
    throw new IdempotencyConflictError('provider_reference', actionReceipt(found))
  }
  if (claim.state === 'COMPLETED') return { kind: 'completed', call: found }
  const now = core.clock.now()
  if (effect.attempts.length > 0) throw inProgress(found, now)
  if (now < claim.leaseUntil) throw inProgress(found, now)

  // Raising the fence makes the start of the former holder fail, so nothing can have been sent (harness 4 a 3).
  const holder = core.ids.token()
  const leaseUntil = now + core.times.claimLeaseMs
  const raised = withFenceRaised(effect)
  const write = effectWrite(raised, effect.version)
  const change = callChange(core, { effect: write, call: { kind: 'take_over', holder, leaseUntil } })
  const taken = { claim: { ...claim, holder, leaseUntil }, effect: raised, attempts: [] }
  const outcome = await stored(core, input, change, taken, { receipt: actionReceipt(found) })
  if (outcome !== 'refused') return outcome
  const again = await demanded(() => core.store.call(input.key), 'no', NOTHING_SEEN)
  // The store's clock is behind this one, and by it the lease is live (harness 4 a 7).
  if (again !== null && again.claim.holder === claim.holder && again.effect.version === effect.version) {
    throw inProgress(again, claim.leaseUntil - 1)
  }
  return LOST_RACE
}

/** Why a PENDING call is not made: its worker may be at it, or must be recovered from. */
function inProgress(call: GuardedCall, now: number): ActionInProgressError {
  const last = call.effect.attempts.at(-1)
  const receipt = actionReceipt(call)
  const isOver = last !== undefined && last.leaseUntil <= now && (receipt.nextAttemptAt ?? 0) <= now
  return new ActionInProgressError(receipt, { invoked: 'no', nextStep: isOver ? 'recover_pending' : 'wait' })
}

// A claim whose answer was lost is read back, and is one's own if it has the holder that was drawn for it (evidence P2).
async function stored(
  core: CallCore,
  input: CallInput,
  change: Change,
  call: GuardedCall,
  seen: { readonly receipt: ReturnType<typeof actionReceipt> | null },
): Promise<Claimed | 'refused'> {
  const answer = await asked(() => core.store.commit(change))
  if (answer.kind === 'answered') return answer.value.kind === 'committed' ? { kind: 'claimed', call } : 'refused'
  if (!answer.mayHaveLanded) throw new ActionPersistenceError('no', seen, answer.cause)
  const read = await demanded(() => core.store.call(input.key), 'no', seen)
  if (read?.claim.holder === call.claim.holder) return { kind: 'claimed', call: read }
  throw new ActionPersistenceError('no', seen, answer.cause)
}
