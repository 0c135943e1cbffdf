// Who may do what in the example: the rights of each development token, for both actions.
import type { Act } from '../../../proposal/contract.ts'

const everybody = ['requester', 'agent', 'finance-manager', 'director', 'operator', 'evidence-reader']

/**
 * A role, or roles, for each act. `observe` is missing: it is for a provider's own service, and the example's provider
 * sends no notices. Spec: http "countersign serve".
 */
export const examplePermissions: { readonly [A in Act]?: string | readonly string[] } = {
  prepare: ['requester', 'agent'],
  execute: ['requester', 'agent', 'worker'],
  withdraw: 'requester',
  decide: ['finance-manager', 'director'],
  check: ['finance-manager', 'operator'],
  operate: 'operator',
  reconcile: ['operator', 'worker'],
  erase: ['operator', 'worker'],
  evidence: 'evidence-reader',
  events: 'evidence-reader',
  read: [...everybody, 'worker'],
  list: everybody,
}
