// The same runs on PostgreSQL, on a database file and in memory at once: all three answer and hold the same.
import { describe, expect, it } from 'vitest'
import { freshSchema, serverUrl } from '../store/postgres-fixture.ts'
import { twinCampaign } from './campaign.ts'
import { postgresGround } from './postgres-ground.ts'
import { sqliteGround } from './sqlite-ground.ts'

/** How many runs, from which seed, and how long they may take where every commit is some twenty answers of a server. */
const RUNS = 50
const SEED = 20_261_201
const TIMEOUT_MS = 1_800_000

describe('invariant I30 runs of drawn commands on PostgreSQL, on a file and in memory', () => {
  it('keep every invariant, answer alike and leave the same behind', { timeout: TIMEOUT_MS }, async () => {
    const url = await serverUrl()

    const { counts } = await twinCampaign({ runs: RUNS, seed: SEED }, [
      sqliteGround,
      (time) => postgresGround(url, freshSchema(), time),
    ])

    expect(
      ['approved', 'verified', 'failed_unknown', 'verification_unresolved'].filter(
        (status) => !counts.has(`status ${status}`),
      ),
    ).toEqual([])
  })
})
