// The two forms of a safety report: the text that people read, and the JSON document that goes through the same constructor.
import { describe, expect, it } from 'vitest'
import { parseSafetyReport, SAFETY_REPORT_SCHEMA, safetyReportJson } from '../../../src/testing/safety/report-json.ts'
import { safetyReportText } from '../../../src/testing/safety/report-text.ts'
import { SafetyCheck } from '../../../src/testing/safety/safety-check.ts'
import { CLASSIFICATION_LIMIT, type Comparison, SafetyReport } from '../../../src/testing/safety/safety-report.ts'

const comparison: Comparison = {
  title: 'Timeout-after-commit comparison',
  naive: { calls: 2, charges: 2, totalCents: 5_000 },
  guarded: { execution: 'UNKNOWN', verification: 'CONFIRMED', final: 'CONFIRMED', calls: 1, charges: 1 },
}
const success = new SafetyCheck({
  id: 'normal_success',
  title: 'Normal success',
  passed: true,
  clauses: ['S:210'],
  expected: { calls: 1, effects: 1 },
  observed: { calls: 1, effects: 1, verifierCalls: 0, ledgerWrites: 3 },
  traceHash: 'ab'.repeat(32),
  durationMs: 12,
})
const wrong = new SafetyCheck({
  id: 'replay',
  title: 'Replay safety',
  passed: false,
  failures: ['the second call was not a replay'],
  expected: { calls: 1, effects: 1 },
  observed: { calls: 2, effects: 1 },
})
const left = new SafetyCheck({ id: 'late', title: 'Late result', passed: false, notRun: 'the adapter has no fence' })

const safe = new SafetyReport({ action: 'charge_customer', seed: 1, comparison, checks: [success] })
const unsafe = new SafetyReport({
  action: 'charge_customer',
  seed: 7,
  checks: [success, wrong, left],
  adapter: { name: 'FakePaymentProvider', capabilities: ['lookup'] },
  ledger: { name: 'memory', capabilities: [] },
})

describe('harness H3: the text of a report', () => {
  it('opens with the comparison, and ends with the classification', () => {
    expect(safetyReportText(safe)).toBe(
      [
        'Timeout-after-commit comparison',
        '  Naive retry: calls=2, charges=2, total=5000 cents',
        '  Countersign: execution=UNKNOWN, verification=CONFIRMED, final=CONFIRMED, calls=1, charges=1',
        '',
        'Action: charge_customer',
        '',
        'Normal success  PASS',
        '',
        'Final classification:',
        'SAFE UNDER TESTED CONDITIONS',
      ].join('\n'),
    )
  })

  it('says what did not pass, and the seed that repeats it', () => {
    expect(safetyReportText(unsafe)).toBe(
      [
        'Action: charge_customer',
        '',
        'Normal success  PASS',
        'Replay safety   FAIL',
        'Late result     NOT RUN',
        '',
        'Final classification:',
        'UNSAFE UNDER TESTED CONDITIONS',
        '',
        'What did not pass (seed 7 repeats it):',
        '  Replay safety',
        '    calls: expected 1, was 2',
        '    the second call was not a replay',
        '  Late result',
        '    not run: the adapter has no fence',
      ].join('\n'),
    )
  })
})

describe('harness 4 c: the document of a report', () => {
  it('names its form, the runtime, the revision, and the sentence that limits it', () => {
    expect(safetyReportJson(unsafe, { revision: 'abc' })).toMatchObject({
      schema: SAFETY_REPORT_SCHEMA,
      runtime: { name: 'countersign', revision: 'abc' },
      seed: 7,
      adapter: { name: 'FakePaymentProvider', capabilities: ['lookup'] },
      classification: 'UNSAFE UNDER TESTED CONDITIONS',
      limit: CLASSIFICATION_LIMIT,
      checks: [
        { id: 'normal_success', state: 'passed', clauses: ['S:210'], durationMs: 12 },
        { id: 'replay', state: 'failed', expected: { calls: 1 }, observed: { calls: 2 } },
        { id: 'late', state: 'not_run', notRun: 'the adapter has no fence' },
      ],
    })
  })

  it.each([safe, unsafe])('is read back as the report that it was', (report) => {
    const document: unknown = JSON.parse(JSON.stringify(safetyReportJson(report)))

    expect(parseSafetyReport(document)).toEqual(report)
  })

  it('is refused where a report would be', () => {
    const document = safetyReportJson(unsafe)
    const [first] = document.checks
    const forged: readonly object[] = [
      { ...document, schema: 'countersign/safety-report/v2' },
      { ...document, classification: 'SAFE UNDER TESTED CONDITIONS' },
      { ...document, checks: [] },
      { ...document, checks: [first, first] },
      { ...document, checks: [{ ...first, state: 'ok' }] },
      { ...document, checks: [{ ...first, state: 'not_run' }] },
      { ...document, checks: [{ ...first, observed: { calls: 2, effects: 1 } }] },
      { ...document, checks: [{ ...first, passed: true }] },
      { ...document, limit: 'Always safe.' },
    ]

    for (const one of forged) expect(() => parseSafetyReport(one)).toThrow(TypeError)
  })
})
