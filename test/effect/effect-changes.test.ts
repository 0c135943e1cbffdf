// How an effect grows: every change raises the version by one and takes nothing away.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Attempt, Effect } from '../../src/effect/effect.ts'
import {
  unclaimed,
  withEnded,
  withFenceRaised,
  withObserved,
  withOpened,
  withVerificationDue,
} from '../../src/effect/effect-changes.ts'
import { attempt, ending, observation, ref } from './builders.ts'

const key = { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') }
const owner = ref('proposal-1')
const { number: _number, epoch: _epoch, ending: _ending, ...newAttempt } = attempt()
const { sequence: _sequence, ...newObservation } = observation()
const fresh = unclaimed(key)
const opened = withOpened(fresh, owner, newAttempt)

describe('an effect that nobody claimed', () => {
  it('has no owner, no fence and nothing on record', () => {
    expect(fresh).toMatchObject({
      key,
      kind: 'proposal',
      version: 0,
      owner: null,
      epoch: 0,
      attempts: [],
      observations: [],
    })
    expect(fresh).toMatchObject({ settlement: null, verifyDueAt: null, verifyLease: null })
  })

  it('is of the kind that its domain says (rules R17)', () => {
    expect(unclaimed({ ...key, domain: 'call:charge_customer' }).kind).toBe('call')
  })
})

describe('an attempt', () => {
  it('is opened with the next number, under a raised fence, by its owner', () => {
    expect(opened).toMatchObject({ version: 1, owner, epoch: 1 })
    expect(opened.attempts).toEqual([attempt({ number: 1, epoch: 1, ending: null })])
  })

  it('gives the effect another owner, and verification a new start', () => {
    const tired = withVerificationDue(withVerificationDue(opened, 5_000, 'absence'), 9_000, 'unavailable')

    const again = withOpened(tired, ref('proposal-2'), newAttempt)

    expect(again.attempts.map(({ number, epoch }) => ({ number, epoch }))).toEqual([
      { number: 1, epoch: 1 },
      { number: 2, epoch: 2 },
    ])
    expect(again).toMatchObject({ owner: ref('proposal-2'), verifyDueAt: null, absencesSpent: 0, unavailablesSpent: 0 })
  })

  it('is ended once', () => {
    const ended = withEnded(opened, 1, ending('accepted'))

    expect(ended).toMatchObject({ version: 2, attempts: [{ number: 1, ending: { kind: 'accepted' } }] })
    expect(() => withEnded(ended, 1, ending('failed_known'))).toThrow('only an open attempt ends')
    expect(() => withEnded(ended, 2, ending('failed_known'))).toThrow('only an open attempt ends')
  })

  it('is ended without touching those before it', () => {
    const second = withOpened(withEnded(opened, 1, ending('failed_known')), owner, newAttempt)

    const ended = withEnded(second, 2, ending('accepted'))

    expect(ended.attempts.map((one) => one.ending?.kind)).toEqual(['failed_known', 'accepted'])
  })
})

describe('verification', () => {
  it('spends from the budget of its answer, and frees its lease', () => {
    const leased: Effect = { ...opened, verifyLease: { holder: 'instance-1', until: 4_000 } }

    expect(withVerificationDue(leased, 5_000, null)).toMatchObject({
      verifyDueAt: 5_000,
      verifyLease: null,
      absencesSpent: 0,
      unavailablesSpent: 0,
    })
    expect(withVerificationDue(leased, null, 'absence')).toMatchObject({
      verifyDueAt: null,
      absencesSpent: 1,
      unavailablesSpent: 0,
    })
    expect(withVerificationDue(leased, null, 'unavailable')).toMatchObject({ absencesSpent: 0, unavailablesSpent: 1 })
  })
})

describe('every change', () => {
  const step = fc.constantFrom<(effect: Effect) => Effect>(
    (effect) => withOpened(effect, owner, newAttempt),
    (effect) => withObserved(effect, newObservation),
    withFenceRaised,
    (effect) => {
      const open = effect.attempts.find((one) => one.ending === null)
      return open === undefined ? withFenceRaised(effect) : withEnded(effect, open.number, ending('failed_unknown'))
    },
  )

  test.prop([fc.array(step, { maxLength: 12 })])(
    'raises the version by one, keeps what was there, leaves no gaps',
    (steps) => {
      let before = fresh
      for (const change of steps) {
        const after = change(before)

        expect(after.version).toBe(before.version + 1)
        expect(after.epoch).toBeGreaterThanOrEqual(before.epoch)
        expect(after.observations.slice(0, before.observations.length)).toEqual(before.observations)
        expect(after.attempts.slice(0, before.attempts.length).map(withoutEnding)).toEqual(
          before.attempts.map(withoutEnding),
        )
        before = after
      }
      expect(before.attempts.map(({ number }) => number)).toEqual(before.attempts.map((_, index) => index + 1))
      expect(before.observations.map(({ sequence }) => sequence)).toEqual(
        before.observations.map((_, index) => index + 1),
      )
    },
  )
})

function withoutEnding(one: Attempt): Omit<Attempt, 'ending'> {
  const { ending: _, ...rest } = one
  return rest
}
