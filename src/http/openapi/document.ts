// The document: OpenAPI 3.1 of exactly the routes that the app has, from the schemas that read and describe them.
import type { Hono } from 'hono'
import { VERSION } from '../../runtime/version.ts'
import { collected } from '../hono-library.ts'
import { ANSWER_HEADERS } from './headers.ts'
import { componentSchemas, type Part } from './schemas.ts'

/** The document as plain data. */
export type OpenApiDocument = Part

/** Writes the document of an app. Where the app is mounted is added when it is served. */
export async function openApiDocument(app: Hono): Promise<OpenApiDocument> {
  return collected(app, {
    info: {
      title: 'Countersign',
      version: VERSION,
      description:
        'Proposals that people with authority approve, each for one exact effect, and that run at most once. An ' +
        'outcome is a value under whatever status; a refusal is a problem (RFC 9457) and has changed nothing.',
    },
    security: [{ bearer: [] }],
    components: {
      schemas: componentSchemas(),
      headers: { ...ANSWER_HEADERS },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'As the host’s authentication takes them. Nothing else in a request says who is calling.',
        },
      },
    },
  })
}
