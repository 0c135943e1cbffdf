// The headers that every answer carries, whatever it is: nothing of it is run, framed, sniffed or kept.

/** What an answer that is no page may load: nothing. */
const NOTHING: ContentSecurity = {}

/** What a page may load, as sources of a Content-Security-Policy; a directive that is not named allows nothing. */
export interface ContentSecurity {
  readonly 'script-src'?: string
  readonly 'style-src'?: string
  readonly 'img-src'?: string
  readonly 'font-src'?: string
  readonly 'connect-src'?: string
  readonly 'form-action'?: string
  readonly 'require-trusted-types-for'?: "'script'"
}

/**
 * The security headers of an answer. Inline script is never allowed: `'unsafe-inline'` and `'unsafe-eval'` are refused.
 * Spec: http "Rules", reliability 5.8.
 * @throws TypeError if the page asks for inline code
 */
export function securityHeaders(content: ContentSecurity = NOTHING): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy(content),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}

function policy(content: ContentSecurity): string {
  const directives = {
    'default-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
    ...content,
  }
  const text = Object.entries(directives).map(([name, sources]) => `${name} ${sources}`)
  if (text.some((directive) => directive.includes("'unsafe-"))) throw new TypeError('A page runs no inline code.')
  return text.join('; ')
}
