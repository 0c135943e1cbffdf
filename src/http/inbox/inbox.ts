// The inbox as it was asked for: where it is served, who looks at it, and in which time zone.
import { isLoopback } from '../auth/loopback.ts'
import { type Authenticate, sessionOf } from '../auth/session.ts'
import { Unauthenticated } from '../wire/http-refusals.ts'
import type { Session } from '../../proposal/session.ts'
import { isTimeZone } from './preview/declared.ts'
import { type FormCookie, formCookie, newSecret, secretIn } from './session/form-secret.ts'
import type { SignInLinks } from './session/sign-in-links.ts'

/** What an inbox needs; exactly one of `session` and `signIn`. Spec: http "The inbox page". */
export interface InboxOptions {
  /** Scheme, host and port at which browsers reach the app, such as `https://approvals.example`. `http` is for loopback. */
  readonly origin: string
  /** The host's own session behind a request, as its cookie tells; null if nobody is signed in. */
  readonly session?: Authenticate
  /** Where a host signs people in: a path of this origin. Without it the page only says that nobody is signed in. */
  readonly signInPath?: string
  /** Sign-in by printed one-time links, for development. */
  readonly signIn?: SignInLinks
  /** An IANA time zone. Default `UTC`. */
  readonly timeZone?: string
}

/** An inbox whose options have been checked. */
export interface Inbox {
  readonly origin: string
  readonly cookie: FormCookie
  readonly timeZone: string
  readonly signInPath: string | null
  readonly signIn: SignInLinks | null
  readonly authenticate: Authenticate
}

/** Who looks at a page, and from which browser. */
export interface Viewer {
  readonly session: Session
  readonly secret: string
  /** Whether the browser has to be told its secret. */
  readonly isNew: boolean
  /** In development: as whom, and who else there is. */
  readonly people: { readonly name: string; readonly names: readonly string[] } | null
}

/** @throws TypeError for options that are none */
export function readInbox(options: InboxOptions): Inbox {
  const { session, signIn, signInPath = null, timeZone = 'UTC' } = options
  const origin = originOf(options.origin)
  const cookie = formCookie(origin)
  if ((session === undefined) === (signIn === undefined)) {
    throw new TypeError('An inbox needs "session", which tells who is signed in, or "signIn" in development, not both.')
  }
  if (signIn !== undefined && !isLoopback(new URL(origin).hostname)) {
    throw new TypeError('Sign-in by printed links is for development, on a loopback address.')
  }
  if (signInPath !== null && !/^\/(?![/\\])/.test(signInPath)) throw new TypeError('"signInPath" must be a path.')
  if (!isTimeZone(timeZone)) throw new TypeError('"timeZone" must be a time zone that is known here.')
  const byLink: Authenticate = ({ headers }) => signIn?.sessionOf(secretIn(headers, cookie) ?? '')?.session ?? null
  return { origin, cookie, timeZone, signInPath, signIn: signIn ?? null, authenticate: session ?? byLink }
}

/** Who looks, or null if nobody is signed in. @throws what the host's own function throws */
export async function viewerOf({ authenticate, cookie, signIn }: Inbox, request: Request): Promise<Viewer | null> {
  try {
    const session = await sessionOf(authenticate, request)
    const known = secretIn(request.headers, cookie)
    const named = known === null ? null : (signIn?.sessionOf(known) ?? null)
    const people = named === null || signIn === null ? null : { name: named.name, names: signIn.names }
    return { session, secret: known ?? newSecret(), isNew: known === null, people }
  } catch (error) {
    if (error instanceof Unauthenticated) return null
    throw error
  }
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.origin !== text) throw new TypeError('"origin" must be a scheme, a host and a port alone.')
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!isSafe) throw new TypeError('"origin" must be https, or http on a loopback address.')
  return text
}
