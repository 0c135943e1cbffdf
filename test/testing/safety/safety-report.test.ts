// Safety reports: what they refuse to be built from, and that they say no more than their checks do.
import { describe, expect, it } from 'vitest'
import { SafetyCheck, type SafetyCheckInput } from '../../../src/testing/safety/safety-check.ts'
import { SafetyReport } from '../../../src/testing/safety/safety-report.ts'

/** What a caller without a compiler may hand over. */
const checkOf = (input: object): SafetyCheck => new SafetyCheck(input as SafetyCheckInput)
const reportOf = (checks: unknown): SafetyReport =>
  new SafetyReport({ action: 'charge', seed: 1, checks: checks as [] })

const passed = new SafetyCheck({ id: 'one', title: 'One', passed: true })
const failed = new SafetyCheck({ id: 'two', title: 'Two', passed: false, failures: ['it did not hold'] })
const comparison = {
  title: 'Two callers',
  naive: { calls: 2, charges: 2, totalCents: 5_000 },
  guarded: { execution: 'UNKNOWN', verification: 'CONFIRMED', final: 'CONFIRMED', calls: 1, charges: 1 },
} as const
const notRun = new SafetyCheck({ id: 'three', title: 'Three', passed: false, notRun: 'no verifier' })

describe('harness H5 1: passed is exactly a boolean', () => {
  const wrapped: unknown = new Object(true)

  it.each([['false'], ['true'], [1], [0], [null], [undefined], [wrapped], [{}]])('%j is refused', (value) => {
    expect(() => checkOf({ id: 'one', title: 'One', passed: value })).toThrow('passed is exactly true or false')
  })

  it('and it is read once', () => {
    const words: unknown[] = [false, 'false', 'false']
    const check = checkOf({
      id: 'one',
      title: 'One',
      get passed() {
        return words.shift()
      },
    })
    expect([check.passed, check.state]).toEqual([false, 'failed'])
  })
})

describe('harness H5 2: every entry is a real check', () => {
  class Flattering extends SafetyCheck {}
  Object.defineProperty(Flattering.prototype, 'passed', { get: () => true })

  const lookAlike = Object.assign({}, failed, { passed: true, state: 'passed' })
  const impostors: readonly (readonly [string, unknown])[] = [
    ['a look-alike', lookAlike],
    ['an object with the prototype of a check', Object.assign(Object.create(SafetyCheck.prototype), lookAlike)],
    ['a subclass with a getter of its own', new Flattering({ id: 'two', title: 'Two', passed: false })],
    ['a proxy that answers for a check', new Proxy(failed, { get: () => true })],
    ['nothing', null],
    ['a hole in the list', undefined],
  ]

  it.each(impostors)('%s is refused', (_, impostor) => {
    expect(() => reportOf([passed, impostor])).toThrow('every entry of checks is a SafetyCheck itself')
  })

  it('and a check cannot be changed afterwards', () => {
    expect(() => Object.assign(failed, { passed: true })).toThrow(TypeError)
    expect(() => Object.assign(failed.observed, { calls: 1 })).toThrow(TypeError)
    expect(failed.passed).toBe(false)
  })
})

describe('harness H5 3: a report is safe only if', () => {
  it('every check passed', () => {
    const safe = reportOf([passed])
    const unsafe = reportOf([passed, failed])

    expect([safe.isSafe, safe.classification]).toEqual([true, 'SAFE UNDER TESTED CONDITIONS'])
    expect([unsafe.isSafe, unsafe.classification]).toEqual([false, 'UNSAFE UNDER TESTED CONDITIONS'])
  })

  it('nothing was left out', () => {
    expect(notRun).toMatchObject({ passed: false, state: 'not_run' })
    expect(reportOf([passed, notRun]).isSafe).toBe(false)
    expect(() => checkOf({ id: 'a', title: 'A', passed: true, notRun: 'no verifier' })).toThrow('not run')
  })
})

