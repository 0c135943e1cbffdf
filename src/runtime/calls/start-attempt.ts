// Starting an attempt: durable, proven and won before anything is called.
import { ActionClaimLostError, ActionHeldError, ActionPersistenceError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import type { CallInput } from '../../effect/calls/call-input.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import { idempotencyKey } from '../../effect/effect-key.ts'
import type { Attempt, Effect } from '../../effect/effect.ts'
import { withOpened } from '../../effect/effect-changes.ts'
import { nextGeneration } from '../../effect/generation.ts'
import { effectWrite } from '../effect-write.ts'
import type { Change } from '../ports.ts'
import { type CallCore, callChange } from './call-core.ts'
import { asked, demanded } from './persistence.ts'

/** The call with its open attempt; `moved` if somebody else has changed the call, so that nothing was started. */
export type Started =
  | { readonly kind: 'started'; readonly call: GuardedCall; readonly attempt: Attempt }
  | { readonly kind: 'moved' }

/**
 * Starts the next attempt. A start whose answer was lost is read back, and counts only if exactly this transition is there,
 * by its token; it is never tried a second time. Spec: evidence 6.1, harness 4 a.
 * @throws ActionPersistenceError if that cannot be shown; nothing is called then.
 * @throws ActionHeldError while nothing is called after a restore; nothing was started then.
 * @throws ActionClaimLostError if the lease of the claim ended before.
 */
export async function startAttempt(core: CallCore, input: CallInput, call: GuardedCall): Promise<Started> {
  const { claim, effect } = call
  const invoked = effect.attempts.length === 0 ? 'no' : 'yes'
  if (await isHeld(core, call, invoked)) return held(core, call, invoked)
  const after = opened(core, input, effect)
  const attempt = after.attempts.at(-1)
  if (attempt === undefined) throw new Error('an attempt was just opened')
  const isFirst = attempt.number === 1
  const write = effectWrite(after, effect.version, { opened: attempt })
  // By the store's clock: whoever takes the claim over may do so from the end of its lease on (harness 4 a 7).
  const limit = isFirst ? { notAfter: claim.leaseUntil } : {}
  const change = callChange(core, { effect: write, call: null, ...limit })
  const answer = await asked(() => core.store.commit(change))

  if (answer.kind === 'failed') {
    const proven = answer.mayHaveLanded ? await provenStart(core, input, after, change) : null
    if (proven === null) throw new ActionPersistenceError(invoked, { receipt: actionReceipt(call) }, answer.cause)
    return { kind: 'started', call: proven, attempt }
  }
  if (answer.value.kind === 'committed') return { kind: 'started', call: { ...call, effect: after }, attempt }
  if (answer.value.on === 'too_late') throw new ActionClaimLostError({ invoked, nextStep: 'call_again' })
  if (answer.value.on === 'held') return held(core, call, invoked)
  return { kind: 'moved' }
}

// What was called before a restore may still land for as long as a lease of ours lasts (rules R15).
async function isHeld(core: CallCore, call: GuardedCall, invoked: 'no' | 'yes'): Promise<boolean> {
  const { timeoutMs, graceMs, claimLeaseMs } = core.times
  const { open, last } = await demanded(() => core.store.restore(), invoked, { receipt: actionReceipt(call) })
  const at = last?.acknowledged?.at ?? null
  return open !== null || (at !== null && core.clock.now() < at + timeoutMs + graceMs + claimLeaseMs)
}

// A claim that was never started is let go, so that nobody waits for its lease; where that fails, the lease ends it.
async function held(core: CallCore, call: GuardedCall, invoked: 'no' | 'yes'): Promise<never> {
  const { key, version } = call.effect
  const release = callChange(core, { effect: null, call: { kind: 'release', key, version } })
  if (invoked === 'no') await asked(() => core.store.commit(release))
  throw new ActionHeldError(actionReceipt(call), invoked)
}

// That it is there is read first. The same change, known by its id, then lands as what it is already: only what the store
// has acknowledged is known to its witness, too.
async function provenStart(
  core: CallCore,
  input: CallInput,
  after: Effect,
  change: Change,
): Promise<GuardedCall | null> {
  const read = await readBack(core, input, after)
  if (read === null) return null
  const again = await asked(() => core.store.commit(change))
  return again.kind === 'answered' && again.value.kind === 'committed' ? read : null
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
