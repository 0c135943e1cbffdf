// Where a request comes from: a browser sends cookies along whoever asks it to, so whatever changes something must prove more.
import { CrossSiteRequest } from '../wire/http-refusals.ts'

/** Methods that change nothing, by contract of HTTP and of every endpoint here. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Demands that a page of this server sent the request. `Sec-Fetch-Site` must say `same-origin`, or, where a browser does
 * not send it, `Origin` must be exactly the configured one; both absent is no proof. `Host` is never believed. A form of
 * a page that sends no referrer has the origin `null`, which then proves nothing by itself. Spec: reliability 5.8, T36.
 * @throws CrossSiteRequest
 */
export function demandSameOrigin({ headers }: Request, origin: string | null): void {
  const site = headers.get('Sec-Fetch-Site')
  const sent = headers.get('Origin')
  if (site !== null && site !== 'same-origin') throw new CrossSiteRequest()
  if (sent !== null && sent !== 'null' && origin !== null && sent !== origin) throw new CrossSiteRequest()
  if (site === null && (origin === null || sent !== origin)) throw new CrossSiteRequest()
}

/**
 * Whether a request would change something on the strength of a cookie alone. Credentials in `Authorization` are none that
 * a browser adds by itself; then only what it says of its own accord is held against it.
 */
export function restsOnCookie({ method, headers }: Request): boolean {
  return !SAFE.has(method) && headers.has('Cookie') && !headers.has('Authorization')
}

/**
 * The guard of the API: a request that changes something and comes with a cookie is from a page of this server; one with
 * other credentials must at least not say that it is from elsewhere.
 * @throws CrossSiteRequest
 */
export function guardCookies(request: Request, origin: string | null): void {
  const { method, headers } = request
  if (SAFE.has(method) || !headers.has('Cookie')) return
  if (restsOnCookie(request)) demandSameOrigin(request, origin)
  else if (headers.has('Sec-Fetch-Site') || headers.has('Origin')) demandSameOrigin(request, origin)
}
