// A bench for guarded calls: a runner on any store, on a clock that stands still, with operations and verifiers that are scripted.
import { onTestFinished } from 'vitest'
import { VerificationResult } from '../../src/effect/answer.ts'
import { ActionRunner, type ActionRunnerOptions } from '../../src/runtime/calls/action-runner.ts'
import type { GuardedCallInput, OperationCall, VerifyAction } from '../../src/runtime/calls/operation.ts'
import type { Logger, Store } from '../../src/runtime/ports.ts'
import { CommitFaults } from '../../src/testing/commit-faults.ts'
import { InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import type { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { openFresh, type StoreName } from '../store/fresh-stores.ts'
import { PatientClock } from '../store/patient-clock.ts'

export const START: number = Date.UTC(2031, 0, 1)
export const REFERENCE = 'order-123'

/** Everything around one runner. */
export interface Bench {
  readonly store: Store
  /** Between every runner of the bench and its store. */
  readonly faults: CommitFaults
  readonly clock: PatientClock
  readonly runner: ActionRunner
  /** The codes of the warnings, in order. */
  readonly warnings: readonly string[]
  /** Another worker on the same store. */
  readonly another: (options?: Partial<ActionRunnerOptions>) => ActionRunner
}

/** Opens a store of that name, and a runner on it; both are closed with the test. */
export async function openBench(name: StoreName, options: Partial<ActionRunnerOptions> = {}): Promise<Bench> {
  const clock = new PatientClock(START)
  const { store, close } = await openFresh(name, clock)
  onTestFinished(close)
  const faults = new CommitFaults()
  const warnings: string[] = []
  const logger: Logger = {
    info() {},
    error() {},
    warn: ({ code }) => warnings.push(String(code)),
  }
  let seed = 0
  const another: Bench['another'] = (more = {}) => {
    seed += 1
    return new ActionRunner({ store: faults.over(store), clock, ids: seededIds(seed), logger, ...options, ...more })
  }
  return { store, faults, clock, warnings, another, runner: another() }
}

/** A step of a scripted operation: what the n-th call does. */
export type Act = (call: OperationCall<unknown>) => unknown

/** An operation that does one act after the other, and counts its calls; a call too many is an error of the test. */
export function scripted(...acts: readonly Act[]): { (call: OperationCall<unknown>): unknown; calls: number } {
  const operation = Object.assign(
    (call: OperationCall<unknown>): unknown => {
      operation.calls += 1
      const act = acts[operation.calls - 1]
      if (act === undefined) throw new TypeError('The operation was called once too often')
      return act(call)
    },
    { calls: 0 },
  )
  return operation
}

/** An operation of which no call is right. */
export const never = (): never => {
  throw new TypeError('The operation was called')
}

/** A verifier that gives one answer after the other, then the last one again, and counts its calls. */
export function answering(...answers: readonly VerifyAction[]): VerifyAction & { calls: number } {
  const verifier = Object.assign(
    ((receipt, context) => {
      verifier.calls += 1
      const answer = answers[Math.min(verifier.calls, answers.length) - 1]
      if (answer === undefined) throw new TypeError('The verifier has no answer')
      return answer(receipt, context)
    }) as VerifyAction,
    { calls: 0 },
  )
  return verifier
}

const bound = { verifiedProviderReference: REFERENCE }

/** What verifiers of the tables answer. */
export const found: VerifyAction = () => VerificationResult.confirmed(bound)
export const fencedAbsence: VerifyAction = () => VerificationResult.absent({ ...bound, retrySafe: true })
export const fencedAbsenceOfAll: VerifyAction = () =>
  VerificationResult.absent({ ...bound, retrySafe: true, coversAttempts: 'all' })
export const weakAbsence: VerifyAction = () => VerificationResult.absent(bound)
export const down: VerifyAction = () => {
  throw new Error('the provider cannot be read')
}

/** A finding with a request id and a value. */
export function foundAs(providerRequestId: string | null, value: unknown): VerifyAction {
  return () => VerificationResult.confirmed({ ...bound, providerRequestId, value })
}

/** The call of the tables, with whatever is to be different. */
export function charge(more: Partial<GuardedCallInput<object>> = {}): GuardedCallInput<object> {
  return {
    request: { customerId: 'customer_123', amountCents: 2_500 },
    idempotencyKey: 'order-123',
    providerReference: REFERENCE,
    ...more,
  }
}

/** The error that a promise ends with; a result is an error of the test. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new TypeError('It did not fail')
}

/** What a promise ends with, either way. */
export async function told(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error)
}

/** The error that a function throws. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new TypeError('It did not throw')
}

/** A store whose commits that start an attempt wait for something first. */
export function stalling(store: Store, until: Promise<unknown>): Store {
  return new InterceptedStore(store, async (_name, call, change) => {
    if ((change?.effect?.opened ?? null) !== null) await until
    return call()
  })
}

/** A store after whose start of an attempt the process stands still for so long. */
export function advancing(store: Store, clock: VirtualClock, ms: number): Store {
  return new InterceptedStore(store, async (_name, call, change) => {
    const answer = await call()
    if ((change?.effect?.opened ?? null) !== null) await clock.advance(ms)
    return answer
  })
}
