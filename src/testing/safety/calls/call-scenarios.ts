// The twelve checks of guarded calls, in their order and by their names, each a script and what must be counted after it.
import { ActionInProgressError, IdempotencyConflictError } from '../../../effect/calls/action-error.ts'
import { RetryPolicy } from '../../../effect/calls/retry-policy.ts'
import type { Scenario } from '../scenario.ts'
import type { CallCast } from './call-cast.ts'

const CONTENDERS = 16

/** The twelve. Spec: harness H2. */
export const callScenarios: readonly Scenario<CallCast>[] = [
  {
    id: 'normal_success',
    title: 'Normal success',
    clauses: ['S:210', 'evidence D01', 'evidence S01'],
    expected: { calls: 1, effects: 1, verifierCalls: 0 },
    async script(cast, stage) {
      const { status } = await cast.charge()
      stage.mustBe('the status', status, 'CONFIRMED')
      stage.must('the provider has charged what was asked for, under its reference', cast.isChargedAsAsked())
    },
  },
  {
    id: 'explicit_pre_side_effect_failure',
    title: 'Explicit pre-side-effect failure',
    clauses: ['S:211', 'S:101', 'evidence D05', 'evidence S03'],
    chargeFaults: ['refuse_before_commit'],
    expected: { calls: 1, effects: 0, verifierCalls: 0 },
    async script(cast, stage) {
      const { status } = await cast.charge()
      stage.mustBe('the status', status, 'FAILED')
    },
  },
  {
    id: 'replay_safety',
    title: 'Replay safety',
    clauses: ['S:212', 'S:146', 'evidence I2a'],
    expected: { calls: 1, effects: 1 },
    async script(cast, stage) {
      const first = await cast.charge()
      const second = await cast.charge()
      stage.mustBe('the second result as a replay', second.replayed, true)
      stage.mustBe('the status of the replay', second.status, 'CONFIRMED')
      stage.mustBe('the action of the replay', second.receipt.actionId, first.receipt.actionId)
    },
  },
  {
    id: 'concurrent_duplicate_safety',
    title: 'Concurrent duplicate safety',
    clauses: ['S:213', 'S:145', 'S:148', 'evidence I1', 'evidence I4'],
    expected: { calls: 1, effects: 1 },
    async script(cast, stage) {
      // Half of them share a worker, half have one of their own.
      const contenders = Array.from({ length: CONTENDERS }, async (_, index) => {
        return index % 2 === 0 ? cast.charge() : cast.charge({}, cast.another())
      })
      const ended = await Promise.allSettled(contenders)
      const refused = ended.filter((one) => one.status === 'rejected' && one.reason instanceof ActionInProgressError)
      const made = ended.filter((one) => one.status === 'fulfilled' && !one.value.replayed)
      stage.mustBe('the number of contenders that made the call', made.length, 1)
      stage.mustBe('the number of contenders that were refused', refused.length, CONTENDERS - 1)
    },
  },
  {
    id: 'same_key_body_conflict',
    title: 'Same-key/body conflict',
    clauses: ['S:214', 'S:147', 'evidence I3a'],
    expected: { calls: 1, effects: 1 },
    async script(cast, stage) {
      await cast.charge()
      const other: unknown = await cast.charge({ amountCents: 9_900 }).catch((error: unknown) => error)
      stage.must('another amount under the same key is a conflict', other instanceof IdempotencyConflictError)
    },
  },
  {
    id: 'timeout_before_commit_recovery',
    title: 'Timeout-before-commit recovery',
    clauses: ['S:215', 'S:179', 'evidence D09', 'evidence C08', 'evidence I2b'],
    chargeFaults: ['drop_before_commit', 'late_landing'],
    // The first is never charged; the second lands after it was looked for.
    expected: { calls: 2, effects: 1, verifierCalls: 3 },
    async script(cast, stage) {
      const lost = await cast.charge()
      stage.mustBe('the status after the time-out', lost.status, 'UNKNOWN')
      const found = await cast.reconcile(lost)
      stage.mustBe('the status after a fenced absence', found.status, 'FAILED')
      const again = await cast.charge()
      stage.mustBe('the status of the same call again', again.status, 'FAILED')
      stage.mustBe('the number of its charges', stage.provider.chargesOf('order-123').length, 0)

      const underWay = await cast.charge({ reference: 'order-124' })
      const early = await cast.reconcile(underWay)
      stage.mustBe('the status while the request is on its way', early.status, 'UNKNOWN')
      const landed = await cast.reconcile(underWay)
      stage.mustBe('the status when it has landed', landed.status, 'CONFIRMED')
    },
  },
  {
    id: 'timeout_after_commit_recovery',
    title: 'Timeout-after-commit recovery',
    clauses: ['S:216', 'S:206', 'evidence D10', 'evidence S10'],
    chargeFaults: ['commit_then_drop'],
    expected: { calls: 1, effects: 1, verifierCalls: 1 },
    async script(cast, stage) {
      const { receipt } = await cast.charge({ verifier: cast.verifier })
      stage.mustBe('the execution status', receipt.executionStatus, 'UNKNOWN')
      stage.mustBe('the verification status', receipt.verificationStatus, 'CONFIRMED')
      stage.mustBe('the final status', receipt.finalStatus, 'CONFIRMED')
    },
  },
  {
    id: 'unknown_auto_retry_protection',
    title: 'Unknown auto-retry protection',
    clauses: ['S:217', 'S:26', 'evidence S02', 'evidence R09'],
    chargeFaults: ['commit_then_drop'],
    expected: { calls: 1, effects: 1, verifierCalls: 0 },
    async script(cast, stage) {
      const { status } = await cast.charge()
      stage.mustBe('the status', status, 'UNKNOWN')
      const again = await cast.charge()
      stage.mustBe('the same call again as a replay', again.replayed, true)
      stage.mustBe('its status', again.status, 'UNKNOWN')
    },
  },
  {
    id: 'verifier_unavailable_handling',
    title: 'Verifier unavailable handling',
    clauses: ['S:218', 'S:173', 'evidence A14', 'evidence D12'],
    chargeFaults: ['commit_then_drop'],
    lookUpFaults: ['unavailable', 'read_hangs'],
    expected: { calls: 1, effects: 1, verifierCalls: 2 },
    async script(cast, stage) {
      const lost = await cast.charge({ verifier: cast.verifier })
      stage.mustBe('the status while the verifier is down', lost.status, 'UNKNOWN')
      const hanging = await cast.reconcile(lost)
      stage.mustBe('the status while the verifier hangs', hanging.status, 'UNKNOWN')
    },
  },
  {
    id: 'unhealthy_false_negative_handling',
    title: 'Unhealthy false-negative handling',
    clauses: ['S:219', 'S:173', 'evidence A11', 'evidence A12'],
    chargeFaults: ['commit_then_drop'],
    lookUpFaults: ['unhealthy_absence', 'stale_reads', 'page_break'],
    expected: { calls: 1, effects: 1, verifierCalls: 3 },
    async script(cast, stage) {
      const lost = await cast.charge({ verifier: cast.verifier })
      stage.mustBe('the status after a failed positive control', lost.status, 'UNKNOWN')
      stage.mustBe('the status after a stale read', (await cast.reconcile(lost)).status, 'UNKNOWN')
      stage.mustBe('the status after a partial read', (await cast.reconcile(lost)).status, 'UNKNOWN')
    },
  },
  {
    id: 'wrong_verification_identity',
    title: 'wrong-verification-identity',
    clauses: ['S:220', 'S:175', 'evidence A02'],
    chargeFaults: ['drop_before_commit'],
    lookUpFaults: ['wrong_identity'],
    expected: { calls: 1, effects: 0, verifierCalls: 1 },
    async script(cast, stage) {
      const { status } = await cast.charge({ verifier: cast.verifier })
      stage.mustBe('the status', status, 'UNKNOWN')
    },
  },
  {
    id: 'unknown_evidence_erasure',
    title: 'unknown-evidence-erasure',
    clauses: ['S:221', 'S:118', 'evidence E08', 'evidence S16'],
    chargeFaults: ['commit_then_drop', 'refuse_before_commit'],
    expected: { calls: 2, effects: 1, verifierCalls: 0 },
    async script(cast, stage) {
      const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnUnknown: true })
      const { status, receipt } = await cast.charge({ retryPolicy, risky: false })
      stage.mustBe('the number of attempts', receipt.attempts.length, 2)
      stage.mustBe('the status', status, 'UNKNOWN')
    },
  },
]
