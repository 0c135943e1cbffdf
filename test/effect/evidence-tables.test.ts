// The tables of the evidence fold, row by row: observations together, attempts together, and different coverage.
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../src/effect/effect.ts'
import { type EvidenceFold, foldEvidence, type ObservationEvidence } from '../../src/effect/evidence.ts'
import { foldByWorlds } from './worlds.ts'

/** A cell of a table: a status, or UNKNOWN with `verificationConflict`. */
type Cell = Evidence | 'conflict'

describe('observations of the same attempt', () => {
  it.each<[string, Evidence, Evidence, Cell]>([
    ['C01', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED'],
    ['C02', 'CONFIRMED', 'FAILED', 'conflict'],
    ['C03', 'CONFIRMED', 'UNKNOWN', 'CONFIRMED'],
    ['C04', 'FAILED', 'CONFIRMED', 'conflict'],
    ['C05', 'FAILED', 'FAILED', 'FAILED'],
    ['C06', 'FAILED', 'UNKNOWN', 'FAILED'],
    ['C07', 'UNKNOWN', 'CONFIRMED', 'CONFIRMED'],
    ['C08', 'UNKNOWN', 'FAILED', 'FAILED'],
    ['C09', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'],
  ])('evidence %s %s, then %s: %s', (_, first, second, merged) => {
    const fold = foldBoth(['UNKNOWN'], [seen(first, 1, 1), seen(second, 1, 1)])

    expect(cell(fold)).toBe(merged)
  })
})

describe('two attempts', () => {
  it.each<[string, Evidence, Evidence, Cell, Cell, Cell, Cell, boolean]>([
    ['E01', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'conflict', 'CONFIRMED', true],
    ['E02', 'CONFIRMED', 'FAILED', 'CONFIRMED', 'CONFIRMED', 'conflict', 'CONFIRMED', false],
    ['E03', 'CONFIRMED', 'UNKNOWN', 'CONFIRMED', 'CONFIRMED', 'conflict', 'CONFIRMED', true],
    ['E04', 'FAILED', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'conflict', 'CONFIRMED', false],
    ['E05', 'FAILED', 'FAILED', 'FAILED', 'conflict', 'FAILED', 'FAILED', false],
    ['E06', 'FAILED', 'UNKNOWN', 'UNKNOWN', 'CONFIRMED', 'FAILED', 'UNKNOWN', false],
    ['E07', 'UNKNOWN', 'CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'conflict', 'CONFIRMED', true],
    ['E08', 'UNKNOWN', 'FAILED', 'UNKNOWN', 'CONFIRMED', 'FAILED', 'UNKNOWN', false],
    ['E09', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'CONFIRMED', 'FAILED', 'UNKNOWN', true],
  ])('evidence %s %s and %s', (_, first, second, alone, withConfirmed, withFailed, withUnknown, duplicatePossible) => {
    const attempts = [first, second]

    expect({
      alone: cell(foldBoth(attempts, [])),
      withConfirmed: cell(foldBoth(attempts, [seen('CONFIRMED', 1, 2)])),
      withFailed: cell(foldBoth(attempts, [seen('FAILED', 1, 2)])),
      withUnknown: cell(foldBoth(attempts, [seen('UNKNOWN', 1, 2)])),
      duplicatePossible: foldBoth(attempts, []).duplicatePossible,
    }).toEqual({ alone, withConfirmed, withFailed, withUnknown, duplicatePossible })
  })
})

describe('observations that cover different attempts', () => {
  it.each<[string, ObservationEvidence, ObservationEvidence, Cell]>([
    ['X01 FAILED over 1..1, CONFIRMED over 1..2', seen('FAILED', 1, 1), seen('CONFIRMED', 1, 2), 'CONFIRMED'],
    ['X02 FAILED over 1..2, CONFIRMED over 1..1', seen('FAILED', 1, 2), seen('CONFIRMED', 1, 1), 'conflict'],
    ['X03 FAILED over 1..2, CONFIRMED over 1..2', seen('FAILED', 1, 2), seen('CONFIRMED', 1, 2), 'conflict'],
    ['X04 CONFIRMED over 1..1, FAILED over 1..2', seen('CONFIRMED', 1, 1), seen('FAILED', 1, 2), 'conflict'],
    ['X05 CONFIRMED over 1..2, FAILED over 1..1', seen('CONFIRMED', 1, 2), seen('FAILED', 1, 1), 'CONFIRMED'],
    ['X06 FAILED over 1..1, FAILED over 1..2', seen('FAILED', 1, 1), seen('FAILED', 1, 2), 'FAILED'],
    ['X07 FAILED over 1..1, UNKNOWN over 1..2', seen('FAILED', 1, 1), seen('UNKNOWN', 1, 2), 'UNKNOWN'],
    ['X08 CONFIRMED over 1..1, UNKNOWN over 1..2', seen('CONFIRMED', 1, 1), seen('UNKNOWN', 1, 2), 'CONFIRMED'],
    ['X09 UNKNOWN over 1..1, CONFIRMED over 1..2', seen('UNKNOWN', 1, 1), seen('CONFIRMED', 1, 2), 'CONFIRMED'],
  ])('evidence %s', (_, earlier, later, result) => {
    expect(cell(foldBoth(['UNKNOWN', 'UNKNOWN'], [earlier, later]))).toBe(result)
  })

  it('leaves attempt 2 as a possible duplicate when attempt 1 alone is confirmed (X08)', () => {
    expect(foldBoth(['UNKNOWN', 'UNKNOWN'], [seen('CONFIRMED', 1, 1)]).duplicatePossible).toBe(true)
  })
})

function seen(verdict: Evidence, from: number, to: number): ObservationEvidence {
  return { verdict, covers: { from, to }, target: 'psp' }
}

/** Folds, and has the oracle say the same. */
function foldBoth(evidence: readonly Evidence[], observations: readonly ObservationEvidence[]): EvidenceFold {
  const attempts = evidence.map((one, index) => ({ number: index + 1, target: 'psp', evidence: one }))
  const fold = foldEvidence(attempts, observations)
  expect(fold).toEqual(foldByWorlds(attempts, observations))
  return fold
}

function cell({ status, verificationConflict }: EvidenceFold): Cell {
  if (!verificationConflict) return status
  expect(status).toBe('UNKNOWN')
  return 'conflict'
}