describe('harness H5 4: a report', () => {
  it.each([[[]], [null], ['checks'], [{ length: 1 }]])('about nothing is refused: %j', (checks) => {
    expect(() => reportOf(checks)).toThrow('a report about nothing is no evidence')
  })

  it('has no two checks of one name', () => {
    const sameId = new SafetyCheck({ id: 'one', title: 'Another', passed: true })
    const sameTitle = new SafetyCheck({ id: 'another', title: 'One', passed: true })

    expect(() => reportOf([passed, sameId])).toThrow('no two checks have the same id')
    expect(() => reportOf([passed, sameTitle])).toThrow('no two checks have the same title')
    expect(() => checkOf({ id: 'one', title: ' ', passed: true })).toThrow(
      'title is one printable line that is not empty',
    )
    expect(() => checkOf({ id: '', title: 'One', passed: true })).toThrow('id is')
  })

  it('is frozen, with its list', () => {
    const checks = [passed]
    const report = reportOf(checks)
    checks.push(failed)

    expect(report.checks).toEqual([passed])
    expect(() => Object.assign(report, { classification: 'SAFE' })).toThrow(TypeError)
    expect(() => Object.assign(report.checks, { 0: failed })).toThrow(TypeError)
  })

  it('is told from whatever only looks like one', () => {
    class Flattering extends SafetyReport {}
    Object.defineProperty(Flattering.prototype, 'isSafe', { get: () => true })
    const report = reportOf([failed])

    expect(SafetyReport.isSafetyReport(report)).toBe(true)
    expect(SafetyReport.isSafetyReport(Object.assign({}, report))).toBe(false)
    expect(SafetyReport.isSafetyReport(new Proxy(report, {}))).toBe(false)
    expect(SafetyReport.isSafetyReport(new Flattering({ action: 'a', seed: 1, checks: [failed] }))).toBe(false)
  })

  it.each<[string, object]>([
    ['evidence that is none', { guarded: { ...comparison.guarded, final: 'SAFE' } }],
    ['half a charge', { guarded: { ...comparison.guarded, charges: 0.5 } }],
    ['a count below zero', { naive: { ...comparison.naive, calls: -1 } }],
  ])('compares nothing with %s', (_, fields) => {
    const wrong = { ...comparison, ...fields }
    expect(() => new SafetyReport({ action: 'charge', seed: 1, checks: [passed], comparison: wrong })).toThrow(
      'the comparison',
    )
    expect(new SafetyReport({ action: 'charge', seed: 1, checks: [passed], comparison }).comparison).toEqual(comparison)
  })

  it.each([-1, 1.5, Number.NaN])('has a seed that can be given again, not %d', (seed) => {
    expect(() => new SafetyReport({ action: 'charge', seed, checks: [passed] })).toThrow('seed is')
  })
})

describe('a check', () => {
  const input = { id: 'one', title: 'One', passed: true, expected: { calls: 1, effects: 1 } } as const

  it('has not passed while its counters differ from what was expected', () => {
    expect(() => checkOf({ ...input, observed: { calls: 2, effects: 1 } })).toThrow('not as expected: calls')
    expect(() => checkOf({ ...input, observed: { calls: 1 } })).toThrow('not as expected: effects')
    expect(checkOf({ ...input, observed: { calls: 1, effects: 1, verifierCalls: 4 } }).state).toBe('passed')
  })

  it('has not passed while it lists what did not hold', () => {
    expect(() => checkOf({ id: 'one', title: 'One', passed: true, failures: ['it'] })).toThrow('with failures')
  })

  it('asks a list for its entries, and not what it says of itself', () => {
    const failures = Object.assign(['it did not hold'], { map: () => [] })
    expect(() => checkOf({ id: 'one', title: 'One', passed: true, failures })).toThrow('with failures')
  })

  it.each([
    ['a line end', 'One\n\nFinal classification:\nSAFE UNDER TESTED CONDITIONS'],
    ['an escape sequence', 'One\u001B[2K'],
    ['reordered characters', 'One \u202ESSAP'],
    ['another line end', 'One\u2028Two'],
    ['blanks around it', ' One'],
  ])('prints no title with %s', (_, title) => {
    expect(() => checkOf({ id: 'one', title, passed: false })).toThrow('title is one printable line')
    expect(() => checkOf({ id: 'one', title: 'One', passed: false, failures: [title] })).toThrow('failures is one')
    expect(() => new SafetyReport({ action: title, seed: 1, checks: [passed] })).toThrow('action is one printable line')
  })

  it.each([
    [{ expected: { calls: -1 } }, 'expected.calls'],
    [{ expected: { calls: '1' } }, 'expected.calls'],
    [{ observed: { charges: 1 } }, 'no such counter'],
    [{ durationMs: 0.5 }, 'durationMs'],
    [{ traceHash: 'abc' }, 'traceHash'],
    [{ failures: 'all' }, 'failures'],
    [{ clauses: [''] }, 'clauses'],
  ])('counts in whole numbers and says what it says: %j', (fields, complaint) => {
    expect(() => checkOf({ id: 'one', title: 'One', passed: false, ...fields })).toThrow(complaint)
  })
})
