// A report passes only if every clause was run and held, and shows what was not.
import { describe, expect, it } from 'vitest'
import { type Clause, ClauseFailure, runClauses } from '../../src/testing/clause.ts'
import { conformanceReport } from '../../src/testing/conformance-report.ts'
import { type ClauseResult, failureCodes, reportText } from '../../src/testing.ts'

const passed: ClauseResult = { clause: 'one', state: 'passed', code: null, sentence: 'It holds.' }
const failed: ClauseResult = { clause: 'second', state: 'failed', code: 'broken', sentence: 'It does not.' }
const notRun: ClauseResult = { clause: 'third', state: 'not_run', code: null, sentence: 'Nobody could.' }

describe('the verdict', () => {
  it.each([
    ['passed', [passed]],
    ['incomplete', [passed, notRun]],
    ['failed', [passed, failed]],
    ['failed', [notRun, failed]],
    ['incomplete', [notRun]],
  ] as const)('is %s', (verdict, clauses) => {
    expect(conformanceReport({ kit: 'kit', subject: 'it', seed: null, clauses }).verdict).toBe(verdict)
  })

  it('is given on no empty report', () => {
    expect(() => conformanceReport({ kit: 'kit', subject: 'it', seed: null, clauses: [] })).toThrow(TypeError)
  })
})

it('a report as text has a line for each clause, with the code and the reason where it did not pass', () => {
  const report = conformanceReport({ kit: 'kit', subject: 'it', seed: 7, clauses: [passed, failed, notRun] })

  expect(reportText(report)).toBe(
    `kit: it (seed 7)

one     PASS
second  FAIL  broken: It does not.
third   NOT RUN  Nobody could.

Verdict: failed
`,
  )
  expect(failureCodes(report)).toEqual(['broken'])
})

describe('clauses', () => {
  const holds: Clause<string[]> = { clause: 'holds', rule: 'It holds.', run: async (seen) => void seen.push('holds') }
  const breaks: Clause<string[]> = {
    clause: 'breaks',
    rule: 'It never holds.',
    async run() {
      throw new ClauseFailure('broken', 'It does not hold.')
    },
  }

  it('are not run where they rest on one that did not pass', async () => {
    const seen: string[] = []
    const onBroken: Clause<string[]> = { ...holds, clause: 'on broken', restsOn: ['holds', 'breaks'] }
    const onNotRun: Clause<string[]> = { ...holds, clause: 'on not run', restsOn: ['on broken'] }

    const results = await runClauses([holds, breaks, onBroken, onNotRun], seen)

    expect(results.map(({ clause, state, sentence }) => [clause, state, sentence])).toEqual([
      ['holds', 'passed', 'It holds.'],
      ['breaks', 'failed', 'It does not hold.'],
      ['on broken', 'not_run', 'It rests on breaks, which did not pass.'],
      ['on not run', 'not_run', 'It rests on on broken, which did not pass.'],
    ])
    expect(seen).toEqual(['holds'])
  })

  it('are not run where they rest on one that is not there', async () => {
    const [result] = await runClauses([{ ...holds, restsOn: ['nothing'] }], [])

    expect(result?.state).toBe('not_run')
  })

  it('let trouble of the test itself through', async () => {
    const troubled: Clause<string[]> = {
      ...holds,
      async run() {
        throw new Error('the world is down')
      },
    }

    await expect(runClauses([troubled], [])).rejects.toThrow('the world is down')
  })
})
