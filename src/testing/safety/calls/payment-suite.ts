// The safety suite of guarded calls: the comparison with a naive retry, and the twelve checks, as one report.
import type { Comparison, Participant } from '../safety-report.ts'
import { SafetyReport } from '../safety-report.ts'
import { runScenarios, type ScenarioRun } from '../scenario.ts'
import { type OpenStore, Stage } from '../stage.ts'
import { suiteSeed } from '../suite-seed.ts'
import { ACTION, CallCast, directPaymentAdapter, type PaymentAdapter } from './call-cast.ts'
import { callScenarios } from './call-scenarios.ts'

/** What is put under test. */
export interface PaymentSuiteOptions {
  /** The ledger; every check opens an empty one. */
  readonly openStore: OpenStore
  /** Its name and what it can do, as the report shows it. */
  readonly ledger?: Participant
  /** What stands between a guarded call and the provider; by default nothing does. */
  readonly adapter?: PaymentAdapter
  /** Repeats a run. Default: that of the command line, else 1. */
  readonly seed?: number
}

/**
 * Runs the comparison and the twelve checks against the fake provider, whose counters alone are believed. Spec: harness
 * 2, H2.
 *
 * ```ts
 * export const runSafetySuite = () => paymentSafetySuite({ openStore: (clock) => memoryStore({ clock }) })
 * ```
 */
export async function paymentSafetySuite(options: PaymentSuiteOptions): Promise<SafetyReport> {
  const { openStore, ledger = null, adapter = directPaymentAdapter, seed = suiteSeed() } = options
  const run: ScenarioRun<CallCast> = { seed, openStore, cast: (stage) => new CallCast(stage, adapter) }
  return new SafetyReport({
    action: ACTION,
    seed,
    comparison: await compare(run),
    checks: await runScenarios(callScenarios, run),
    adapter: { name: adapter.name, capabilities: adapter.capabilities ?? [] },
    ledger,
  })
}

/** One lost answer, met twice: by a caller who tries again, and by a guarded call that looks. */
async function compare({ seed, openStore, cast }: ScenarioRun<CallCast>): Promise<Comparison> {
  const chargeFaults = ['commit_then_drop'] as const
  const naive = await Stage.open({ seed, openStore, chargeFaults })
  await naive.play(naiveRetry(naive))
  const guarded = await Stage.open({ seed, openStore, chargeFaults })
  const caller = await cast(guarded)
  const { receipt } = await guarded.play(caller.charge({ verifier: caller.verifier }))
  await Promise.all([naive.bareStore.close(), guarded.bareStore.close()])
  return {
    title: 'Timeout-after-commit comparison',
    naive: { ...counts(naive), totalCents: naive.provider.totalCents },
    guarded: {
      execution: receipt.executionStatus ?? 'UNKNOWN',
      verification: receipt.verificationStatus ?? 'UNKNOWN',
      final: receipt.finalStatus ?? 'UNKNOWN',
      ...counts(guarded),
    },
  }
}

async function naiveRetry({ provider }: Stage): Promise<void> {
  const request = { customerId: 'customer_123', amountCents: 2_500, clientReference: 'order-123' }
  try {
    await provider.charge(request)
  } catch {
    await provider.charge(request)
  }
}

function counts({ provider }: Stage): { readonly calls: number; readonly charges: number } {
  return { calls: provider.chargeCalls, charges: provider.effects }
}
