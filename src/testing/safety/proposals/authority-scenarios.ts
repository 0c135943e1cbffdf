// Checks of what was allowed: drift, authority and competition end before any money moves.
import type { Scenario } from '../scenario.ts'
import { AMOUNT, answerOf, finance, type ProposalCast, requester } from './proposal-cast.ts'

const FOUR_DAYS_MS = 4 * 24 * 60 * 60_000
const NOTHING = { calls: 0, effects: 0 } as const

/** What must not be carried out, and is not. Spec: harness 2. */
export const authorityScenarios: readonly Scenario<ProposalCast>[] = [
  {
    id: 'drift_refused',
    title: 'Drift refused',
    clauses: ['lifecycle 6.6'],
    expected: NOTHING,
    async script(cast, stage) {
      const proposal = await cast.approved()
      cast.action.business.orderVersion += 1
      stage.mustBe('the outcome', await answerOf(cast.execute(proposal)), 'stale material_drift')
      stage.mustBe('the outcome of a second try', await answerOf(cast.execute(proposal)), 'stale')
    },
  },
  {
    id: 'drift_with_replacement',
    title: 'Drift with replacement',
    clauses: ['lifecycle 6.6', 'design D4'],
    expected: NOTHING,
    async script(cast, stage) {
      const { proposal, commitment } = await cast.prepared()
      await cast.runtime.approve(finance, proposal, { commitment })
      cast.action.business.orderVersion += 1
      cast.action.happenings.offersReplacement = true
      const { replacedBy } = await cast.execute(proposal)
      const fresh = replacedBy ?? ''
      stage.must('a fresh proposal replaces the stale one', replacedBy !== null)
      stage.mustBe('the fresh one, executed', await answerOf(cast.execute(fresh)), 'approval_pending')
      const old = await answerOf(cast.runtime.approve(finance, fresh, { commitment }))
      stage.mustBe('the old commitment on the fresh one', old, 'binding_mismatch')
    },
  },
  {
    id: 'final_race_lost',
    title: 'Final race lost',
    clauses: ['lifecycle 6.12'],
    expected: NOTHING,
    async script(cast, stage) {
      const proposal = await cast.approved()
      cast.action.happenings.afterResolve = () => {
        cast.action.business.orderVersion += 1
      }
      stage.mustBe('the outcome', await answerOf(cast.execute(proposal)), 'stale stale_no_effect')
    },
  },
  {
    id: 'competing_proposals',
    title: 'Competing proposals',
    clauses: ['lifecycle 6.5', 'design D1'],
    expected: { calls: 1, effects: 1 },
    async script(cast, stage) {
      const proposals = [await cast.approved(), await cast.approved(), await cast.approved()]
      const workers = [cast.runtime, await cast.another(), await cast.another()]
      const answers = await Promise.all(
        proposals.map(async (proposal, index) => answerOf(cast.execute(proposal, workers[index]))),
      )
      const carriedOut = answers.filter((answer) => answer === 'verification_pending')
      stage.mustBe('the number of proposals that were carried out', carriedOut.length, 1)
      const verified = await Promise.all(proposals.map(async (one) => (await cast.settled(one)).status))
      stage.mustBe('the number that is verified', verified.filter((status) => status === 'verified').length, 1)
    },
  },
  {
    id: 'approval_expired_before_admission',
    title: 'Approval expired before admission',
    clauses: ['lifecycle 6.8', 'design D11'],
    expected: NOTHING,
    async script(cast, stage) {
      const proposal = await cast.approved()
      cast.action.happenings.afterResolve = () => {
        // The wall clock alone: nothing else has noticed yet.
        stage.clock.setWall(stage.clock.now() + FOUR_DAYS_MS)
      }
      stage.mustBe('the outcome', await answerOf(cast.execute(proposal)), 'expired')
    },
  },
  {
    id: 'approvers_right_revoked',
    title: "Approver's right revoked",
    clauses: ['lifecycle 6.8'],
    expected: NOTHING,
    async script(cast, stage) {
      const proposal = await cast.approved()
      cast.action.business.barred.add(finance.principal.id)
      const answer = await answerOf(cast.execute(proposal))
      stage.must(`the execution is refused, and is ${answer}`, answer.startsWith('blocked'))
    },
  },
  {
    id: 'self_approval',
    title: 'Self-approval',
    clauses: ['lifecycle 5'],
    expected: NOTHING,
    async script(cast, stage) {
      const { proposal, commitment } = await cast.prepared()
      const answer = await answerOf(cast.runtime.approve(requester, proposal, { commitment }))
      stage.mustBe('the approval by the requester', answer, 'separation_of_duties')
      stage.mustBe('the execution', await answerOf(cast.execute(proposal)), 'approval_pending')
    },
  },
  {
    id: 'approval_of_other_content',
    title: 'Approval of other content',
    clauses: ['lifecycle 5', 'policy-and-protection 2'],
    expected: NOTHING,
    async script(cast, stage) {
      const small = await cast.prepared('first', requester, '1.00')
      const large = await cast.prepared('second', requester, AMOUNT.amount)
      const { commitment } = small
      const answer = await answerOf(cast.runtime.approve(finance, large.proposal, { commitment }))
      stage.mustBe('the approval with the commitment of another one', answer, 'binding_mismatch')
      stage.mustBe('the execution', await answerOf(cast.execute(large.proposal)), 'approval_pending')
    },
  },
]
