// What is known about an effect: fold, settlement, what reopens it, and which attempts are closed.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Evidence, Observation, Settlement } from '../../src/effect/effect.ts'
import {
  attemptEvidence,
  type EffectEvidence,
  type EvidenceSource,
  evidenceOf,
  foldOf,
  isClosed,
  mayHaveOccurred,
  openAttempt,
} from '../../src/effect/effect-evidence.ts'
import { attempt, effect, ending, observation, settlement } from './builders.ts'
import { foldByWorlds, type World, worldsLeft } from './worlds.ts'

const refused = attempt({ ending: ending('failed_known') })
const inDoubt = attempt({ ending: ending('failed_unknown') })
const open = attempt()
const confirmed = (from: number, to: number): Observation => observation({ verdict: 'CONFIRMED', covers: { from, to } })
const absent = (from: number, to: number): Observation => observation({ verdict: 'FAILED', covers: { from, to } })
const nothingNew = observation({ verdict: 'UNKNOWN' })

describe('the evidence of an effect without settlement', () => {
  it.each<[string, EvidenceSource, Partial<EffectEvidence>]>([
    ['no attempt', effect([]), { status: null }],
    ['an attempt under way', effect([open]), { status: 'UNKNOWN' }],
    [
      'a lease that lapsed, which is no evidence',
      effect([attempt({ ending: ending('lease_lapsed') })]),
      { status: 'UNKNOWN' },
    ],
    ['a call that was accepted', effect([attempt({ ending: ending('accepted') })]), { status: 'UNKNOWN' }],
    ['a call that was not sent', effect([attempt({ ending: ending('not_sent') })]), { status: 'FAILED' }],
    ['a word of failure', effect([refused]), { status: 'FAILED' }],
    [
      'a late word of failure, stored as UNKNOWN (rules R4)',
      effect([attempt({ ending: ending('failed_known', { evidence: 'UNKNOWN' }) })]),
      { status: 'UNKNOWN' },
    ],
    [
      'a trusted answer of a guarded call',
      effect([attempt({ ending: ending('returned', { evidence: 'CONFIRMED' }) })]),
      { status: 'CONFIRMED' },
    ],
    ['a doubt, then a refusal', effect([inDoubt, refused]), { status: 'UNKNOWN' }],
    ['two doubts', effect([inDoubt, inDoubt]), { status: 'UNKNOWN', duplicatePossible: true }],
    ['a confirmation', effect([inDoubt], [confirmed(1, 1)]), { status: 'CONFIRMED' }],
    ['an absence', effect([inDoubt], [absent(1, 1)]), { status: 'FAILED' }],
    ['a contradiction', effect([refused], [confirmed(1, 1)]), { status: 'UNKNOWN', conflict: true }],
    [
      'an effect that is found though no attempt is on record (trace S14)',
      effect([], [confirmed(1, 0)]),
      { status: 'UNKNOWN', conflict: true },
    ],
  ])('of %s', (_, source, expected) => {
    expect(evidenceOf(source)).toEqual(known(expected))
  })
})

