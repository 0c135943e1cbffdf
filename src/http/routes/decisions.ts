// The endpoints of authority: approve, reject, revoke, withdraw.
import { endpoint } from '../endpoint.ts'
import { outcomeAnswer, STATUS_OUTCOMES, wantedOfDecision } from '../outcome.ts'
import { ABOUT_PROPOSAL, DECIDING, STORING } from '../refusals.ts'
import { decisionBody, noBody, noQuery, withdrawBody } from '../schemas/requests.ts'
import { operationResult } from '../schemas/results.ts'

const approving = wantedOfDecision('approved')
const rejecting = wantedOfDecision('rejected')
const revoking = wantedOfDecision('revoked')
const withdrawing = wantedOfDecision('withdrawn')

export const approveProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/approve',
  operationId: 'approveProposal',
  summary: 'Approves exactly what the commitment stands for.',
  body: decisionBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'replayed', 'conflict'], wanted: approving },
  needsCommitment: true,
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, ...DECIDING],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.approve(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, approving, runtime.clock.now())
  },
})

export const rejectProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/reject',
  operationId: 'rejectProposal',
  summary: 'Closes the proposal by a decision.',
  body: decisionBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'replayed', 'conflict'], wanted: rejecting },
  needsCommitment: true,
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, ...DECIDING],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.reject(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, rejecting, runtime.clock.now())
  },
})

export const revokeApproval = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/approvals/:id/revoke',
  operationId: 'revokeApproval',
  summary: 'Takes back an approval of the caller’s own, before admission.',
  body: noBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'revoked', 'replayed', 'conflict'], wanted: revoking },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING],
  async handle({ runtime, session, param, expected }) {
    const result = await runtime.revokeApproval(session, param('ref'), param('id'), expected)
    return outcomeAnswer(result, revoking, runtime.clock.now())
  },
})

export const withdrawProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/withdraw',
  operationId: 'withdrawProposal',
  summary: 'Takes an open proposal back; for its requester and for operators.',
  body: withdrawBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'replayed', 'conflict'], wanted: withdrawing },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, 'not_permitted'],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.withdraw(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, withdrawing, runtime.clock.now())
  },
})
