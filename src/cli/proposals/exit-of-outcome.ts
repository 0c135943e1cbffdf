// Which outcomes a command wanted: these exit with 0, every other one with 1.
import type { OutcomeCode } from '../../proposal/codes.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'

/**
 * By command. What goes on by itself is good: a proposal whose effect is still to be verified has been executed, and
 * nothing is wrong with it so far.
 */
const GOOD = {
  approve: ['approved', 'approval_pending', 'replayed'],
  reject: ['rejected', 'replayed'],
  withdraw: ['withdrawn', 'replayed'],
  execute: ['verified', 'verification_pending', 'in_progress', 'resend_allowed'],
  reconcile: ['verified', 'verification_pending', 'in_progress', 'resend_allowed'],
  erase: ['erased', 'erasure_deferred'],
} as const satisfies Record<string, readonly OutcomeCode[]>

/** The exit code of an outcome. Spec: harness 6. */
export function exitOfOutcome(command: keyof typeof GOOD, outcome: OutcomeCode): ExitCode {
  const good: readonly OutcomeCode[] = GOOD[command]
  return good.includes(outcome) ? EXIT.good : EXIT.failed
}