describe('a settlement', () => {
  it.each<[string, EvidenceSource, Partial<EffectEvidence>]>([
    [
      'occurred: CONFIRMED',
      effect([inDoubt], [], settlement('occurred')),
      { status: 'CONFIRMED', settled: 'occurred' },
    ],
    [
      'did_not_occur: FAILED',
      effect([inDoubt], [], settlement('did_not_occur')),
      { status: 'FAILED', settled: 'did_not_occur' },
    ],
    [
      'closed_unknown: UNKNOWN, with an answer',
      effect([inDoubt], [], settlement('closed_unknown')),
      { status: 'UNKNOWN', settled: 'closed_unknown' },
    ],
    [
      'ends a conflict that it came after (trace S36)',
      effect([inDoubt], [confirmed(1, 1), absent(1, 1)], settlement('occurred', { upToSequence: 2 })),
      { status: 'CONFIRMED', settled: 'occurred' },
    ],
    [
      'ends a conflict the other way',
      effect([inDoubt], [confirmed(1, 1), absent(1, 1)], settlement('did_not_occur', { upToSequence: 2 })),
      { status: 'FAILED', settled: 'did_not_occur' },
    ],
    [
      'closes a conflict without an answer',
      effect([inDoubt], [confirmed(1, 1), absent(1, 1)], settlement('closed_unknown', { upToSequence: 2 })),
      { status: 'UNKNOWN', settled: 'closed_unknown' },
    ],
    [
      'speaks although no attempt is on record',
      effect([], [confirmed(1, 0)], settlement('did_not_occur', { upToSequence: 1, upToAttempt: 0 })),
      { status: 'FAILED', settled: 'did_not_occur' },
    ],
    [
      'occurred speaks although no attempt is on record',
      effect([], [confirmed(1, 0)], settlement('occurred', { upToSequence: 1, upToAttempt: 0 })),
      { status: 'CONFIRMED', settled: 'occurred' },
    ],
    [
      'occurred is not undone by an absence that one of two attempts escapes',
      effect([inDoubt, inDoubt], [absent(1, 1)], settlement('occurred', { upToAttempt: 2 })),
      { status: 'CONFIRMED', settled: 'occurred' },
    ],
    [
      'occurred leaves a possible duplicate',
      effect([inDoubt, inDoubt], [], settlement('occurred', { upToAttempt: 2 })),
      { status: 'CONFIRMED', settled: 'occurred', duplicatePossible: true },
    ],
    [
      'is not touched by evidence that agrees',
      effect([inDoubt], [confirmed(1, 1)], settlement('occurred')),
      { status: 'CONFIRMED', settled: 'occurred' },
    ],
    [
      'is not touched by another absence',
      effect([inDoubt], [absent(1, 1)], settlement('did_not_occur')),
      { status: 'FAILED', settled: 'did_not_occur' },
    ],
    [
      'is not touched by a look that decided nothing',
      effect([inDoubt], [nothingNew], settlement('closed_unknown')),
      { status: 'UNKNOWN', settled: 'closed_unknown' },
    ],
  ])('%s', (_, source, expected) => {
    expect(evidenceOf(source)).toEqual(known(expected))
  })

  it.each<[string, EvidenceSource, Partial<EffectEvidence>]>([
    [
      'occurred, by a later absence: a conflict, not FAILED, so that nobody may send again',
      effect([inDoubt], [absent(1, 1)], settlement('occurred')),
      { status: 'UNKNOWN', conflict: true, reopened: true },
    ],
    [
      'occurred, by absences that leave none of its attempts',
      effect([inDoubt, inDoubt], [absent(1, 1), absent(2, 2)], settlement('occurred', { upToAttempt: 2 })),
      { status: 'UNKNOWN', conflict: true, reopened: true },
    ],
    [
      'occurred, where the only attempt left is denied later',
      effect([refused, inDoubt], [absent(2, 2)], settlement('occurred', { upToAttempt: 2 })),
      { status: 'UNKNOWN', conflict: true, reopened: true },
    ],
    [
      'occurred, though an attempt after it may have been the one',
      effect([inDoubt, inDoubt], [absent(1, 1)], settlement('occurred')),
      { status: 'UNKNOWN', conflict: true, reopened: true },
    ],
    [
      'did_not_occur, by a later confirmation',
      effect([inDoubt], [confirmed(1, 1)], settlement('did_not_occur')),
      { status: 'UNKNOWN', conflict: true, reopened: true },
    ],
    [
      'closed_unknown, by a later confirmation',
      effect([inDoubt], [confirmed(1, 1)], settlement('closed_unknown')),
      { status: 'CONFIRMED', reopened: true },
    ],
    [
      'closed_unknown, by a later absence',
      effect([inDoubt], [absent(1, 1)], settlement('closed_unknown')),
      { status: 'FAILED', reopened: true },
    ],
    [
      'closed_unknown, by another attempt',
      effect([inDoubt, open], [], settlement('closed_unknown')),
      { status: 'UNKNOWN', duplicatePossible: true, reopened: true },
    ],
  ])('reopens: %s', (_, source, expected) => {
    expect(evidenceOf(source)).toEqual(known(expected))
  })

  it('reopens by what its person could not have seen, and by nothing before', () => {
    const observations = [absent(1, 1), nothingNew]

    const seen = effect([inDoubt], observations, settlement('occurred', { upToSequence: 1 }))
    const unseen = effect([inDoubt], observations, settlement('occurred', { upToSequence: 0 }))

    expect(evidenceOf(seen)).toMatchObject({ status: 'CONFIRMED', reopened: false })
    expect(evidenceOf(unseen)).toMatchObject({ status: 'UNKNOWN', reopened: true })
  })

  it.each<[string, EvidenceSource, Partial<EffectEvidence>]>([
    ['under way', effect([inDoubt, open], [], settlement('did_not_occur')), { status: 'UNKNOWN' }],
    [
      'refused',
      effect([inDoubt, refused], [], settlement('did_not_occur')),
      { status: 'FAILED', settled: 'did_not_occur' },
    ],
    [
      'confirmed, by a look that covers the settled attempt too: no contradiction',
      effect([inDoubt, inDoubt], [confirmed(1, 2)], settlement('did_not_occur')),
      { status: 'CONFIRMED' },
    ],
    [
      'in doubt, when the settled attempt is confirmed after all',
      effect([inDoubt, inDoubt], [confirmed(1, 1)], settlement('did_not_occur')),
      { status: 'UNKNOWN', conflict: true, reopened: true },
    ],
  ])('did_not_occur does not speak of the next attempt, which is %s', (_, source, expected) => {
    expect(evidenceOf(source)).toEqual(known(expected))
  })
})

