// The endpoints of what happens outside: check, execute, reconcile, and what providers announce.
import { endpoint } from '../endpoint.ts'
import { outcomeAnswer, outcomeStatus, retryAfter, STATUS_OUTCOMES, wantedOfEffect } from '../outcome.ts'
import { ABOUT_PROPOSAL, READING, STORING } from '../refusals.ts'
import { executeBody, noBody, noQuery, observationBody, reconcileBody } from '../schemas/requests.ts'
import { checkResult, observationResult, operationResult } from '../schemas/results.ts'

export const checkProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/check',
  operationId: 'checkProposal',
  summary: 'Says whether the proposal would still stand; writes nothing.',
  body: noBody,
  query: noQuery,
  answer: checkResult,
  statuses: { status: 200 },
  takesIfMatch: true,
  refusals: [...ABOUT_PROPOSAL, 'not_permitted', 'content_unavailable'],
  async handle({ runtime, session, param, expected }) {
    return { status: 200, body: await runtime.check(session, param('ref'), expected) }
  },
})

// The attempt is none of the connection's business: nothing here listens to whether the caller is still there (C004).
export const executeProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/execute',
  operationId: 'executeProposal',
  summary: 'Looks at everything again and calls the executor, at most once.',
  body: executeBody,
  query: noQuery,
  answer: operationResult,
  statuses: {
    outcomes: [...STATUS_OUTCOMES, 'blocked', 'replayed', 'conflict', 'resend_allowed'],
    wanted: wantedOfEffect,
  },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, 'not_permitted'],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.execute(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, wantedOfEffect, runtime.clock.now())
  },
})

export const reconcileProposal = endpoint({
  method: 'post',
  path: '/v1/proposals/:ref/reconcile',
  operationId: 'reconcileProposal',
  summary: 'Finds out by reading what became of the effect, if that is due. Never calls the executor.',
  body: reconcileBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: [...STATUS_OUTCOMES, 'conflict', 'resend_allowed'], wanted: wantedOfEffect },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: [...ABOUT_PROPOSAL, ...STORING, 'not_permitted'],
  async handle({ runtime, session, param, body, expected }) {
    const result = await runtime.reconcile(session, param('ref'), { ...body, ...expected })
    return outcomeAnswer(result, wantedOfEffect, runtime.clock.now())
  },
})

export const observeEffect = endpoint({
  method: 'post',
  path: '/v1/observations',
  operationId: 'observeEffect',
  summary:
    'Takes what a provider announced, passed on by a service: a look at the target is due now, and nothing else.',
  body: observationBody,
  query: noQuery,
  answer: observationResult,
  statuses: { outcomes: ['observed', 'replayed'], wanted: () => true },
  refusals: [...READING, ...STORING, 'not_found', 'not_permitted', 'authorization_unavailable', 'malformed_reference'],
  async handle({ runtime, session, body }) {
    const result = await runtime.observe(session, body)
    const status = outcomeStatus(result.outcome, () => true)
    return { status, body: result, headers: retryAfter(status, null, runtime.clock.now()) }
  },
})
