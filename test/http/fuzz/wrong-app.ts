// Wrong apps: what stands between the fuzzer and the app when a bug is seeded.
import type { Answering } from './run.ts'

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>

/** The app as it is. */
export const itself: Answering = async (request, world) => world.app.fetch(request)

/** An app that answers otherwise; undefined leaves the answer as it is. */
export function changing(
  change: (answer: Response, request: Request) => Response | undefined | Promise<Response | undefined>,
): () => Answering {
  return () => async (request, world) => {
    const answer = await itself(request.clone(), world)
    return (await change(answer, request)) ?? answer
  }
}

/** An app that is asked otherwise than it was. */
export function asking(change: (request: Request) => Request): () => Answering {
  return () => async (request, world) => itself(change(request), world)
}

/** The path of a request. */
export function pathOf({ url }: Request): string {
  return new URL(url).pathname
}

/** Whether a request reads one proposal. */
export function isRead(request: Request): boolean {
  return request.method === 'GET' && /^\/v1\/proposals\/[^/]+$/.test(pathOf(request))
}

/** Whether an answer is a refusal. */
export function isProblem({ headers }: Response): boolean {
  return headers.get('Content-Type') === 'application/problem+json'
}

/** The answer with another status. */
export function withStatus(answer: Response, status: number): Response {
  return new Response(answer.body, { status, headers: answer.headers })
}

/** The answer with other headers. */
export function withHeaders(answer: Response, change: (headers: Headers) => void): Response {
  const headers = new Headers(answer.headers)
  change(headers)
  return new Response(answer.body, { status: answer.status, headers })
}

/** The answer with more members. */
export async function withMembers(answer: Response, more: Members): Promise<Response> {
  const { status, headers } = answer
  const members = (await answer.json()) as Members
  return new Response(JSON.stringify({ ...members, ...more }), { status, headers })
}

/** The request with other headers. */
export function sentWith(request: Request, change: (headers: Headers) => void): Request {
  const headers = new Headers(request.headers)
  change(headers)
  return new Request(request, { headers })
}
