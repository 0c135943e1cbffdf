// The cases that a host has to prevent, and that the conformance kit finds in one that does not.
import { describe, expect, it } from 'vitest'
import { actionConformance, type ActionWorld, failureCodes } from '../../src/testing.ts'
import { CreditAction, type CreditContract } from './kits/credit-action.ts'
import { Ledger } from './kits/ledger.ts'
import { ledgerWorld } from './kits/ledger-world.ts'
import { executingBugs } from './seeded-bugs/executing.ts'
import { preparingBugs, resolvingBugs } from './seeded-bugs/preparing.ts'
import { verifyingBugs } from './seeded-bugs/verifying.ts'

const bugs = [...preparingBugs, ...resolvingBugs, ...executingBugs, ...verifyingBugs]

describe('the conformance kit', () => {
  it.each([
    [
      'case C025: prepare and resolve are called twice on one state',
      'puts a nonce into its snapshot',
      'snapshot_not_repeatable',
    ],
    [
      'case C029: a read-back by prefix, the earlier key first',
      'finds by the beginning of the key',
      'foreign_effect_claimed',
    ],
    ['case C029: and the later key first', 'finds what the key begins with', 'foreign_effect_claimed'],
    [
      'case C032: prepare runs against a target that counts writes',
      'reserves the account when it prepares',
      'prepare_writes',
    ],
    ['case C032: and so does resolve', 'locks the account when it resolves', 'resolve_writes'],
    ['case C067: facts that nobody approved are listed', 'returns a fee that nobody approved', 'fact_not_approved'],
    [
      'case C091: check, then create, is no precondition',
      'checks the precondition and then writes without it',
      'stale_effect',
    ],
    ['case C098: a host that reads anew', 'takes the amount from another record than was shown', 'fact_differs'],
    [
      'case C108: two resolutions that differ by themselves',
      'tells the day in the time zone of the process',
      'resolution_not_repeatable',
    ],
    [
      'case C108: a preview that another server shows differently',
      'shows the day in the time zone of the process',
      'preview_impure',
    ],
  ])('%s', async (_case, title, code) => {
    const bug = bugs.find((one) => one.title === title)
    const ledger = new Ledger()

    const report = await actionConformance(new (bug?.subject ?? CreditAction)(ledger), ledgerWorld(ledger), {
      schedules: 50,
    })

    expect(failureCodes(report)).toEqual([code])
  })

  it.each([
    ['case C053: a snapshot that does not show what is pending', false, ['drift_missed']],
    ['case C053: and one whose version does', true, []],
  ])('%s', async (_case, raisesVersion, codes) => {
    const ledger = new Ledger()

    const report = await actionConformance(new CreditAction(ledger), worldWithPending(ledger, raisesVersion), {
      schedules: 50,
    })

    expect(failureCodes(report)).toEqual(codes)
  })
})

/** A credit by somebody else that is accepted and not booked yet, in a book of its own. */
function worldWithPending(ledger: Ledger, raisesVersion: boolean): ActionWorld<CreditContract> {
  const pending: string[] = []
  return {
    ...ledgerWorld(ledger),
    changes: {
      async 'a credit is pending'({ account }) {
        pending.push(account)
        if (raisesVersion) ledger.change(account, { balance: (await ledger.read(account)).balance })
      },
    },
  }
}
