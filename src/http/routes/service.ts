// The open endpoints of the service itself: whether it lives, whether it is ready, and what its problems mean.
import type { OpenEndpoint } from '../open-endpoint.ts'
import { health } from '../schemas/problem.ts'
import { UnknownPath } from '../wire/http-refusals.ts'
import { PROBLEM_PAGE_HEADERS, problemPage } from '../wire/problem-page.ts'

export const showHealth: OpenEndpoint = {
  path: '/healthz',
  operationId: 'showHealth',
  summary: 'Says that the process answers.',
  mediaType: 'application/json',
  schema: health,
  refusals: [],
  handle: () => Response.json({ status: 'alive' }),
}

export const showReadiness: OpenEndpoint = {
  path: '/readyz',
  operationId: 'showReadiness',
  summary: 'Says whether the store answers. It was brought to the schema of this version when it was opened.',
  mediaType: 'application/json',
  schema: health,
  refusals: ['store_unavailable'],
  async handle({ framing }) {
    await framing.runtime.health()
    return Response.json({ status: 'ready' })
  },
}

export const explainProblem: OpenEndpoint = {
  path: '/problems/:code',
  operationId: 'explainProblem',
  summary: 'Explains a problem to a person: what it means and what to do.',
  mediaType: 'text/html',
  refusals: ['unknown_path'],
  handle({ param }) {
    const page = problemPage(param('code'))
    if (page === null) throw new UnknownPath()
    return new Response(page, { headers: PROBLEM_PAGE_HEADERS })
  },
}

export const showMetrics: OpenEndpoint = {
  path: '/metrics',
  operationId: 'showMetrics',
  summary: 'Shows the figures of the service, for Prometheus. None of them names a tenant.',
  mediaType: 'text/plain',
  refusals: ['unauthenticated'],
  async handle({ framing: { meters }, request }) {
    if (meters === null) throw new UnknownPath()
    return meters.answer(request)
  },
}
