// Starting an attempt: durable, proven and won before anything is called.
import { ActionClaimLostError, ActionPersistenceError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import type { CallInput } from '../../effect/calls/call-input.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import { idempotencyKey } from '../../effect/effect-key.ts'
import type { Attempt, Effect } from '../../effect/effect.ts'
import { withOpened } from '../../effect/effect-changes.ts'
import { nextGeneration } from '../../effect/generation.ts'
import { effectWrite } from '../effect-write.ts'
import { type CallCore, callChange } from './call-core.ts'
import { asked } from './persistence.ts'

/** The call with its open attempt; `moved` if somebody else has changed the call, so that nothing was started. */
export type Started =
  | { readonly kind: 'started'; readonly call: GuardedCall; readonly attempt: Attempt }
  | { readonly kind: 'moved' }

/**
 * Starts the next attempt. A start whose answer was lost is read back, and counts only if exactly this transition is there,
 * by its token; it is never tried a second time. Spec: evidence 6.1, harness 4 a.
 * @throws ActionPersistenceError if that cannot be shown; nothing is called then.
 * @throws ActionClaimLostError if the lease of the claim ended before.
 */
export async function startAttempt(core: CallCore, input: CallInput, call: GuardedCall): Promise<Started> {
  const { claim, effect } = call
  const after = opened(core, input, effect)
  const attempt = after.attempts.at(-1)
  if (attempt === undefined) throw new Error('an attempt was just opened')
  const isFirst = attempt.number === 1
  const write = effectWrite(after, effect.version, { opened: attempt })
  // By the store's clock: whoever takes the claim over may do so from the end of its lease on (harness 4 a 7).
  const limit = isFirst ? { notAfter: claim.leaseUntil } : {}
  const answer = await asked(() => core.store.commit(callChange(core, { effect: write, call: null, ...limit })))

  const invoked = isFirst ? 'no' : 'yes'
  if (answer.kind === 'failed') {
    const proven = answer.mayHaveLanded ? await readBack(core, input, after) : null
    if (proven === null) throw new ActionPersistenceError(invoked, { receipt: actionReceipt(call) }, answer.cause)
    return { kind: 'started', call: proven, attempt }
  }
  if (answer.value.kind === 'committed') return { kind: 'started', call: { ...call, effect: after }, attempt }
  if (answer.value.on === 'too_late') throw new ActionClaimLostError({ invoked, nextStep: 'call_again' })
  return { kind: 'moved' }
}

function opened(core: CallCore, { name, key }: CallInput, effect: Effect): Effect {
  const now = core.clock.now()
  const { timeoutMs, graceMs, claimLeaseMs } = core.times
  const generation = nextGeneration(effect.attempts, effect.observations)
  return withOpened(effect, null, {
    proposal: null,
    action: name,
    target: name,
    generation,
    idempotencyKey: idempotencyKey(key, generation),
    token: core.ids.token(),
    startedAt: now,
    leaseUntil: now + timeoutMs + graceMs + claimLeaseMs,
    precondition: null,
  })
}

async function readBack(core: CallCore, { key }: CallInput, after: Effect): Promise<GuardedCall | null> {
  const read = await asked(() => core.store.call(key))
  if (read.kind === 'failed' || read.value === null) return null
  const { effect } = read.value
  const isExact =
    effect.version === after.version &&
    effect.attempts.length === after.attempts.length &&
    effect.attempts.at(-1)?.token === after.attempts.at(-1)?.token
  return isExact ? read.value : null
}
