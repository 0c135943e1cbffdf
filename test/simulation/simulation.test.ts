// The runtime on several machines in virtual time, with faults at first and without them then, thousands of times over.
import { describe, expect, it } from 'vitest'
import { campaign } from './campaign.ts'
import { FAULTS } from './plan.ts'

/** How many seeds, from which one on, and how long they may take on a machine that is busy with other tests. */
const SEEDS = 5_000
const FROM = 20_261_201
const TIMEOUT_MS = 1_800_000

/** Runs that come to these places less often show less than they are said to. */
const AT_LEAST: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.keys(FAULTS).map((fault) => [`fault ${fault}`, 50])),
  'run twice': 100,
  restarts: 500,
  'things that happened': 500_000,
  'virtual seconds': 1_000_000,
  'attempts 1': 1_000,
  'attempts 2': 20,
  erased: 100,
  'ending accepted': 1_000,
  'ending failed_known': 10,
  'ending failed_unknown': 200,
  'ending lease_lapsed': 100,
  'ending not_sent': 10,
  'ending stale_no_effect': 5,
  'observed authoritative_final_absence FAILED': 200,
  'observed authoritative_final_absence UNKNOWN': 200,
  'observed acknowledged UNKNOWN': 20,
  'observed target_unavailable UNKNOWN': 20,
  'observed verified_completion CONFIRMED': 1_000,
  'observed verified_completion UNKNOWN': 10,
  'observed verified_terminal_failure FAILED': 20,
  'receipt execution.late': 5,
  'receipt operation.lease_lapsed': 100,
  'receipt operation.resumed': 10,
  'receipt operation.settled': 10,
  'receipt proposal.replaced': 20,
  'receipt verification.mismatch': 10,
  'receipt verification.unresolved': 20,
  'status expired': 500,
  'status failed_known': 100,
  'status rejected': 50,
  'status stale': 100,
  'status superseded': 50,
  'status verification_unresolved': 50,
  'status verified': 1_000,
  'status withdrawn': 100,
}

describe('the simulation', () => {
  it('invariant I36 in every seed: all that must hold does, and once the faults stop everything is settled or asks for a person', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { counts } = await campaign(FROM, SEEDS)

    expect(counts.get('seeds')).toBe(SEEDS)
    const tooSeldom = Object.entries(AT_LEAST).filter(([what, count]) => (counts.get(what) ?? 0) < count)
    expect(tooSeldom.map(([what, count]) => `${what}: ${counts.get(what) ?? 0} of ${count}`)).toEqual([])
  })
})
