// A verdict in one short string, as the tests compare it.
import type { Verdict } from '../../../src/proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'

/** `→ status` for a move to another one, `+ outcome` for one that stays, `= outcome`, `! refusal`, and `…` to go on. */
export function tell(before: Proposal, verdict: Verdict | null): string {
  switch (verdict?.kind) {
    case undefined:
      return '…'
    case 'refused':
      return `! ${verdict.code}`
    case 'stay':
      return `= ${verdict.outcome}`
    case 'move': {
      const { status } = verdict.proposal
      return status === before.status ? `+ ${verdict.outcome}` : `→ ${status}`
    }
  }
}

/** The proposal that a verdict stores. */
export function moved(verdict: Verdict | null): Proposal {
  if (verdict?.kind !== 'move') throw new Error('nothing was moved')
  return verdict.proposal
}
