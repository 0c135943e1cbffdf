// The runtime under long runs of drawn commands, in memory: every invariant is checked after every command.
import { describe, expect, it } from 'vitest'
import { STATUSES } from '../../src/proposal/status.ts'
import { memoryCampaign } from './campaign.ts'

/** How many runs, from which seed, and how long they may take on a machine that is busy with other tests. */
const RUNS = 400
const SEED = 20_261_130
const TIMEOUT_MS = 900_000

describe('runs of drawn commands in memory', () => {
  it('keep every invariant after every command', { timeout: TIMEOUT_MS }, async () => {
    const { counts } = await memoryCampaign({ runs: RUNS, seed: SEED })

    expect(STATUSES.filter((status) => status !== 'superseded' && !counts.has(`status ${status}`))).toEqual([])
  })
})
