// Checks of what happened: whatever becomes of a call, its effect is there once, and nothing is known before it is proven.
import type { Executed } from '../../../proposal/action.ts'
import type { Scenario } from '../scenario.ts'
import type { ChargeContract } from './charge-action.ts'
import { answerOf, privacy, type ProposalCast, requester } from './proposal-cast.ts'

const MINUTE_MS = 60_000
const LEASE_MS = MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
const ONCE = { calls: 1, effects: 1 } as const

/** Whatever goes wrong after the admission. Spec: harness 2. */
export const outcomeScenarios: readonly Scenario<ProposalCast>[] = [
  {
    id: 'executor_throws',
    title: 'Executor throws',
    clauses: ['lifecycle 6.12', 'design D6'],
    chargeFaults: ['commit_then_drop'],
    expected: ONCE,
    async script(cast, stage) {
      const proposal = await cast.approved()
      const { status } = await cast.execute(proposal)
      stage.mustBe('the status after the throw', status, 'failed_unknown')
      stage.mustBe('the status in the end', (await cast.settled(proposal)).status, 'verified')
    },
  },
  {
    id: 'invalid_return',
    title: 'Invalid return',
    clauses: ['lifecycle 6.12'],
    expected: ONCE,
    async script(cast, stage) {
      const proposal = await cast.approved()
      cast.action.happenings.execute = async (sound) => {
        await sound()
        // What a host returns is not checked by a compiler.
        return { status: 'failed_known' } as object as Executed<ChargeContract>
      }
      const { status } = await cast.execute(proposal)
      stage.mustBe('the status after the return', status, 'failed_unknown')
      stage.mustBe('the status in the end', (await cast.settled(proposal)).status, 'verified')
    },
  },
  {
    id: 'late_result_of_fenced_worker',
    title: 'Late result of a fenced worker',
    clauses: ['rules R4', 'harness 4 a'],
    expected: ONCE,
    async script(cast, stage) {
      const proposal = await cast.approved()
      const { promise: woken, resolve: wakes } = Promise.withResolvers<void>()
      cast.action.happenings.execute = async (sound) => {
        await sound()
        await woken
        return { status: 'failed_known', reason: 'refused' }
      }
      const late = answerOf(cast.execute(proposal, await cast.another()))
      await stage.wait(2 * LEASE_MS)
      const { status } = await cast.settled(proposal)
      wakes()
      await late
      stage.mustBe('the status before the late word', status, 'verified')
      stage.mustBe('the status after it', (await cast.settled(proposal)).status, 'verified')
    },
  },
  {
    id: 'resend_after_final_absence',
    title: 'Resend only after proven final absence',
    clauses: ['design D10', 'rules R6'],
    chargeFaults: ['drop_before_commit'],
    expected: { calls: 2, effects: 1 },
    async script(cast, stage) {
      const proposal = await cast.approved()
      await cast.execute(proposal)
      await cast.runtime.reconcile(requester, proposal)
      const early = await cast.execute(proposal)
      stage.mustBe('the execution before the boundary', early.outcome, 'verification_pending')
      stage.mustBe('the calls before the boundary', stage.provider.chargeCalls, 1)
      stage.mustBe('the outcome after it', (await cast.settled(proposal)).outcome, 'resend_allowed')
      await cast.execute(proposal)
      stage.mustBe('the status in the end', (await cast.settled(proposal)).status, 'verified')
    },
  },
  {
    id: 'no_resend_while_in_flight',
    title: 'No resend while it may still land',
    clauses: ['rules R6', 'harness 4 a 5'],
    chargeFaults: ['late_landing'],
    expected: ONCE,
    async script(cast, stage) {
      const proposal = await cast.approved()
      await cast.execute(proposal)
      stage.mustBe('the status in the end', (await cast.settled(proposal)).status, 'verified')
    },
  },
  {
    id: 'key_lifetime_over',
    title: 'Key lifetime over',
    clauses: ['rules R5', 'design D10'],
    chargeFaults: ['drop_before_commit'],
    expected: { calls: 1, effects: 0 },
    async script(cast, stage) {
      // A terminal request would get a new key; what only settled is sent again under its own or not at all.
      cast.action.happenings.proof = 'settled'
      const proposal = await cast.approved()
      await cast.execute(proposal)
      await stage.wait(DAY_MS)
      stage.mustBe('the outcome on the next day', (await cast.settled(proposal)).outcome, 'failed_known')
      stage.mustBe('the execution after it', await answerOf(cast.execute(proposal)), 'failed_known')
    },
  },
  {
    id: 'erasure_while_in_doubt',
    title: 'Erasure while in doubt deferred',
    clauses: ['rules R19'],
    chargeFaults: ['commit_then_drop'],
    expected: ONCE,
    async script(cast, stage) {
      const proposal = await cast.approved()
      await cast.execute(proposal)
      const { outcome } = await cast.runtime.erase(privacy, proposal, { reason: 'request' })
      stage.mustBe('the erasure while it is in doubt', outcome, 'erasure_deferred')
      await cast.settled(proposal)
      const [done] = await cast.runtime.eraseDue(privacy)
      stage.mustBe('the erasure once it is settled', done?.outcome ?? null, 'erased')
    },
  },
  {
    id: 'erased_effect_still_barred',
    title: 'Erased effect still barred',
    clauses: ['rules R16'],
    expected: ONCE,
    async script(cast, stage) {
      const rival = await cast.approved()
      const proposal = await cast.approved()
      await cast.execute(proposal)
      await cast.settled(proposal)
      const { outcome } = await cast.runtime.erase(privacy, proposal, { reason: 'request' })
      stage.mustBe('the erasure', outcome, 'erased')
      const answer = await answerOf(cast.execute(rival))
      stage.must(`another proposal for the effect is not carried out: ${answer}`, answer !== 'verification_pending')
      const prepared = await answerOf(cast.prepared())
      stage.must(`the effect is not prepared anew: ${prepared}`, prepared !== 'prepared')
    },
  },
]
