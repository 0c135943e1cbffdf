// The endpoints of the record: receipts, the evidence bundle, the outbox, and the registered actions.
import { endpoint } from '../endpoint.ts'
import { nextLink } from '../paging.ts'
import { READING } from '../refusals.ts'
import { actionList, eventsPage } from '../schemas/catalogue.ts'
import { evidenceBundle, receiptsView } from '../schemas/records.ts'
import { eventsQuery, noQuery } from '../schemas/requests.ts'

export const listReceipts = endpoint({
  method: 'get',
  path: '/v1/proposals/:ref/receipts',
  operationId: 'listReceipts',
  summary: 'Shows the chain of receipts, and whether it is whole.',
  body: null,
  query: noQuery,
  answer: receiptsView,
  statuses: { status: 200 },
  refusals: [...READING, 'not_found', 'authorization_unavailable'],
  async handle({ runtime, session, param }) {
    return { status: 200, body: await runtime.receipts(session, param('ref')) }
  },
})

export const exportEvidence = endpoint({
  method: 'get',
  path: '/v1/proposals/:ref/evidence',
  operationId: 'exportEvidence',
  summary: 'Exports the chain and the evidence as a bundle that can be checked anywhere.',
  body: null,
  query: noQuery,
  answer: evidenceBundle,
  statuses: { status: 200 },
  refusals: [...READING, 'not_found', 'not_permitted', 'authorization_unavailable'],
  async handle({ runtime, session, param }) {
    return { status: 200, body: await runtime.exportEvidence(session, param('ref')) }
  },
})

export const listEvents = endpoint({
  method: 'get',
  path: '/v1/events',
  operationId: 'listEvents',
  summary: 'Reads the outbox by position: which proposals changed their status, oldest first.',
  body: null,
  query: eventsQuery,
  answer: eventsPage,
  statuses: { status: 200 },
  headers: ['Link'],
  refusals: [...READING, 'authorization_unavailable', 'limit_exceeded', 'malformed_reference'],
  async handle({ runtime, session, query, path }) {
    const page = await runtime.events(session, query)
    const next = page.more ? page.next : null
    return { status: 200, body: page, headers: nextLink(path, query, { name: 'after', value: next }) }
  },
})

export const listActions = endpoint({
  method: 'get',
  path: '/v1/actions',
  operationId: 'listActions',
  summary: 'Lists the registered actions: types, JSON Schemas, and who will have to approve.',
  body: null,
  query: noQuery,
  answer: actionList,
  statuses: { status: 200 },
  refusals: [],
  async handle({ runtime, session }) {
    return { status: 200, body: { items: await runtime.actions(session) } }
  },
})
