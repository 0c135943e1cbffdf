// One-time links for development: a link that is printed, a button that consumes it, and a session that ends by itself.
import { fromBase64Url, hmacSha256, sha256, toBase64Url } from '../../../effect/hash.ts'
import { deepFreeze } from '../../../effect/canonical-json.ts'
import { parseSession, type Session } from '../../../proposal/session.ts'
import type { Clock } from '../../../runtime/ports.ts'
import { randomBytes } from 'node:crypto'
import { newSecret } from './form-secret.ts'

const LINK_BYTES = 16
const MINUTE_MS = 60_000
const LINK_LIFETIME_MS = 30 * MINUTE_MS
const SESSION_LIFETIME_MS = 12 * 60 * MINUTE_MS

/** What links are made for. */
export interface SignInLinksOptions {
  /** Whom a link can sign in as, by name. Whoever has a link can be any of them, so these are for development. */
  readonly people: Readonly<Record<string, Session>>
  readonly clock: Pick<Clock, 'now'>
}

interface Held {
  readonly name: string
  readonly expiresAt: number
}

/**
 * Signs in by links that are printed where the server is started. A link is 128 random bits, works once and for half an
 * hour, and opening it does nothing: a button does. Of links and sessions digests are kept, in this process alone.
 * Spec: http "The inbox page", reliability T13.
 * @throws TypeError for people who are none
 */
export class SignInLinks {
  readonly #people: Readonly<Record<string, Session>>
  readonly #clock: Pick<Clock, 'now'>
  readonly #key = new Uint8Array(randomBytes(32))
  readonly #links = new Map<string, number>()
  readonly #sessions = new Map<string, Held>()

  constructor({ people, clock }: SignInLinksOptions) {
    for (const [name, session] of Object.entries(people)) {
      try {
        parseSession(session)
      } catch (cause) {
        throw new TypeError(`The session of "${name}" is not one.`, { cause })
      }
    }
    this.#people = deepFreeze(structuredClone(people))
    this.#clock = clock
  }

  /** Whom one can sign in as. */
  get names(): readonly string[] {
    return Object.keys(this.#people)
  }

  /** A new link's secret, to be put behind the address of the sign-in page. */
  issue(): string {
    this.#forget()
    const link = toBase64Url(new Uint8Array(randomBytes(LINK_BYTES)))
    this.#links.set(this.#digest(link), this.#clock.now() + LINK_LIFETIME_MS)
    return link
  }

  /** Whether a link is still good. It stays so: looking at it consumes nothing. */
  isGood(link: string): boolean {
    this.#forget()
    return fromBase64Url(link, LINK_BYTES) !== null && this.#links.has(this.#digest(link))
  }

  /** Consumes a link; the secret of the new session, or null if the link is not good or nobody has this name. */
  signIn(link: string, name: string): string | null {
    if (!this.isGood(link) || !Object.hasOwn(this.#people, name)) return null
    this.#links.delete(this.#digest(link))
    return this.#begin(name)
  }

  /** Ends a session and begins one as somebody else of the same people; null if there is none. */
  switchTo(secret: string, name: string): string | null {
    if (this.sessionOf(secret) === null || !Object.hasOwn(this.#people, name)) return null
    this.signOut(secret)
    return this.#begin(name)
  }

  /** Ends a session. */
  signOut(secret: string): void {
    this.#sessions.delete(this.#digest(secret))
  }

  /** Whose session it is, or null. */
  sessionOf(secret: string): { readonly name: string; readonly session: Session } | null {
    this.#forget()
    const held = this.#sessions.get(this.#digest(secret))
    const session = held === undefined ? undefined : this.#people[held.name]
    return held === undefined || session === undefined ? null : { name: held.name, session }
  }

  #begin(name: string): string {
    const secret = newSecret()
    this.#sessions.set(this.#digest(secret), { name, expiresAt: this.#clock.now() + SESSION_LIFETIME_MS })
    return secret
  }

  #forget(): void {
    const now = this.#clock.now()
    for (const [digest, expiresAt] of this.#links) if (now >= expiresAt) this.#links.delete(digest)
    for (const [digest, { expiresAt }] of this.#sessions) if (now >= expiresAt) this.#sessions.delete(digest)
  }

  // Looked up by a keyed digest, so that no time that a look-up takes says anything about a secret.
  #digest(secret: string): string {
    return toBase64Url(hmacSha256(this.#key, sha256(new TextEncoder().encode(secret))))
  }
}
