// The scenario of a crash test: what a host's worker is to do, and where its effects are counted.
import type { JsonValue } from '../../effect/canonical-json.ts'
import type { CrashSteps } from './crash-steps.ts'

/**
 * What the worker believes of an intended effect when it comes back: that it happened, that it did not and never will, or
 * that nobody knows and a person is asked. Its word is compared with what stands at the target, never believed.
 */
export type CrashOutcome = 'done' | 'not_done' | 'open'

/** A target with nothing done yet, and the only count that is believed. */
export interface CrashTarget {
  /** Handed to the worker's process, so plain data: URLs, paths, names. */
  readonly setup: JsonValue
  /** The names of the effects that the worker is to bring about, each once. */
  readonly intended: readonly string[]
  /** How often each effect stands at the target, by name; what is left out stands there zero times. */
  effects(): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** What the worker is handed. */
export interface CrashWork {
  readonly setup: JsonValue
  /** 0 for the run that is killed, 1 for the one that comes after it; time should have gone on by then. */
  readonly run: number
  /** Wraps what the worker works with, so that it can be killed before and after each step. */
  readonly steps: CrashSteps
}

/**
 * What a file for `countersign crashtest` exports as `crashScenario`. The worker must do the same steps whenever it starts
 * with nothing done, and must be able to start where an earlier one was killed. Spec: harness 6, evidence 6.4.
 *
 * ```ts
 * export const crashScenario: CrashScenario = {
 *   async open(folder) { … },
 *   async work({ setup, run, steps }) {
 *     const store = steps.store(await sqliteStore(setup.store))
 *     …
 *     return { 'refund of ORD-1001': 'done' }
 *   },
 * }
 * ```
 */
export interface CrashScenario {
  /** In the process of the command: a fresh target, and a folder that is removed afterwards. */
  open(folder: string): Promise<CrashTarget>
  /** In a process of its own, which is killed. What it answers is by the name of each effect. */
  work(work: CrashWork): Promise<Readonly<Record<string, CrashOutcome>>>
}
