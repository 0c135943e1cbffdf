// The conformance kit of protection: a codec or a keyring held to what erasure and sealed content rest on.
import { runClauses } from './clause.ts'
import { type ConformanceReport, conformanceReport } from './conformance-report.ts'
import { codecClauses } from './protection-conformance/codec-clauses.ts'
import { keyringClauses } from './protection-conformance/keyring-clauses.ts'
import type { ContentCodec, KeyringUnderTest } from './protection-conformance/protection-bench.ts'

/**
 * Runs every clause for a codec, or for a keyring and what can be done to its keys. Spec: harness 3,
 * policy-and-protection 4.
 *
 * ```ts
 * const report = await protectionConformance('my key service', { keyring, rotate: () => service.rotate() })
 * ```
 */
export async function protectionConformance(
  subject: string,
  underTest: ContentCodec | KeyringUnderTest,
): Promise<ConformanceReport> {
  const clauses =
    'keyring' in underTest ? await runClauses(keyringClauses, underTest) : await runClauses(codecClauses, underTest)
  return conformanceReport({ kit: 'protectionConformance', subject, seed: null, clauses })
}
