// The schedule of verification: budgets, doubling waits, the settling boundary, and the slow probe.
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/effect/effect.ts'
import { STATUSES, type Status } from '../../src/proposal/status.ts'
import { budgetSpent, nextLookAt } from '../../src/proposal/answers/verification-schedule.ts'
import { attempt, ending, leaseUntil, observation } from '../effect/builders.ts'
import { claimed, sample } from './lifecycle/sample.ts'
import { boundary } from './verification-fixtures.ts'

const plan = {
  inFlightMs: 60_000,
  verification: { delayMs: 5_000, absences: 4, unavailables: 20, waitMaxMs: 3_600_000, slowProbeMs: 86_400_000 },
}
const inDoubt = claimed([attempt({ ending: ending('failed_unknown') })])
const after = boundary + 1

describe('the budgets', () => {
  it.each([
    [3, 19, null],
    [4, 0, 'absences_spent'],
    [5, 0, 'absences_spent'],
    [0, 20, 'unavailables_spent'],
    [4, 20, 'absences_spent'],
  ])('%i absences and %i outages: %s', (absencesSpent, unavailablesSpent, expected) => {
    expect(budgetSpent(plan, { ...inDoubt, absencesSpent, unavailablesSpent })).toBe(expected)
  })
})

describe('after the boundary the wait doubles with every answer that spent a budget', () => {
  it.each([
    [0, 0, 5_000],
    [1, 0, 10_000],
    [0, 2, 20_000],
    [3, 2, 160_000],
    [3, 19, 3_600_000],
  ])('%i absences and %i outages: %i ms', (absencesSpent, unavailablesSpent, wait) => {
    expect(next({ ...inDoubt, absencesSpent, unavailablesSpent })).toBe(after + wait)
  })

  it('with up to a tenth more, so that not all ask at once', () => {
    expect(next(inDoubt, { fraction: 0.5 })).toBe(after + 5_250)
    expect(next(inDoubt, { fraction: 0.999 })).toBe(after + 5_500)
  })
})

describe('rule R6: before the boundary every look doubles it, and the boundary ends it', () => {
  it.each([
    [0, 5_000],
    [1, 10_000],
    [2, 20_000],
  ])('rule R6 after %i looks: %i ms', (looks, wait) => {
    const looked = claimed(
      inDoubt.attempts,
      Array.from({ length: looks }, () => observation()),
    )

    expect(next(looked, { now: leaseUntil })).toBe(leaseUntil + wait)
  })

  it('rule R6 the next look is at the boundary at the latest', () => {
    expect(next(inDoubt, { now: boundary - 1_000 })).toBe(boundary)
    expect(next(inDoubt, { now: boundary - 5_000 })).toBe(boundary)
    expect(next(inDoubt, { now: boundary - 5_001 })).toBe(boundary - 1)
    expect(next(inDoubt, { now: boundary })).toBe(boundary + 5_000)
  })

  it('rule R6 at the boundary the looks before it are forgotten', () => {
    expect(next(claimed(inDoubt.attempts, [observation(), observation()]), { now: boundary })).toBe(boundary + 5_000)
  })

  it('rule R6 looks at earlier attempts, and what was no look, do not count', () => {
    const twice = claimed(
      [...inDoubt.attempts, ...inDoubt.attempts],
      [observation(), observation({ source: 'fence', covers: { from: 1, to: 2 } })],
    )

    expect(next(twice, { now: leaseUntil })).toBe(leaseUntil + 5_000)
  })
})

describe('who is looked at', () => {
  const asked = new Set<Status>(['executing', 'verification_pending', 'failed_unknown'])

  it.each(STATUSES)('lifecycle %s', (status) => {
    const spent = { ...inDoubt, absencesSpent: 4 }

    expect(next(inDoubt, { status })).toBe(asked.has(status) ? after + 5_000 : null)
    expect(next(spent, { status })).toBe(
      asked.has(status) ? after + 80_000 : status === 'verification_unresolved' ? after + 86_400_000 : null,
    )
  })
})

interface Looking {
  readonly status?: Status
  readonly now?: number
  readonly fraction?: number
}

function next(effect: Effect, { status = 'failed_unknown', now = after, fraction = 0 }: Looking = {}): number | null {
  return nextLookAt(plan, effect, sample(status), now, fraction)
}
