// The endpoints of proposals as such: prepare, list, read.
import { InvalidCommand, MalformedReference } from '../../proposal/errors.ts'
import type { Status } from '../../proposal/status.ts'
import type { ListInput } from '../../runtime/list.ts'
import { endpoint } from '../endpoint.ts'
import { outcomeAnswer, wantedOfPrepare } from '../outcome.ts'
import { nextLink } from '../paging.ts'
import { ABOUT_PROPOSAL, READING, STORING } from '../refusals.ts'
import { listQuery, noQuery, prepareBody } from '../schemas/requests.ts'
import { operationResult } from '../schemas/results.ts'
import { anyView, listPage } from '../schemas/views.ts'
import { etagOf } from '../wire/etag.ts'

export const prepareProposal = endpoint({
  method: 'post',
  path: '/v1/proposals',
  operationId: 'prepareProposal',
  summary: 'Prepares a proposal: what would happen, shown and committed to, waiting for authority.',
  body: prepareBody,
  query: noQuery,
  answer: operationResult,
  statuses: { outcomes: ['prepared', 'replayed', 'conflict'], wanted: wantedOfPrepare },
  takesIdempotencyKey: true,
  headers: ['ETag', 'Location', 'Idempotency-Replayed'],
  refusals: [
    ...READING,
    ...STORING,
    'not_found',
    'not_permitted',
    'authorization_unavailable',
    'action_not_registered',
    'content_unavailable',
    'effect_already_completed',
    'effect_reference_identifying',
    'invalid_command',
    'invalid_preparation',
    'policy_unsatisfiable',
    'preparation_failed',
    'preparation_refused',
    'request_key_reused',
  ],
  async handle({ runtime, session, body, path, requestKey }) {
    const input = requestKey === null ? body : { ...body, requestKey }
    const result = await runtime.prepare(session, input).catch((error: unknown) => {
      throw withinBody(error)
    })
    const answer = outcomeAnswer(result, wantedOfPrepare, runtime.clock.now())
    // An effect that was completed through another request is no replay of this one.
    const replayed = result.outcome === 'replayed' && result.reason === null
    return {
      ...answer,
      headers: {
        ...answer.headers,
        Location: `${path}/${encodeURIComponent(result.proposal)}`,
        ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}),
      },
    }
  },
})

export const listProposals = endpoint({
  method: 'get',
  path: '/v1/proposals',
  operationId: 'listProposals',
  summary: 'Lists the proposals that the caller may list and read, newest first.',
  body: null,
  query: listQuery,
  answer: listPage,
  statuses: { status: 200 },
  headers: ['Link'],
  refusals: ['store_unavailable', 'authorization_unavailable', 'limit_exceeded', 'malformed_reference'],
  async handle({ runtime, session, query, path }) {
    const page = await runtime.list(session, listInput(query)).catch((error: unknown) => {
      throw withinQuery(error)
    })
    return { status: 200, body: page, headers: nextLink(path, query, { name: 'cursor', value: page.next }) }
  },
})

export const readProposal = endpoint({
  method: 'get',
  path: '/v1/proposals/:ref',
  operationId: 'readProposal',
  summary: 'Shows a proposal: preview, status, policy, approvals, evidence, what comes next; or what is left of it.',
  body: null,
  query: noQuery,
  answer: anyView,
  statuses: { status: 200 },
  takesIfMatch: true,
  headers: ['ETag'],
  refusals: ABOUT_PROPOSAL,
  async handle({ runtime, session, param, expected }) {
    const view = await runtime.read(session, param('ref'), expected)
    const { revision } = view.kind === 'proposal' ? view : view.tombstone
    return { status: 200, body: view, headers: { ETag: etagOf(revision) } }
  },
})

// The pointers of a command that does not fit are those of the body that it came in.
function withinBody(error: unknown): unknown {
  if (!(error instanceof InvalidCommand)) return error
  return new InvalidCommand(error.problems.map((problem) => ({ ...problem, path: `/command${problem.path}` })))
}

// What the runtime calls `after` is called `cursor` here.
function withinQuery(error: unknown): unknown {
  return error instanceof MalformedReference && error.path === '/after' ? new MalformedReference('/cursor') : error
}

interface ListQuery {
  readonly status?: readonly Status[]
  readonly action?: string
  readonly requester?: string
  readonly effect?: string
  readonly subject?: string
  readonly due?: 'true' | 'false'
  readonly needsPerson?: 'true' | 'false'
  readonly decidedBy?: string
  readonly order?: 'newest' | 'oldest' | 'expiry'
  readonly limit?: number
  readonly cursor?: string
}

function listInput({ status, due, needsPerson, cursor, ...filters }: ListQuery): ListInput {
  return {
    ...filters,
    ...(status === undefined ? {} : { statuses: status }),
    ...(due === 'true' ? { due: true } : {}),
    ...(needsPerson === 'true' ? { needsPerson: true } : {}),
    ...(cursor === undefined ? {} : { after: cursor }),
  }
}
