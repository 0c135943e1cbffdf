// The endpoints of operators: resume, settle, erase. None of them calls the executor.
import { endpoint } from '../endpoint.ts'
import {
  outcomeAnswer,
  outcomeStatus,
  retryAfter,
  STATUS_OUTCOMES,
  wantedOfEffect,
  wantedOfSettlement,
} from '../outcome.ts'
import { ABOUT_PROPOSAL, STORING } from '../refusals.ts'
import { eraseBody, noQuery, resumeBody, settleBody } from '../schemas/requests.ts'
import { erasureResult, operationResult } from '../schemas/results.ts'

export const resumeProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/resume',
  operationId: 'resumeProposal',
  summary: 'Has an effect that waits for a person verified again, with fresh budgets.',
  body: resumeBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'resumed', 'conflict'], wanted: wantedOfEffect },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, 'not_permitted'],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.resume(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, wantedOfEffect, runtime.clock.now())
  },
})

export const settleProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/settle',
  operationId: 'settleProposal',
  summary: 'Records what a person found out about the effect, beside its evidence.',
  body: settleBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'settled', 'replayed', 'conflict'], wanted: wantedOfSettlement },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, 'not_permitted', 'malformed_reference'],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.settle(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, wantedOfSettlement, runtime.clock.now())
  },
})

export const eraseProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/erase',
  operationId: 'eraseProposal',
  summary: 'Removes all content of a proposal, at once or when its effect is settled. A repeat stays barred.',
  body: eraseBody,
  query: noQuery,
  answer: erasureResult,
  statuses: { outcomes: ['erased', 'erasure_deferred'], wanted: () => true },
  takesIfMatch: true,
  refusals: [...ABOUT_PROPOSAL, ...STORING, 'not_permitted', 'erasure_held'],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.erase(session, param('ref'), { ...body, ...expected })
    const status = outcomeStatus(result.outcome, () => true)
    return { status, body: result, headers: retryAfter(status, null, runtime.clock.now()) }
  },
})