describe('an attempt may have occurred', () => {
  it.each<[string, EvidenceSource, boolean]>([
    ['while it is under way', effect([open]), true],
    ['when it was confirmed', effect([inDoubt], [confirmed(1, 1)]), true],
    ['not when it was refused', effect([refused]), false],
    ['not when it is absent', effect([inDoubt], [absent(1, 1)]), false],
    ['not when a person says that it did not', effect([inDoubt], [], settlement('did_not_occur')), false],
  ])('%s', (_, some, expected) => {
    expect(mayHaveOccurred(some, { number: 1, target: 'psp' })).toBe(expected)
  })
})

describe('openAttempt', () => {
  it('is the one without an ending', () => {
    expect(openAttempt(effect([refused, open]))?.number).toBe(2)
    expect(openAttempt(effect([refused, inDoubt]))).toBeNull()
    expect(openAttempt(effect([]))).toBeNull()
  })
})

describe('an attempt is closed', () => {
  it.each<[string, EvidenceSource, number, boolean]>([
    ['not while it is under way', effect([open]), 1, false],
    ['not by an ending that proves nothing', effect([inDoubt]), 1, false],
    ['by a word of failure', effect([refused]), 1, true],
    ['by an absence', effect([inDoubt], [absent(1, 1)]), 1, true],
    [
      'not by an absence at another target',
      effect([inDoubt], [{ ...absent(1, 1), target: 'bank' }, absent(1, 0)]),
      1,
      false,
    ],
    ['by a confirmation that only it explains', effect([inDoubt, refused], [confirmed(1, 2)]), 1, true],
    ['not by a confirmation that another may explain', effect([inDoubt, inDoubt], [confirmed(1, 2)]), 1, false],
    ['not in a conflict', effect([refused], [confirmed(1, 1)]), 1, false],
    ['by a person: it did not occur', effect([inDoubt], [], settlement('did_not_occur')), 1, true],
    ['not by a person who spoke before it', effect([inDoubt, open], [], settlement('did_not_occur')), 2, false],
    ['by a person: it occurred, and no other can be meant', effect([inDoubt], [], settlement('occurred')), 1, true],
    [
      'not by a person who may have meant another',
      effect([inDoubt, inDoubt], [], settlement('occurred', { upToAttempt: 2 })),
      2,
      false,
    ],
    ['not by a person who gave no answer', effect([inDoubt], [], settlement('closed_unknown')), 1, false],
    ['not by a person whom evidence contradicts', effect([inDoubt], [absent(1, 1)], settlement('occurred')), 1, false],
  ])('%s', (_, source, number, expected) => {
    expect(isClosed(source, number)).toBe(expected)
  })

  it('is asked of attempts that exist', () => {
    expect(() => isClosed(effect([open]), 2)).toThrow('Only an attempt of the effect can be closed')
  })
})

/** Up to 3 attempts to 2 targets, 4 observations, and what a person said at some point of that. */
const source: fc.Arbitrary<EvidenceSource> = fc
  .array(fc.tuple(fc.constantFrom('psp', 'bank'), fc.constantFrom<Evidence>('CONFIRMED', 'FAILED', 'UNKNOWN')), {
    maxLength: 3,
  })
  .chain((attempts) => {
    const seen = fc
      .record({
        verdict: fc.constantFrom<Evidence>('CONFIRMED', 'FAILED', 'UNKNOWN'),
        to: fc.integer({ min: 0, max: attempts.length }),
        length: fc.integer({ min: 0, max: attempts.length }),
        target: fc.constantFrom('psp', 'bank'),
      })
      .map(({ verdict, to, length, target }) => {
        return observation({ verdict, target, covers: { from: Math.max(1, to - length + 1), to } })
      })
    return fc.record({
      attempts: fc.constant(
        attempts.map(([target, evidence]) => attempt({ target, ending: ending('returned', { evidence }) })),
      ),
      observations: fc.array(seen, { maxLength: 4 }),
      verdict: fc.constantFrom<Settlement['verdict'] | null>(null, 'occurred', 'did_not_occur', 'closed_unknown'),
      upToAttempt: fc.integer({ min: 0, max: attempts.length }),
      upToSequence: fc.integer({ min: 0, max: 4 }),
    })
  })
  .map(({ attempts, observations, verdict, upToAttempt, upToSequence }) =>
    effect(attempts, observations, verdict === null ? null : settlement(verdict, { upToAttempt, upToSequence })),
  )

