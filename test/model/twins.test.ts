// The same runs on a database file and in memory at once: invariants hold on both, and both answer and hold the same.
import { describe, expect, it } from 'vitest'
import { twinCampaign } from './campaign.ts'
import { sqliteGround } from './sqlite-ground.ts'

/** How many runs, from which seed, and how long they may take where every commit waits for the disk. */
const RUNS = 300
const SEED = 20_261_130
const TIMEOUT_MS = 1_800_000

describe('invariant I30 runs of drawn commands on a file and in memory', () => {
  it('keep every invariant, answer alike and leave the same behind', { timeout: TIMEOUT_MS }, async () => {
    const { counts } = await twinCampaign({ runs: RUNS, seed: SEED }, [sqliteGround])

    expect(
      ['approved', 'verified', 'failed_unknown', 'verification_unresolved'].filter(
        (status) => !counts.has(`status ${status}`),
      ),
    ).toEqual([])
  })
})
