// Who calls: the host's authentication, asked once a request and taken at its word only in the right form.
import type { Session } from '../../proposal/session.ts'
import { parseSession } from '../../proposal/session.ts'
import { MalformedRequest, Unauthenticated } from '../wire/http-refusals.ts'

/**
 * The host's authentication: who sends this request, or null if it proves nobody. It looks at the headers and never at
 * the body, which it must not read. It may throw `Unauthenticated` for credentials that it refuses, and
 * `AuthenticationUnavailable` if it cannot find out. Spec: http "Rules".
 */
export type Authenticate = (request: Request) => Promise<Session | null> | Session | null

/** Behind a comma stands another scheme or token, not the parameter of the one before: two headers were joined. */
const REPEATED_CREDENTIALS = /,(?![ \t]*[!#$%&'*+.^_`|~\w-]+[ \t]*=)/

/**
 * The session of a request.
 * @throws Unauthenticated if there is none, MalformedRequest if the credentials were sent twice, TypeError if the host's
 * session is none
 */
export async function sessionOf(authenticate: Authenticate, request: Request): Promise<Session> {
  if (REPEATED_CREDENTIALS.test(request.headers.get('Authorization') ?? '')) {
    throw new MalformedRequest('The header Authorization may be sent once.')
  }
  const session = await authenticate(request)
  if (session === null) throw new Unauthenticated()
  demandSession(session)
  return session
}

/** A session of the wrong form is the host's fault; the runtime would blame the caller for it. */
function demandSession(session: Session): void {
  try {
    parseSession(session)
  } catch (cause) {
    throw new TypeError('The session that "authenticate" returned is not one.', { cause })
  }
}
