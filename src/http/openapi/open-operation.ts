// An open endpoint as an operation of the document.
import type { OpenEndpoint } from '../open-endpoint.ts'
import { pathParameter, problemsOf, responsesOf } from './operation.ts'
import { type Part, schemaOf } from './schemas.ts'

/** Describes an open endpoint; it has no security of its own. */
export function openOperationOf(endpoint: OpenEndpoint): Part {
  const { operationId, summary, path, mediaType, schema, refusals } = endpoint
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const content = { [mediaType]: { schema: schema === undefined ? { type: 'string' as const } : schemaOf(schema) } }
  return {
    operationId,
    summary,
    tags: ['service'],
    security: [],
    parameters: names.map((name) => pathParameter(name)),
    responses: responsesOf([
      { status: 200, description: 'As asked for.', headers: [], content },
      ...problemsOf(['internal', ...refusals]),
    ]),
  }
}
