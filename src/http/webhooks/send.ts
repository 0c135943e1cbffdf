// Sends one message to one endpoint: its host is looked up, every address of it checked, and the first one connected to.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { parseReasonCode } from '../../effect/reference.ts'
import type { DeliveryTry } from '../../proposal/delivery.ts'
import type { Message } from '../../runtime/deliver/endpoint.ts'
import type { Clock } from '../../runtime/ports.ts'
import { isLoopbackAddress, isPublicAddress } from './addresses.ts'
import type { CheckedEndpoint } from './endpoint-options.ts'
import { webhookMessage } from './message.ts'
import { post, type PostAnswer } from './post.ts'
import { retryAfterMs } from './retry-after.ts'
import { signatures } from './signature.ts'

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

/** What sending works with. */
export interface Sending {
  readonly clock: Clock
  readonly resolve: ResolveHost
  readonly allowLoopback: boolean
  readonly timeoutMs: number
}

/** The addresses that this machine would use. */
export const systemResolve: ResolveHost = async (hostname) => {
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

const GONE = 410

/** Tries once, within the time limit; never rejects. */
export async function sendWebhook(sending: Sending, endpoint: CheckedEndpoint, message: Message): Promise<DeliveryTry> {
  const abort = new AbortController()
  const { promise: limit, resolve: limitReached } = Promise.withResolvers<DeliveryTry>()
  const cancel = sending.clock.timer(sending.timeoutMs, () => {
    abort.abort()
    limitReached(failed('timed_out'))
  })
  try {
    return await Promise.race([sent(sending, { endpoint, message, signal: abort.signal }), limit])
  } finally {
    cancel()
  }
}

interface Try {
  readonly endpoint: CheckedEndpoint
  readonly message: Message
  readonly signal: AbortSignal
}

async function sent(sending: Sending, { endpoint, message, signal }: Try): Promise<DeliveryTry> {
  const { url, secrets } = endpoint
  const addresses = await addressesOf(url, sending.resolve)
  const [address] = addresses
  if (address === undefined) return failed('host_not_found')
  const isLocal = sending.allowLoopback && addresses.every(isLoopbackAddress)
  // One address that leads inside is enough: which of them is used would be chance.
  if (!isLocal && !addresses.every(isPublicAddress)) return failed('address_refused')
  if (!isLocal && url.protocol !== 'https:') return failed('address_refused')
  if (signal.aborted) return failed('timed_out')
  const { id, body } = webhookMessage(message)
  const timestamp = Math.floor(sending.clock.now() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'countersign',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures({ id, timestamp, body }, secrets),
  }
  try {
    return tryOf(await post({ url, address, headers, body, signal }), sending.clock.now())
  } catch {
    // Its message may hold the address, which may be a secret.
    return failed(signal.aborted ? 'timed_out' : 'not_answered')
  }
}

async function addressesOf(url: URL, resolve: ResolveHost): Promise<readonly string[]> {
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '')
  if (isIP(host) !== 0) return [host]
  try {
    return await resolve(host)
  } catch {
    return []
  }
}

// Only what lies between 200 and 299 is a delivery: a redirect is somebody else's address.
function tryOf({ status, retryAfter }: PostAnswer, now: number): DeliveryTry {
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  const reason = parseReasonCode(`answered_${status}`, '')
  return status === GONE
    ? { kind: 'gone', reason }
    : { kind: 'failed', reason, retryAfterMs: retryAfterMs(retryAfter, now) }
}

function failed(reason: string): DeliveryTry {
  return { kind: 'failed', reason: parseReasonCode(reason, ''), retryAfterMs: null }
}
