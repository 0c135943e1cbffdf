// The runtime under long runs of drawn commands, in memory: every invariant is checked after every command.
import { describe, expect, it } from 'vitest'
import { RECEIPT_TYPES } from '../../src/proposal/receipts/receipt.ts'
import { STATUSES } from '../../src/proposal/status.ts'
import { memoryCampaign } from './campaign.ts'

/** How many runs, from which seed, and how long they may take on a machine that is busy with other tests. */
const RUNS = 3_000
const SEED = 20_261_130
const TIMEOUT_MS = 1_800_000

/** Runs that never came to these places would show nothing about them. */
const REACHED = [
  ...STATUSES.map((status) => `status ${status}`),
  ...RECEIPT_TYPES.map((type) => `receipt ${type}`),
  ...[1, 2, 3].map((attempts) => `attempts ${attempts}`),
  ...['accepted', 'stale_no_effect', 'failed_known', 'failed_unknown', 'not_sent', 'lease_lapsed'].map(
    (kind) => `ending ${kind}`,
  ),
  ...['occurred', 'did_not_occur', 'closed_unknown'].map((verdict) => `settled ${verdict}`),
  'reason commitment_mismatch',
  'reason content_unavailable',
  'reason earlier_attempt',
  'erased',
]

describe('runs of drawn commands in memory', () => {
  it('keep every invariant after every command', { timeout: TIMEOUT_MS }, async () => {
    const { counts } = await memoryCampaign({ runs: RUNS, seed: SEED })

    expect(REACHED.filter((place) => !counts.has(place))).toEqual([])
  })
})
