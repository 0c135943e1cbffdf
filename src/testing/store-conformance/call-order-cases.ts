// Cases about guarded calls of several attempts: each is read in its order, with what was told and decided of it.
import assert from 'node:assert/strict'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { Store } from '../../runtime/ports.ts'
import { callOf, endedCall, startedCall } from './call-steps.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { progressing, startingCall } from './sample-calls.ts'
import { SAMPLE_START } from './sample-proposals.ts'
import { commits } from './steps.ts'

const ATTEMPTS = 11

/** Guarantee 1, for what a retry policy and the fold rest on. */
export const callOrderCases: readonly ConformanceCase[] = [
  {
    code: 'call_attempts_out_of_order',
    title: 'the attempts of a call are read in their order, more than nine of them too',
    async run({ store }) {
      let call = await startedCall(store)
      for (let number = 1; number < ATTEMPTS; number += 1) call = await triedAgain(store, call, number)
      call = await endedCall(store, call)

      const numbers = Array.from({ length: ATTEMPTS }, (_, index) => index + 1)
      assert.deepEqual(
        call.attempts.map(({ number }) => number),
        numbers,
      )
      assert.deepEqual(
        call.effect.attempts.map(({ number }) => number),
        numbers,
      )
    },
  },
]

async function triedAgain(store: Store, call: GuardedCall, number: number): Promise<GuardedCall> {
  const { key } = call.effect
  const ended = await endedCall(store, call)
  const retry = { number, decision: 'retry', nextAttemptAt: SAMPLE_START + number } as const
  await commits(store, progressing(ended, { decided: [retry] }))
  await commits(store, startingCall(await callOf(store, key)))
  return callOf(store, key)
}
