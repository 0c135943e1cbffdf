// The cast: who takes part in the scenarios, as the host's authentication would establish it.
import type { Session } from 'countersign'

const acme = { tenant: 'acme', assurance: ['authenticated_session'] } as const

/** Proposes refunds and executes those that were approved; can never decide. */
export const agent: Session = {
  ...acme,
  principal: { kind: 'agent', id: 'support-bot' },
  owner: { kind: 'user', id: 'sam' },
  roles: ['support'],
}

/** Decides. */
export const fiona: Session = { ...acme, principal: { kind: 'user', id: 'fiona' }, roles: ['finance-manager'] }

/** Owns the agent, asks for refunds himself, and has the role that decides as well. */
export const sam: Session = { ...acme, principal: { kind: 'user', id: 'sam' }, roles: ['support', 'finance-manager'] }

/** Has content erased; decides nothing. */
export const paula: Session = {
  ...acme,
  principal: { kind: 'user', id: 'paula' },
  roles: ['privacy-officer', 'support'],
}
