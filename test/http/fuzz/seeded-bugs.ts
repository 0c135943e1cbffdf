// Seeded bugs: apps that are wrong in one way each, and the check that must flag each of them.
import { requester } from '../../runtime/sessions.ts'
import { tokenOf } from './callers.ts'
import type { CheckName } from './checks.ts'
import { PRIVATE_MARK } from './holes.ts'
import type { Answering } from './run.ts'
import {
  asking,
  changing,
  isProblem,
  isRead,
  itself,
  pathOf,
  sentWith,
  withHeaders,
  withMembers,
  withStatus,
} from './wrong-app.ts'

export interface SeededBug {
  readonly bug: string
  readonly flaggedBy: CheckName
  /** Made anew for every campaign: some bugs remember. */
  readonly seed: () => Answering
}

const authorization = (request: Request): string => request.headers.get('Authorization') ?? ''

function asRita(url: string): Request {
  return new Request(url, { headers: { Authorization: `Bearer ${tokenOf('rita')}` } })
}

export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    bug: 'a reason with two dots breaks the server',
    flaggedBy: 'not_a_server_error',
    seed: () => async (request, world) => {
      const breaks = /"reason":"[^"]*\.[^"]*\./.test(await request.clone().text())
      return breaks ? Response.json({ code: 'internal' }, { status: 500 }) : itself(request, world)
    },
  },
  {
    bug: 'a check is answered as if it were under way',
    flaggedBy: 'status_conforms',
    seed: changing((answer, request) =>
      answer.status === 200 && pathOf(request).endsWith('/check') ? withStatus(answer, 202) : undefined,
    ),
  },
  {
    bug: 'a list comes as text',
    flaggedBy: 'content_type_conforms',
    seed: changing((answer, request) =>
      answer.status === 200 && pathOf(request) === '/v1/proposals'
        ? withHeaders(answer, (headers) => headers.set('Content-Type', 'text/plain'))
        : undefined,
    ),
  },
  {
    bug: 'a view has no tag',
    flaggedBy: 'headers_conform',
    seed: changing((answer, request) =>
      isRead(request) ? withHeaders(answer, (headers) => headers.delete('ETag')) : undefined,
    ),
  },
  {
    bug: 'a tag stands where the document has none',
    flaggedBy: 'headers_conform',
    seed: changing((answer, request) =>
      pathOf(request).endsWith('/receipts') ? withHeaders(answer, (headers) => headers.set('ETag', '"1"')) : undefined,
    ),
  },
  {
    bug: 'a view has a field that the document lacks',
    flaggedBy: 'schema_conforms',
    seed: changing(async (answer, request) =>
      isRead(request) && answer.status === 200 ? withMembers(answer, { tenant: 'acme' }) : undefined,
    ),
  },
  {
    bug: 'parameters that nobody knows are passed over',
    flaggedBy: 'negative_data_rejected',
    seed: asking((request) => new Request(request.url.replace(/\?(?:tenant|principal|x)=1$/, ''), request)),
  },
  {
    bug: 'a body that is no JSON is taken for an empty one',
    flaggedBy: 'negative_data_rejected',
    seed: () => async (request, world) => {
      const answer = await itself(request.clone(), world)
      const isMalformed = answer.status === 400 && pathOf(request).endsWith('/execute')
      if (!isMalformed) return answer
      return itself(new Request(request, { method: 'POST', body: '{}' }), world)
    },
  },
  {
    bug: 'the tag of the first revision is refused',
    flaggedBy: 'positive_data_accepted',
    seed: asking((request) =>
      request.headers.get('If-Match') === '"0"' ? sentWith(request, (all) => all.set('If-Match', 'W/"0"')) : request,
    ),
  },
  {
    bug: 'a body without a media type is taken',
    flaggedBy: 'missing_header_rejected',
    seed: asking((request) =>
      request.body !== null && !request.headers.has('Content-Type')
        ? sentWith(request, (headers) => headers.set('Content-Type', 'application/json'))
        : request,
    ),
  },
  {
    bug: 'a put is a post',
    flaggedBy: 'unsupported_method_rejected',
    seed: asking((request) => (request.method === 'PUT' ? new Request(request, { method: 'POST' }) : request)),
  },
  {
    bug: 'Allow leaves something out',
    flaggedBy: 'unsupported_method_rejected',
    seed: changing((answer) =>
      answer.headers.get('Allow') === 'GET, HEAD' ? withHeaders(answer, (all) => all.set('Allow', 'GET')) : undefined,
    ),
  },
  {
    bug: 'whoever checks need not be known',
    flaggedBy: 'authentication_demanded',
    seed: asking((request) =>
      pathOf(request).endsWith('/check') && authorization(request) === ''
        ? sentWith(request, (headers) => headers.set('Authorization', `Bearer ${tokenOf('fiona')}`))
        : request,
    ),
  },
  {
    bug: 'a token is compared up to its last letter',
    flaggedBy: 'authentication_demanded',
    seed: asking((request) =>
      authorization(request) === `Bearer ${tokenOf('rita').slice(0, -1)}`
        ? sentWith(request, (headers) => headers.set('Authorization', `Bearer ${tokenOf('rita')}`))
        : request,
    ),
  },
  {
    bug: 'views outlive the erasure in a cache',
    flaggedBy: 'erased_is_gone',
    seed: () => {
      const views = new Map<string, Response>()
      return async (request, world) => {
        const answer = await itself(request, world)
        if (!isRead(request) || answer.status !== 200) return answer
        const { kind } = (await answer.clone().json()) as { readonly kind: string }
        if (kind === 'proposal') views.set(request.url, answer.clone())
        return views.get(request.url)?.clone() ?? answer
      }
    },
  },
  {
    bug: 'what is new is not there yet',
    flaggedBy: 'created_is_readable',
    seed: () => {
      const fresh = new Set<string>()
      return async (request, world) => {
        const isFresh = fresh.delete(pathOf(request))
        const answer = await itself(isFresh ? new Request(`${request.url}x`, request) : request, world)
        if (answer.status === 201) fresh.add(answer.headers.get('Location') ?? '')
        return answer
      }
    },
  },
  {
    bug: 'a refusal tells the name of the customer',
    flaggedBy: 'nothing_private_told',
    seed: changing(async (answer) =>
      isProblem(answer) && answer.status === 403
        ? withMembers(answer, { detail: `${PRIVATE_MARK} customer` })
        : undefined,
    ),
  },
  {
    bug: 'a refusal repeats the credentials',
    flaggedBy: 'nothing_private_told',
    seed: changing(async (answer, request) =>
      answer.status === 401 && authorization(request) !== ''
        ? withMembers(answer, { detail: authorization(request) })
        : undefined,
    ),
  },
  {
    bug: 'a refusal repeats what was sent',
    flaggedBy: 'nothing_echoed',
    seed: () => async (request, world) => {
      const sent = await request.clone().text()
      const answer = await itself(request, world)
      return answer.status === 422 && sent !== '' ? withMembers(answer, { detail: sent }) : answer
    },
  },
  {
    bug: 'a view is read whoever’s it is',
    flaggedBy: 'tenants_apart',
    seed: () => async (request, world) => {
      const answer = await itself(request, world)
      const isMissed = isRead(request) && answer.status === 404
      return isMissed && authorization(request).endsWith('-elsewhere') ? itself(asRita(request.url), world) : answer
    },
  },
  {
    bug: 'what is not there and what is not theirs are answered apart',
    flaggedBy: 'tenants_apart',
    seed: () => async (request, world) => {
      const answer = await itself(request, world)
      const view = /^.*\/proposals\/[^/?]+/.exec(request.url)?.[0]
      if (answer.status !== 404 || view === undefined) return answer
      const { status } = await itself(asRita(view), world)
      return status === 200 ? withMembers(answer, { nextStep: 'none' }) : answer
    },
  },
  {
    bug: 'a refused check withdraws what it was about',
    flaggedBy: 'state_unchanged',
    seed: () => async (request, world) => {
      const answer = await itself(request, world)
      const [, , , ref = '', operation] = pathOf(request).split('/')
      const isRefused = isProblem(answer) && operation === 'check'
      if (isRefused) await world.runtime.withdraw(requester, ref).catch(() => null)
      return answer
    },
  },
  {
    bug: 'whoever follows a link with a tag withdraws',
    flaggedBy: 'state_unchanged',
    seed: () => async (request, world) => {
      const answer = await itself(request, world)
      const [, , , ref = ''] = pathOf(request).split('/')
      if (isRead(request) && request.headers.has('If-Match')) {
        await world.runtime.withdraw(requester, ref).catch(() => null)
      }
      return answer
    },
  },
]
