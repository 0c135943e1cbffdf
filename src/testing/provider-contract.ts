// The contract of a provider's adapter: idempotency, error classes and looking back, held against a double that counts.
import { runClauses } from './clause.ts'
import { type ConformanceReport, conformanceReport } from './conformance-report.ts'
import { findingClauses } from './provider-contract/finding-clauses.ts'
import type { ProviderAdapter, ProviderDouble } from './provider-contract/provider-adapter.ts'
import { ProviderBench } from './provider-contract/provider-bench.ts'
import { sendingClauses } from './provider-contract/sending-clauses.ts'

/**
 * Runs every clause of the contract for an adapter against its provider's double or sandbox. Effects and requests are
 * counted by the double; what the adapter says is only compared. Spec: harness 4b.
 *
 * @throws whatever adapter or double throw: an adapter answers errors of its provider as `unknown`.
 */
export async function providerContract<Body>(
  subject: string,
  adapter: ProviderAdapter<Body>,
  double: ProviderDouble<Body>,
): Promise<ConformanceReport> {
  const bench = new ProviderBench(adapter, double)
  const clauses = await runClauses([...sendingClauses, ...findingClauses], bench)
  return conformanceReport({ kit: 'providerContract', subject, seed: null, clauses })
}
