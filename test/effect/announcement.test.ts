// Announcements: bound to the attempts that carried the key, known by the provider's id of the event, and never evidence.
import { describe, expect, it } from 'vitest'
import { announced, isAnnounced, isAnnouncedAfter } from '../../src/effect/announcement.ts'
import type { Attempt, Effect, Observation } from '../../src/effect/effect.ts'
import { unclaimed } from '../../src/effect/effect-changes.ts'
import { evidenceOf } from '../../src/effect/effect-evidence.ts'
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import { limits } from '../../src/effect/limits.ts'
import { attempt, ending, observation, ref } from './builders.ts'

const key = { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') }
const [K1, K2] = [idempotencyKey(key, 1), idempotencyKey(key, 2)]
const refused = attempt({ ending: ending('failed_known') })
const inDoubt = attempt({ ending: ending('failed_unknown') })
const second = attempt({ generation: 2, ending: ending('failed_unknown') })
const event = { idempotencyKey: K1, eventId: ref('evt_1') }
const now = 5_000_000

describe('rule R7: an announcement', () => {
  it('rule R7 is on record with what the provider calls it, and a look is due now', () => {
    const before = effectOf([inDoubt], [observation()])
    const after = announced(before, event, now)

    expect(after?.observation).toEqual({
      sequence: 2,
      source: 'event',
      answer: 'announced',
      verdict: 'UNKNOWN',
      covers: { from: 1, to: 1 },
      target: 'psp',
      proof: null,
      flags: [],
      reason: null,
      externalReference: 'evt_1',
      matches: null,
      beganAt: now,
      endedAt: now,
    })
    expect(after?.effect).toEqual({
      ...before,
      version: before.version + 1,
      observations: [...before.observations, after?.observation],
      verifyDueAt: now,
      verifyLease: null,
    })
  })

  it.each<[string, readonly Attempt[]]>([
    ['in doubt', [inDoubt]],
    ['refused', [refused]],
    ['under way', [attempt()]],
    ['twice in doubt', [inDoubt, inDoubt]],
  ])('trace S45 is no evidence about what is %s', (_, attempts) => {
    const before = effectOf(attempts)

    expect(evidenceOf(announced(before, event, now)?.effect ?? before)).toEqual(evidenceOf(before))
  })

  it.each<[string, string, Observation['covers']]>([
    ['the first generation', K1, { from: 1, to: 2 }],
    ['the second generation', K2, { from: 3, to: 3 }],
  ])('trace S45 speaks only of attempts that carried its key: %s', (_, idempotencyKeyOfEvent, covers) => {
    const effect = effectOf([refused, refused, second])

    expect(announced(effect, { ...event, idempotencyKey: idempotencyKeyOfEvent }, now)?.observation?.covers).toEqual(
      covers,
    )
  })

  it('is about an attempt, or it is a mistake of the caller', () => {
    expect(() => announced(effectOf([inDoubt]), { ...event, idempotencyKey: K2 }, now)).toThrow('carried its key')
  })

  it('does not put off a look that was due before', () => {
    const due = { ...effectOf([inDoubt]), verifyDueAt: now - 1 }

    expect(announced(due, event, now)?.effect.verifyDueAt).toBe(now - 1)
    expect(announced({ ...due, verifyDueAt: now + 1 }, event, now)?.effect.verifyDueAt).toBe(now)
  })

  it('is known by its id, and by nothing else', () => {
    const effect = announced(effectOf([inDoubt], [observation({ externalReference: ref('rf-1') })]), event, now)?.effect

    expect(effect).toBeDefined()
    expect(isAnnounced(effect ?? effectOf([]), ref('evt_1'))).toBe(true)
    expect(isAnnounced(effect ?? effectOf([]), ref('evt_2'))).toBe(false)
    expect(isAnnounced(effect ?? effectOf([]), ref('rf-1'))).toBe(false)
  })
})

describe('a flood of announcements', () => {
  const full = effectOf(
    [inDoubt],
    Array.from({ length: limits.observationsKeptFully }, () => observation({ source: 'event' })),
  )

  it('only moves what is due', () => {
    const after = announced(full, event, now)

    expect(after).toEqual({ effect: { ...full, version: full.version + 1, verifyDueAt: now }, observation: null })
  })

  it('changes nothing at all once a look is due', () => {
    expect(announced({ ...full, verifyDueAt: now - 1 }, event, now)).toBeNull()
    expect(announced({ ...full, verifyDueAt: now }, event, now)).toBeNull()
    expect(announced({ ...full, verifyDueAt: now + 1 }, event, now)?.effect.verifyDueAt).toBe(now)
  })

  it('is kept up to the limit', () => {
    const before = effectOf([inDoubt], full.observations.slice(1))

    expect(announced(before, event, now)?.observation?.sequence).toBe(limits.observationsKeptFully)
  })
})

it('what was announced while somebody looked is told from what was announced before', () => {
  const effect = effectOf(
    [inDoubt],
    [observation({ source: 'event' }), observation(), observation({ source: 'event' })],
  )

  expect([0, 1, 2, 3].map((sequence) => isAnnouncedAfter(effect, sequence))).toEqual([true, true, true, false])
  expect(isAnnouncedAfter(effectOf([inDoubt], [observation(), observation()]), 1)).toBe(false)
})

function effectOf(attempts: readonly Attempt[], observations: readonly Observation[] = []): Effect {
  return {
    ...unclaimed(key),
    version: 3,
    owner: ref('proposal-1'),
    attempts: attempts.map((one, index) => ({
      ...one,
      number: index + 1,
      idempotencyKey: idempotencyKey(key, one.generation),
    })),
    observations: observations.map((one, index) => ({ ...one, sequence: index + 1 })),
  }
}
