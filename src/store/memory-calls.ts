// The guarded calls of a memory store: what a change makes of one, and how it is read.
import { withProgress } from '../effect/calls/call-changes.ts'
import type { CallProgress, GuardedCall } from '../effect/calls/guarded-call.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Effect } from '../effect/effect.ts'
import type { Reference } from '../effect/reference.ts'
import type { CallWrite } from '../runtime/ports.ts'
import { invariant } from './broken-invariant.ts'
import { type CallRecord, effectName, frozenCopy, type TenantRecords } from './memory-records.ts'

/** A call with its effect. */
export function callInMemory(records: TenantRecords, key: EffectKey): GuardedCall | null {
  const call = records.calls.get(effectName(key))
  const effect = records.effects.get(effectName(key))?.effect
  return call === undefined || effect === undefined ? null : { ...call, effect }
}

/** The key of the call that has this id. */
export function callByIdInMemory(records: TenantRecords, actionId: Reference): EffectKey | null {
  const name = [...records.calls].find(([, { claim }]) => claim.actionId === actionId)?.[0]
  return name === undefined ? null : (records.effects.get(name)?.effect.key ?? null)
}

/** When the lease of a call ends; null if there is none. */
export function leaseOf(records: TenantRecords, key: EffectKey): number | null {
  return records.calls.get(effectName(key))?.claim.leaseUntil ?? null
}

/** Removes a claim that was judged to be one that never started. */
export function release(records: TenantRecords, key: EffectKey): void {
  records.effects.delete(effectName(key))
  records.calls.delete(effectName(key))
}

/**
 * The call after a change, or null for a release. `effect` is the effect after the change.
 * @throws BrokenInvariant
 */
export function writtenCall(records: TenantRecords, write: CallWrite, effect: Effect | null): CallRecord | null {
  if (write.kind === 'release') {
    const attempts = records.effects.get(effectName(write.key))?.effect.attempts ?? []
    invariant(attempts.length === 0, 'claims are never deleted')
    return null
  }
  invariant(effect !== null, 'a guarded call is written with its effect')
  const before = records.calls.get(effectName(effect.key))
  if (write.kind === 'claim') {
    invariant(before === undefined, 'a call is never replaced')
    invariant(callByIdInMemory(records, write.claim.actionId) === null, 'an action id names one call')
    return frozenCopy({ claim: write.claim, attempts: [] })
  }
  invariant(before?.claim.state === 'PENDING', 'a call is completed once')
  if (write.kind === 'take_over') {
    invariant(effect.attempts.length === 0, 'a call that was started is never taken over')
    const { holder, leaseUntil } = write
    return frozenCopy({ ...before, claim: { ...before.claim, holder, leaseUntil } })
  }
  return frozenCopy(progressed(before, write, effect))
}

function progressed(before: CallRecord, progress: CallProgress, effect: Effect): CallRecord {
  const { ended, decided, completedAt } = progress
  if (ended !== null) {
    const isEnded = (effect.attempts[ended.number - 1]?.ending ?? null) !== null
    invariant(isEnded && ended.number === before.attempts.length + 1, 'an attempt is told of once, when it has ended')
  }
  const after = withProgress(before, progress)
  for (const { number } of decided) {
    invariant(
      after.attempts.some((attempt) => attempt.number === number),
      'an attempt is decided on when it has ended',
    )
    const isDecided = before.attempts.some((attempt) => attempt.number === number && attempt.decision !== null)
    invariant(!isDecided, 'an attempt is decided on once')
  }
  const isOver = effect.attempts.length > 0 && effect.attempts.every(({ ending }) => ending !== null)
  invariant(completedAt === null || isOver, 'a call is completed when its attempts have ended')
  return after
}
