// A safety report as one JSON document of a stated version, and the reader that lets nothing through that a report would refuse.
import { z } from 'zod'
import { VERSION } from '../../runtime/version.ts'
import { COUNTERS, SafetyCheck } from './safety-check.ts'
import { CLASSIFICATION_LIMIT, SafetyReport } from './safety-report.ts'

/** The name and version of the document's form. */
export const SAFETY_REPORT_SCHEMA = 'countersign/safety-report/v1'

/** What is known about the code under test from outside of it. */
export interface ReportContext {
  /** The revision in git, if there is one. */
  readonly revision?: string | null
}

/** The document. Equal runs make equal documents. Spec: harness 4 c. */
export function safetyReportJson(report: SafetyReport, { revision = null }: ReportContext = {}): SafetyReportDocument {
  const { action, seed, checks, comparison, adapter, ledger, classification } = report
  return {
    schema: SAFETY_REPORT_SCHEMA,
    runtime: { name: 'countersign', version: VERSION, revision },
    action,
    adapter,
    ledger,
    seed,
    comparison,
    checks: checks.map((check) => ({
      id: check.id,
      title: check.title,
      clauses: check.clauses,
      state: check.state,
      notRun: check.notRun,
      failures: check.failures,
      expected: check.expected,
      observed: check.observed,
      traceHash: check.traceHash,
      durationMs: check.durationMs,
    })),
    classification,
    limit: CLASSIFICATION_LIMIT,
  }
}

/**
 * Reads a document back. Its verdicts go through the same constructors as those of a run, and a classification that does
 * not follow from the checks is refused.
 *
 * @throws TypeError with the path of what is wrong.
 */
export function parseSafetyReport(document: unknown): SafetyReport {
  const parsed = documentSchema.safeParse(document)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new TypeError(`this is no safety report: /${issue?.path.join('/') ?? ''}: ${issue?.message ?? ''}`)
  }
  const { action, seed, comparison, adapter, ledger, classification, checks } = parsed.data
  const report = new SafetyReport({
    action,
    seed,
    comparison,
    adapter,
    ledger,
    checks: checks.map(({ state, notRun, ...check }) => {
      if ((state === 'not_run') !== (notRun !== null)) throw new TypeError('a check is not_run if it says why')
      return new SafetyCheck({ ...check, passed: state === 'passed', ...(notRun === null ? {} : { notRun }) })
    }),
  })
  if (report.classification !== classification) {
    throw new TypeError('this is no safety report: /classification: it does not follow from the checks')
  }
  return report
}

const counters = z.strictObject(
  Object.fromEntries(COUNTERS.map((name) => [name, z.exactOptional(z.int().min(0))])),
) as z.ZodType<SafetyCheck['expected']>

const participant = z.strictObject({ name: z.string(), capabilities: z.array(z.string()).readonly() }).nullable()
const evidence = z.enum(['CONFIRMED', 'FAILED', 'UNKNOWN'])
const count = z.int().min(0)

const documentSchema = z.strictObject({
  schema: z.literal(SAFETY_REPORT_SCHEMA),
  runtime: z.strictObject({ name: z.literal('countersign'), version: z.string(), revision: z.string().nullable() }),
  action: z.string(),
  adapter: participant,
  ledger: participant,
  seed: count,
  comparison: z
    .strictObject({
      title: z.string(),
      naive: z.strictObject({ calls: count, charges: count, totalCents: count }),
      guarded: z.strictObject({
        execution: evidence,
        verification: evidence,
        final: evidence,
        calls: count,
        charges: count,
      }),
    })
    .nullable(),
  checks: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      clauses: z.array(z.string()).readonly(),
      state: z.enum(['passed', 'failed', 'not_run']),
      notRun: z.string().nullable(),
      failures: z.array(z.string()).readonly(),
      expected: counters,
      observed: counters,
      traceHash: z.string().nullable(),
      durationMs: count,
    }),
  ),
  classification: z.enum(['SAFE UNDER TESTED CONDITIONS', 'UNSAFE UNDER TESTED CONDITIONS']),
  limit: z.literal(CLASSIFICATION_LIMIT),
})

/** The document's type, as its reader sees it. */
export type SafetyReportDocument = Readonly<z.output<typeof documentSchema>>
