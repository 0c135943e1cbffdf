// Interleavings of guarded calls, drawn: whoever executes, recovers and releases in whatever order, nothing is called twice.
import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { callStatuses } from '../../src/effect/calls/call-evidence.ts'
import { callKey } from '../../src/effect/calls/call-input.ts'
import { RetryPolicy } from '../../src/effect/calls/retry-policy.ts'
import { parseReference } from '../../src/effect/reference.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { VerifyAction } from '../../src/runtime/calls/operation.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { fencedAbsence, found, REFERENCE, START, told, weakAbsence } from './bench.ts'

const key = callKey(parseReference('default', ''), 'charge', 'order-123')
const ANSWERS: readonly VerifyAction[] = [found, fencedAbsence, weakAbsence]

type Move =
  | { readonly kind: 'execute'; readonly ends: 'returns' | 'throws' | 'refuses' }
  | { readonly kind: 'recover' | 'reconcile'; readonly answer: number }
  | { readonly kind: 'release' }

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('execute' as const),
    ends: fc.constantFrom('returns' as const, 'throws' as const, 'refuses' as const),
  }),
  fc.record({ kind: fc.constantFrom('recover' as const, 'reconcile' as const), answer: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('release' as const) }),
)

/** What the operation ends with. */
function endOf(ends: Extract<Move, { kind: 'execute' }>['ends']): string {
  if (ends === 'returns') return 'charged'
  throw ends === 'throws' ? new Error('lost') : new DefinitiveFailure('busy', { retryable: true })
}

test.prop([fc.scheduler(), fc.array(move, { minLength: 2, maxLength: 5 }), fc.nat()], {
  seed: 20_311_201,
  numRuns: 400,
})(
  'guarded calls, interleaved at every step of the store, the operation and the verifier',
  async (scheduler, moves, seed) => {
    const clock = new VirtualClock(START)
    const inner = memoryStore({ clock })
    const calls: string[] = []

    const runs = moves.map(async (one, index) => {
      const store = new InterceptedStore(inner, async (name, call) => {
        await scheduler.schedule(Promise.resolve(), `${index} ${name}`)
        return call()
      })
      const runner = new ActionRunner({ store, clock, ids: seededIds(seed + index), logger: SILENT })
      // Everything but an execution aims at whatever claim is there when it begins.
      await scheduler.schedule(Promise.resolve(), `${index} begins`)
      const actionId = (await inner.call(key))?.claim.actionId ?? ''
      if (one.kind === 'release') return told(runner.releaseUnstarted(actionId))
      if (one.kind !== 'execute') {
        const verifier: VerifyAction = async (receipt, context) => {
          await scheduler.schedule(Promise.resolve(), `${index} looks`)
          return (ANSWERS[one.answer] ?? weakAbsence)(receipt, context)
        }
        return told(
          one.kind === 'recover' ? runner.recoverPending(actionId, verifier) : runner.reconcile(actionId, verifier),
        )
      }
      const operation = async ({ attemptToken }: { readonly attemptToken: string }): Promise<string> => {
        calls.push(attemptToken)
        await scheduler.schedule(Promise.resolve(), `${index} calls`)
        return endOf(one.ends)
      }
      const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true })
      const input = {
        request: { amountCents: 1 },
        idempotencyKey: 'order-123',
        providerReference: REFERENCE,
        retryPolicy,
      }
      return told(runner.execute('charge', operation, input))
    })
    await scheduler.waitFor(Promise.all(runs))

    const left = await inner.call(key)
    const attempts = left?.effect.attempts ?? []
    // Each call was made for an attempt of its own, which was durable; a second one only after the first had failed.
    expect(new Set(calls).size).toBe(calls.length)
    expect(calls.length).toBeLessThanOrEqual(2)
    const tokens = new Set(attempts.map(({ token }) => token))
    expect(calls.every((token) => tokens.has(token))).toBe(true)
    expect(attempts.length <= 1 || attempts[0]?.ending?.evidence === 'FAILED').toBe(true)
    // Nobody waits: a call that was started has been completed, by its worker or by who recovered it.
    expect(attempts.length === 0 || left?.claim.state === 'COMPLETED').toBe(true)
    expect(left === null || attempts.length === 0 || callStatuses(left.effect).final !== null).toBe(true)
  },
)

const SILENT = { info() {}, warn() {}, error() {} }
