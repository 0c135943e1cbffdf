// Refusals that the pure lifecycle names by code, as the errors that callers catch.
import type { RefusalCode } from '../proposal/codes.ts'
import {
  BindingMismatch,
  ContentUnavailable,
  DecisionRefused,
  LimitExceeded,
  NotFound,
  NotPermitted,
  type Refusal,
} from '../proposal/errors.ts'
import type { Status } from '../proposal/status.ts'

/** The error of a refusal that the lifecycle decided. */
export function refusal(code: RefusalCode, status: Status): Refusal {
  switch (code) {
    case 'not_found':
      return new NotFound()
    case 'not_permitted':
      return new NotPermitted()
    case 'agent_cannot_decide':
    case 'separation_of_duties':
    case 'decision_not_permitted':
      return new DecisionRefused(code)
    case 'binding_mismatch':
      return new BindingMismatch(status)
    case 'limit_exceeded':
      return new LimitExceeded('approvalsPerProposal')
    case 'content_unavailable':
      return new ContentUnavailable('damaged')
    default:
      throw new TypeError(`the lifecycle does not refuse with ${code}`)
  }
}
