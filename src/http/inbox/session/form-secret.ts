// The secret of a browser, in a cookie that no script reads, and the token that every form of its pages carries.
import { randomBytes } from 'node:crypto'
import { framed, fromBase64Url, hmacSha256, sameBytes, toBase64Url } from '../../../effect/hash.ts'
import { principalName } from '../../../proposal/principal.ts'
import type { CallerSession } from '../../../proposal/session.ts'

const SECRET_BYTES = 32
const TOKEN_BYTES = 32
const CONTEXT = 'countersign/inbox/form/v1'

/** The cookie of an inbox: its name and its attributes follow from where it is served. */
export interface FormCookie {
  readonly name: string
  /** `Set-Cookie` for a secret. */
  set(secret: string): string
}

/** On loopback without TLS a browser takes neither `Secure` nor the prefix that needs it. Spec: http "The inbox page". */
export function formCookie(origin: string): FormCookie {
  const isSecure = origin.startsWith('https:')
  const name = isSecure ? '__Host-countersign-inbox' : 'countersign-inbox'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return { name, set: (secret) => `${name}=${secret}; ${attributes}` }
}

/** A new secret. */
export function newSecret(): string {
  return toBase64Url(new Uint8Array(randomBytes(SECRET_BYTES)))
}

/** The secret of the browser; null if it has none, or two, of which one is somebody else's. */
export function secretIn(headers: Headers, { name }: FormCookie): string | null {
  const found = (headers.get('Cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(`${name}=`))
  const secret = found.length === 1 ? (found[0] ?? '').slice(name.length + 1) : ''
  return fromBase64Url(secret, SECRET_BYTES) === null ? null : secret
}

/**
 * The token of this browser's forms, for this caller: nobody can make it who cannot read the cookie, and a form that was
 * opened as one person is not sent as another. No server keeps anything. Spec: reliability 5.8.
 */
export function formToken(secret: string, { tenant, principal }: Pick<CallerSession, 'tenant' | 'principal'>): string {
  return sealed(secret, [CONTEXT, tenant, principalName(principal)])
}

/** Whether it is the token. */
export function isFormToken(
  text: string,
  secret: string,
  caller: Pick<CallerSession, 'tenant' | 'principal'>,
): boolean {
  return isSame(text, formToken(secret, caller))
}

/** A proof that this browser was told something by this app, so that no link can put words into a page. */
export function proofOf(secret: string, told: readonly string[]): string {
  return sealed(secret, ['countersign/inbox/told/v1', ...told])
}

/** Whether it is the proof. */
export function isProof(text: string, secret: string, told: readonly string[]): boolean {
  return isSame(text, proofOf(secret, told))
}

function sealed(secret: string, parts: readonly string[]): string {
  return toBase64Url(hmacSha256(new TextEncoder().encode(secret), framed(parts)))
}

function isSame(text: string, wanted: string): boolean {
  const [given, right] = [fromBase64Url(text, TOKEN_BYTES), fromBase64Url(wanted, TOKEN_BYTES)]
  return given !== null && right !== null && sameBytes(given, right)
}