describe('the laws of settlements', () => {
  const runs = { numRuns: 5_000 }

  test.prop([source], runs)('the evidence is what the worlds left say', (some) => {
    expect(evidenceOf(some)).toEqual(evidenceByWorlds(some))
  })

  test.prop([source], runs)('an attempt is closed if all worlds left agree on it', (some) => {
    const left = worldsOf(some)

    for (const { number } of some.attempts) {
      expect(isClosed(some, number)).toBe(new Set(left.map((world) => world.has(number))).size === 1)
    }
  })

  test.prop([source], runs)('an attempt may have occurred if it did in one of the worlds left', (some) => {
    const left = worldsOf(some)

    for (const one of some.attempts) {
      expect(mayHaveOccurred(some, one)).toBe(left.some((world) => world.has(one.number)))
    }
  })

  test.prop([source], runs)('after "it occurred" the effect is never free, whatever is seen', (some) => {
    fc.pre(some.settlement?.verdict === 'occurred')

    expect(['CONFIRMED', 'UNKNOWN']).toContain(evidenceOf(some).status)
  })

  test.prop([source], runs)('a settlement of everything stands, and answers every conflict', (some) => {
    fc.pre(some.settlement !== null)
    const upTo = { upToAttempt: some.attempts.length, upToSequence: some.observations.length }
    const settled = evidenceOf({ ...some, settlement: settlement(some.settlement?.verdict ?? 'occurred', upTo) })

    expect(settled).toMatchObject({ settled: some.settlement?.verdict, conflict: false, reopened: false })
  })

  test.prop([source], runs)('what is reopened stays so, whatever is seen after it', (some) => {
    fc.pre(evidenceOf(some).reopened)
    const more = some.attempts.flatMap(({ target, number }) => [
      observation({ verdict: 'CONFIRMED', target, covers: { from: number, to: number } }),
      observation({ verdict: 'FAILED', target, covers: { from: number, to: number } }),
    ])

    for (const one of more) {
      const later = effect(some.attempts, [
        ...some.observations,
        ...Array.from({ length: 4 }, () => nothingFor(one)),
        one,
      ])
      expect(evidenceOf({ ...later, settlement: some.settlement }).reopened).toBe(true)
    }
  })
})

function known(fields: Partial<EffectEvidence>): EffectEvidence {
  return { status: null, conflict: false, duplicatePossible: false, settled: null, reopened: false, ...fields }
}

function nothingFor({ target, covers }: Observation): Observation {
  return observation({ target, covers })
}

/** The worlds left by evidence and settlement, from the words of `evidenceOf` rather than from its code. */
function worldsOf({ attempts, observations, settlement: said }: EvidenceSource): readonly World[] {
  const all = attemptEvidence({ attempts })
  if (said === null || said.verdict === 'closed_unknown') return worldsLeft(all, observations)

  const later = observations.filter(({ sequence }) => sequence > said.upToSequence)
  const seen = observations.filter(({ sequence }) => sequence <= said.upToSequence)
  const asSettled = (evidence: Evidence): typeof all =>
    all.map((one) => (one.number <= said.upToAttempt ? { ...one, evidence } : one))
  if (said.verdict === 'did_not_occur') return worldsLeft(asSettled('FAILED'), later)

  const oneOccurred = (world: World): boolean =>
    said.upToAttempt === 0 || attempts.some(({ number }) => number <= said.upToAttempt && world.has(number))
  return worldsLeft(all, seen).some(oneOccurred)
    ? worldsLeft(all, observations).filter(oneOccurred)
    : worldsLeft(asSettled('UNKNOWN'), later).filter(oneOccurred)
}

function evidenceByWorlds(some: EvidenceSource): EffectEvidence {
  const { attempts, observations, settlement: said } = some
  const fold = foldByWorlds(attemptEvidence(some), observations)
  expect(foldOf(some)).toEqual(fold)
  const byFold = known({
    status: fold.status,
    conflict: fold.verificationConflict,
    duplicatePossible: fold.duplicatePossible,
  })
  if (said === null) return attempts.length === 0 && !fold.verificationConflict ? { ...byFold, status: null } : byFold
  if (said.verdict === 'closed_unknown') {
    const decided = observations.some(({ sequence, verdict }) => sequence > said.upToSequence && verdict !== 'UNKNOWN')
    if (decided || attempts.length > said.upToAttempt) return { ...byFold, reopened: true }
    return { ...byFold, status: 'UNKNOWN', conflict: false, settled: 'closed_unknown' }
  }

  const left = worldsOf(some)
  if (left.length === 0) return known({ status: 'UNKNOWN', conflict: true, reopened: true })
  const duplicatePossible = left.some((world) => world.size >= 2)
  if (said.verdict === 'occurred') return known({ status: 'CONFIRMED', settled: 'occurred', duplicatePossible })
  if (left.every((world) => world.size === 0)) return known({ status: 'FAILED', settled: 'did_not_occur' })
  return known({ status: left.every((world) => world.size > 0) ? 'CONFIRMED' : 'UNKNOWN', duplicatePossible })
}
