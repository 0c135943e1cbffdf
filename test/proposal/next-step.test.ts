// The next step in one word, for every status, and the evidence behind it in short.
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/effect/effect.ts'
import { evidenceSummary, nextStep } from '../../src/proposal/next-step.ts'
import { ATTENTIONS } from '../../src/proposal/proposal.ts'
import { STATUSES, type Status } from '../../src/proposal/status.ts'
import { attempt, ending, leaseUntil, observation, settlement } from '../effect/builders.ts'
import { absence, claimed, confirmation, expiresAt, now, P2, sample } from './lifecycle/sample.ts'

const underWay = claimed([attempt()])
const ended = claimed([attempt({ ending: ending('accepted') })], [], null, { verifyDueAt: now })

describe('what can usefully be done now', () => {
  it.each<[Status, Effect | null, number, string]>([
    ['awaiting_approval', null, expiresAt - 1, 'await_approval'],
    ['awaiting_approval', null, expiresAt, 'prepare_again'],
    ['approved', null, expiresAt - 1, 'execute'],
    ['approved', null, expiresAt, 'prepare_again'],
    ['executing', underWay, leaseUntil - 1, `wait until ${leaseUntil}`],
    ['executing', underWay, leaseUntil, 'reconcile'],
    ['executing', ended, now, 'reconcile'],
    ['executing', null, now, 'reconcile'],
    ['verification_pending', ended, now - 1, `wait until ${now}`],
    ['verification_pending', ended, now, 'reconcile'],
    ['verification_pending', { ...ended, verifyDueAt: null }, now, 'reconcile'],
    ['verification_pending', null, now, 'reconcile'],
    ['failed_unknown', ended, now - 1, `wait until ${now}`],
    ['failed_unknown', ended, now, 'reconcile'],
    ['verification_unresolved', ended, now - 1, 'operator'],
    ['verified', ended, now, 'none'],
    ['failed_known', ended, now, 'prepare_again'],
    ['closed_unknown', ended, now, 'none'],
    ['rejected', null, now, 'none'],
    ['withdrawn', null, now, 'none'],
    ['expired', null, now, 'prepare_again'],
    ['stale', null, now, 'prepare_again'],
    ['superseded', null, now, 'none'],
  ])('lifecycle %s: the next step', (status, effect, at, expected) => {
    const { step, at: until } = nextStep(sample(status), effect, at)

    expect(until === null ? step : `${step} until ${until}`).toBe(expected)
  })

  it('what was replaced goes on as its replacement', () => {
    expect(nextStep({ ...sample('stale'), replacedBy: P2 } as ReturnType<typeof sample>, null, now).step).toBe('none')
  })

  it('whatever asks for a person comes first', () => {
    const steps = STATUSES.flatMap((status) =>
      ATTENTIONS.map((flag) => nextStep(sample(status, { attention: [flag] }), ended, now).step),
    )

    expect(new Set(steps)).toEqual(new Set(['operator']))
  })
})

describe('the evidence in short', () => {
  it('is nothing where nothing was started', () => {
    expect(evidenceSummary(null)).toBe(null)
    expect(evidenceSummary(claimed([]))).toBe(null)
  })

  it('is as of the newest look at the target', () => {
    const fence = observation({ source: 'fence', answer: 'acknowledged', beganAt: 9_000_000 })
    const late = observation({ source: 'executor', answer: 'accepted', beganAt: 9_000_001 })
    const looks = [observation({ beganAt: 7_000_000 }), absence({ beganAt: 8_000_000 })]

    expect(evidenceSummary(claimed([attempt()]))?.asOf).toBe(null)
    expect(evidenceSummary(claimed([attempt()], [fence]))?.asOf).toBe(null)
    expect(evidenceSummary(claimed([attempt()], [...looks, fence, late]))?.asOf).toBe(8_000_000)
  })

  it('says what is known, of how many attempts, and what speaks against it', () => {
    const inDoubt = attempt({ ending: ending('failed_unknown') })

    expect(evidenceSummary(claimed([inDoubt, inDoubt], [confirmation({ beganAt: 7 })]))).toEqual({
      status: 'CONFIRMED',
      attempts: 2,
      conflict: false,
      duplicatePossible: true,
      settled: null,
      asOf: 7,
    })
    expect(evidenceSummary(claimed([inDoubt], [confirmation(), absence()]))).toMatchObject({
      status: 'UNKNOWN',
      conflict: true,
    })
    expect(evidenceSummary(claimed([inDoubt], [], settlement('did_not_occur')))).toMatchObject({
      status: 'FAILED',
      settled: 'did_not_occur',
      asOf: null,
    })
  })
})
