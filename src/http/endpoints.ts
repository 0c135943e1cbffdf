// Every endpoint that asks who is calling, in the order of the documentation.
import type { Endpoint } from './endpoint.ts'
import { approveProposal, rejectProposal, revokeApproval, withdrawProposal } from './routes/decisions.ts'
import { checkProposal, executeProposal, observeEffect, reconcileProposal } from './routes/effects.ts'
import { eraseProposal, resumeProposal, settleProposal } from './routes/operators.ts'
import { listProposals, prepareProposal, readProposal } from './routes/proposals.ts'
import { exportEvidence, listActions, listEvents, listReceipts } from './routes/records.ts'

/** Spec: http "Endpoints". */
export const ENDPOINTS: readonly Endpoint[] = [
  listActions,
  prepareProposal,
  listProposals,
  readProposal,
  approveProposal,
  rejectProposal,
  revokeApproval,
  withdrawProposal,
  checkProposal,
  executeProposal,
  reconcileProposal,
  resumeProposal,
  settleProposal,
  observeEffect,
  eraseProposal,
  listReceipts,
  exportEvidence,
  listEvents,
]
