// Every endpoint with a request that it would take: the tables of tests are made of these.
import { ENDPOINTS } from '../../src/http/endpoints.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'

/** An endpoint with everything in its place. */
export interface Example {
  readonly title: string
  readonly endpoint: Endpoint
  readonly method: string
  readonly path: string
  /** A body that fits; undefined for a GET. */
  readonly json: unknown
}

/** What each body may be. */
const BODIES: Readonly<Record<string, unknown>> = {
  prepareProposal: {
    action: 'example.payments/refund@1',
    command: { orderReference: 'ORD-1001', intent: 'broken vase', amount: { amount: '10.00', currency: 'EUR' } },
  },
  approveProposal: { commitment: 'c1_x', comment: 'as agreed' },
  rejectProposal: { commitment: 'c1_x' },
  revokeApproval: {},
  withdrawProposal: { reason: 'mistaken' },
  checkProposal: {},
  executeProposal: { reconcile: false },
  reconcileProposal: {},
  resumeProposal: { reason: 'outage_over' },
  settleProposal: { verdict: 'occurred', reason: 'statement_checked', evidenceReference: 'case-7' },
  observeEffect: { idempotencyKey: 'ik_unknown', eventId: 'evt_1' },
  eraseProposal: { reason: 'asked_by_subject' },
}

/** One example for each endpoint, about the proposal of that name. */
export function examplesFor(ref: string, approvalId = 'none'): readonly Example[] {
  return ENDPOINTS.map((endpoint) => {
    const { method, path, operationId } = endpoint
    return {
      title: operationId,
      endpoint,
      method: method.toUpperCase(),
      path: path.replace(':ref', encodeURIComponent(ref)).replace(':id', encodeURIComponent(approvalId)),
      json: BODIES[operationId],
    }
  })
}

/** The endpoints that name a proposal. */
export function aboutProposal({ endpoint }: Example): boolean {
  return endpoint.path.includes(':ref')
}

/** The endpoints that read a body. */
export function withBody({ endpoint }: Example): boolean {
  return endpoint.body !== null
}
