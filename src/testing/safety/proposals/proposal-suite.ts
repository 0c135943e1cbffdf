// The safety suite of proposals: the twelve checks of guarded calls, and those of approval, drift, death and erasure.
import { paymentSafetySuite, type PaymentSuiteOptions } from '../calls/payment-suite.ts'
import { SafetyReport } from '../safety-report.ts'
import { runScenarios, type Scenario } from '../scenario.ts'
import { suiteSeed } from '../suite-seed.ts'
import { authorityScenarios } from './authority-scenarios.ts'
import { deathScenario } from './death-scenario.ts'
import { outcomeScenarios } from './outcome-scenarios.ts'
import { ProposalCast } from './proposal-cast.ts'

/** The checks that are added to the twelve, in their order. */
export const proposalScenarios: readonly Scenario<ProposalCast>[] = [
  ...authorityScenarios,
  ...outcomeScenarios,
  deathScenario,
]

/** Runs the twelve checks and adds those of proposals, on the same kind of ledger. Spec: harness 2. */
export async function proposalSafetySuite(options: PaymentSuiteOptions): Promise<SafetyReport> {
  const { openStore, seed = suiteSeed() } = options
  const calls = await paymentSafetySuite({ ...options, seed })
  const proposals = await runScenarios(proposalScenarios, {
    seed,
    openStore,
    cast: async (stage) => ProposalCast.open(stage),
  })
  const { action, comparison, adapter, ledger } = calls
  return new SafetyReport({
    action,
    seed,
    comparison,
    adapter,
    ledger,
    checks: [...calls.checks, ...proposals],
  })
}
