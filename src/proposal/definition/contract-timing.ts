// The part of a contract that speaks of time: how long things may take, and how patiently the verifier is asked.
import { readDuration, readFields, readInteger, type Report, type Unchecked } from './contract-reader.ts'
import { limits } from '../../effect/limits.ts'

/** How often and how patiently the verifier is asked. Spec: lifecycle 3. */
export interface VerificationPlan {
  readonly delayMs: number
  readonly absences: number
  readonly unavailables: number
  readonly waitMaxMs: number
  readonly slowProbeMs: number
}

/** The times of a definition. */
export interface Timing {
  readonly lifetimeMs: number
  readonly executeTimeoutMs: number
  /** `executeTimeoutMs` and 30 s, in which the answer is recorded. */
  readonly leaseMs: number
  /** How long a request may still land after the lease. */
  readonly inFlightMs: number
  readonly verifyTimeoutMs: number
  /** The limit of every other call of the action. */
  readonly hostTimeoutMs: number
  readonly verification: VerificationPlan
}

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS
const RECORDING_MS = 30 * SECOND_MS

// A call that may take longer than a day is none that somebody waits for, and timers of JavaScript end at 24 days.
const CALL_MAX_MS = DAY_MS
const WAIT_MAX_MS = limits.proposalLifetimeMs

/** The times, in milliseconds, with the defaults of lifecycle 3. */
export function readTiming(report: Report, input: Unchecked): Timing {
  const read = (field: string, maxMs: number, fallbackMs: number): number =>
    readDuration(report, input[field], `/${field}`, { maxMs, fallbackMs })
  const executeTimeoutMs = read('executeTimeout', CALL_MAX_MS, 30 * SECOND_MS)
  return {
    lifetimeMs: readDuration(report, input['lifetime'], '/lifetime', { maxMs: limits.proposalLifetimeMs }),
    executeTimeoutMs,
    leaseMs: executeTimeoutMs + RECORDING_MS,
    inFlightMs: read('inFlight', WAIT_MAX_MS, 60 * SECOND_MS),
    verifyTimeoutMs: read('verifyTimeout', CALL_MAX_MS, 30 * SECOND_MS),
    hostTimeoutMs: read('hostTimeout', CALL_MAX_MS, 10 * SECOND_MS),
    verification: readVerification(report, input['verification']),
  }
}

function readVerification(report: Report, value: unknown): VerificationPlan {
  const names = ['delay', 'absences', 'unavailables', 'waitMax', 'slowProbe']
  const input = value === undefined ? {} : readFields(report, value, '/verification', names)
  const read = (field: string, fallbackMs: number): number =>
    readDuration(report, input[field], `/verification/${field}`, { maxMs: WAIT_MAX_MS, fallbackMs })
  const count = (field: string, fallback: number): number =>
    readInteger(report, input[field], `/verification/${field}`, { min: 1, max: limits.observationsPerEffect, fallback })
  return {
    delayMs: read('delay', 5 * SECOND_MS),
    absences: count('absences', 4),
    unavailables: count('unavailables', 20),
    waitMaxMs: read('waitMax', HOUR_MS),
    slowProbeMs: read('slowProbe', DAY_MS),
  }
}
