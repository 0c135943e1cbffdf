// Refusals that the pure lifecycle names by code, as the errors that callers catch.
import {
  BindingMismatch,
  DecisionRefused,
  LimitExceeded,
  NotFound,
  NotPermitted,
  type Refusal,
} from '../proposal/errors.ts'
import type { LifecycleRefusal } from '../proposal/lifecycle/verdict.ts'
import type { Status } from '../proposal/status.ts'

/** The error of a refusal that the lifecycle decided. */
export function refusal(code: LifecycleRefusal, status: Status): Refusal {
  switch (code) {
    case 'not_found':
      return new NotFound()
    case 'not_permitted':
      return new NotPermitted()
    case 'agent_cannot_decide':
    case 'separation_of_duties':
      return new DecisionRefused(code)
    case 'binding_mismatch':
      return new BindingMismatch(status)
    case 'limit_exceeded':
      return new LimitExceeded('approvalsPerProposal')
  }
}
