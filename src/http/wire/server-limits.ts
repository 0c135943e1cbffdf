// The limits of the HTTP server in front of the app: what Node itself refuses, before a request exists.
import type { ServerOptions } from 'node:http'

const SECOND_MS = 1_000

/**
 * For `createServer` of node:http, or the `serverOptions` of @hono/node-server. Node's own defaults let a request take
 * five minutes to arrive. An answer may take longer than `requestTimeout`: it bounds receiving only.
 * Spec: reliability T26.
 */
export const serverLimits = {
  /** A request line and its headers must be there by then; 408 otherwise. */
  headersTimeout: 10 * SECOND_MS,
  /** The body too. */
  requestTimeout: 30 * SECOND_MS,
  keepAliveTimeout: 5 * SECOND_MS,
  connectionsCheckingInterval: SECOND_MS,
  /** 431 beyond it. */
  maxHeaderSize: 16 * 1_024,
  /** Not a lenient parser: two lengths, a length beside chunks, or a bare line feed are refused with 400. */
  insecureHTTPParser: false,
  requireHostHeader: true,
  joinDuplicateHeaders: false,
} as const satisfies ServerOptions

/**
 * Properties of a server, which are not among its options. No count of headers: beyond it Node would drop some without a
 * word, perhaps the If-Match; their size bounds them.
 */
export const serverProperties = { maxHeadersCount: 0, maxRequestsPerSocket: 1_000 } as const
