// The steps of cases about guarded calls: one that is started, and one whose attempt has ended.
import assert from 'node:assert/strict'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Store } from '../../runtime/ports.ts'
import { claimingCall, endingCall, sampleCallKey, startingCall } from './sample-calls.ts'
import { commits } from './steps.ts'

/** The call as it is stored. */
export async function callOf(store: Store, key: EffectKey): Promise<GuardedCall> {
  const call = await store.call(key)
  assert(call !== null, 'the call is not stored')
  return call
}

/** A call with an open attempt. */
export async function startedCall(store: Store): Promise<GuardedCall> {
  const key = sampleCallKey()
  await commits(store, claimingCall(key))
  await commits(store, startingCall(await callOf(store, key)))
  return callOf(store, key)
}

/** A call whose attempt has ended and is told of. */
export async function endedCall(store: Store, call: GuardedCall): Promise<GuardedCall> {
  const { key } = call.effect
  if (call.effect.attempts.length === 0) await commits(store, startingCall(call))
  await commits(store, endingCall(await callOf(store, key)))
  return callOf(store, key)
}
