// The fuzzer sees: apps that are wrong in one way each are flagged, each by the check that is made for it.
import { describe, expect, it } from 'vitest'
import { fuzz } from './fuzz/campaign.ts'
import { CHECKS } from './fuzz/checks.ts'
import { SEEDED_BUGS } from './fuzz/seeded-bugs.ts'
import { CheckFailed } from './fuzz/run.ts'

const SEED = 20_261_130
const CASES = 6_000

describe('a seeded bug', () => {
  it.each(SEEDED_BUGS)('$bug: $flaggedBy', async ({ flaggedBy, seed }) => {
    const flagged = await flaggedIn(
      fuzz({ store: 'memory', cases: CASES, seed: SEED, answering: seed(), endOnFailure: true }),
    )

    expect(flagged).toContain(flaggedBy)
  })

  it('is there for every check', () => {
    const shown = new Set(SEEDED_BUGS.map(({ flaggedBy }) => flaggedBy))

    expect([...shown].toSorted()).toEqual(Object.keys(CHECKS).toSorted())
  })
})

/** The checks that the first wrong answer failed; none where nothing was found. */
async function flaggedIn(campaign: Promise<unknown>): Promise<readonly string[]> {
  try {
    await campaign
  } catch (error) {
    if (error instanceof Error && error.cause instanceof CheckFailed) return error.cause.checks
    throw error
  }
  return []
}
