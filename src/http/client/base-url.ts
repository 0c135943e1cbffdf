// The base address of a client: checked once, since every request carries the caller's credentials to it.

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * The address below which the API is, without a slash at its end.
 * @throws TypeError, which does not repeat it: it may hold a password.
 */
export function baseUrl(url: string, { allowPlainHttp }: { readonly allowPlainHttp: boolean }): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError('The address of the server must begin with https:// or http://.')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError('The address of the server must not hold credentials.')
  }
  // Also an empty query: what is appended would become part of it.
  if (/[?#]/.test(url)) throw new TypeError('The address of the server must end with its path.')
  if (parsed.protocol === 'http:' && !allowPlainHttp && !LOOPBACK.test(parsed.hostname)) {
    throw new TypeError('The address of the server must be https:// unless it is on this machine.')
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}
