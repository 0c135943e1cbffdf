// The held action, executed by a worker as soon as it is approved.
import { HeldAction } from './held-action.ts'

const { contract: held } = new HeldAction()

/** Its calls may take two seconds, so that a lease is over after half a minute. */
export class AutomaticAction extends HeldAction {
  override readonly contract: HeldAction['contract'] = {
    ...held,
    execution: 'when_approved',
    executeTimeout: '2s',
    permissions: {
      ...held.permissions,
      read: ['requester', 'manager', 'worker'],
      execute: 'worker',
      reconcile: 'worker',
    },
  }
}
