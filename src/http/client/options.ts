// What a client is made with, read once: an address, a token, and how patient it is.
import type { Patience } from './ask.ts'
import { baseUrl } from './base-url.ts'
import type { Wire } from './exchange.ts'

/** How a client is made. */
export interface ClientOptions {
  /** Where the API is mounted, such as `https://approvals.example.test` or `https://example.test/approvals`. */
  readonly url: string
  /** The bearer token, or what gets one anew for every request. It is sent nowhere but to `url`. */
  readonly token: string | (() => string | Promise<string>)
  /** Allows `http://` to another machine, where something else encrypts the way there. Default false. */
  readonly allowPlainHttp?: boolean
  /** How long one request may take; 30,000 ms by default. */
  readonly timeoutMs?: number
  /** How long one `execute` or `reconcile` may take; 120,000 ms by default: longer than the action's own limits. */
  readonly executeTimeoutMs?: number
  /** How often a request is sent again, after the first time; 3 by default. */
  readonly repeats?: number
  /** The longest wait before a repetition, also where `Retry-After` asks for more; 10,000 ms by default. */
  readonly waitMaxMs?: number
  /** In place of the global `fetch`: another agent, or an app in the same process. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** How to wait before a repetition; for tests, and for hosts with a clock of their own. */
  readonly wait?: Patience['wait']
}

/** The same, complete. */
export interface ReadOptions {
  readonly wire: Wire
  readonly patience: Patience
  readonly timeoutMs: number
  readonly executeTimeoutMs: number
}

/** @throws TypeError which repeats nothing of what was given */
export function readOptions(options: ClientOptions): ReadOptions {
  const { url, token, allowPlainHttp = false } = options
  const isToken = typeof token === 'function' || (typeof token === 'string' && token !== '')
  if (!isToken) throw new TypeError('A client needs a token.')
  return {
    wire: {
      base: baseUrl(url, { allowPlainHttp }),
      token: typeof token === 'function' ? token : () => token,
      fetch: options.fetch ?? ((request) => fetch(request)),
    },
    patience: {
      repeats: whole('repeats', options.repeats ?? 3, 0),
      waitMaxMs: whole('waitMaxMs', options.waitMaxMs ?? 10_000, 0),
      wait: options.wait ?? wait,
    },
    timeoutMs: whole('timeoutMs', options.timeoutMs ?? 30_000, 1),
    executeTimeoutMs: whole('executeTimeoutMs', options.executeTimeoutMs ?? 120_000, 1),
  }
}

function whole(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new TypeError(`The option ${name} must be a whole number, at least ${least}.`)
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
  signal?.throwIfAborted()
}
