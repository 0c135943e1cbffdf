// The conformance kit of actions is itself tested: every seeded bug is found under its own code and no other, and a correct action passes.
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/index.ts'
import { actionConformance, failureCodes, reportText } from '../../src/testing.ts'
import { CreditAction } from './kits/credit-action.ts'
import { Ledger } from './kits/ledger.ts'
import { ledgerWorld } from './kits/ledger-world.ts'
import { executingBugs } from './seeded-bugs/executing.ts'
import { preparingBugs, resolvingBugs } from './seeded-bugs/preparing.ts'
import { verifyingBugs } from './seeded-bugs/verifying.ts'

/** Enough for a bug to show itself; a correct action stands all thousand. */
const FEW = { schedules: 100 }

describe('the conformance kit of actions', () => {
  it('passes a correct action on a thousand schedules, with every clause run', async () => {
    const ledger = new Ledger()

    const report = await actionConformance(new CreditAction(ledger), ledgerWorld(ledger))

    expect(reportText(report)).not.toContain('FAIL')
    expect(report.verdict).toBe('passed')
    expect(report.clauses.every(({ state }) => state === 'passed')).toBe(true)
  })

  it.each([...preparingBugs, ...resolvingBugs, ...executingBugs, ...verifyingBugs])(
    'finds an action that $title ($code)',
    async ({ code, subject }) => {
      const ledger = new Ledger()

      const report = await actionConformance(new subject(ledger), ledgerWorld(ledger), FEW)

      expect(failureCodes(report)).toEqual([code])
      expect(report.verdict).toBe('failed')
    },
  )

  it.each(['prepare', 'resolve', 'execute', 'verify'] as const)('does not wait for ever for %s', async (method) => {
    const ledger = new Ledger()
    const action = new CreditAction(ledger)
    Object.assign(action, { [method]: async () => Promise.withResolvers<never>().promise })

    const report = await actionConformance(action, ledgerWorld(ledger), { ...FEW, clock: impatientClock })

    expect(new Set(failureCodes(report))).toEqual(new Set([`${method}_hung`]))
  })

  it('refuses to show anything on no schedule', async () => {
    const ledger = new Ledger()

    await expect(actionConformance(new CreditAction(ledger), ledgerWorld(ledger), { schedules: 0 })).rejects.toThrow(
      'schedules are 1 or more',
    )
  })

  it('has a seeded bug for every clause', async () => {
    const ledger = new Ledger()
    const found = new Set<string>()
    for (const { subject } of [...preparingBugs, ...resolvingBugs, ...executingBugs, ...verifyingBugs]) {
      const own = new Ledger()
      const report = await actionConformance(new subject(own), ledgerWorld(own), FEW)
      for (const { clause, state } of report.clauses) if (state === 'failed') found.add(clause)
    }

    const { clauses } = await actionConformance(new CreditAction(ledger), ledgerWorld(ledger), FEW)

    expect(clauses.map(({ clause }) => clause).filter((clause) => !found.has(clause))).toEqual([])
  })
})

/** Every limit is over when all that could happen in this process has happened. */
const impatientClock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  timer(_ms, fire) {
    const immediate = setImmediate(() => setImmediate(fire))
    return () => clearImmediate(immediate)
  },
}
