// Webhooks: the outbox, delivered to the endpoints of the host as Standard Webhooks.
import type { Reference } from '../../effect/reference.ts'
import { DELIVERY_WAITS_MS } from '../../proposal/delivery.ts'
import { type Duration, durationMs } from '../../proposal/definition/duration.ts'
import { DefinitionError, type Problem } from '../../proposal/errors.ts'
import { Deliverer } from '../../runtime/deliver/deliverer.ts'
import type { DeliveryEndpoint } from '../../runtime/deliver/endpoint.ts'
import type { Clock, Ids, Logger, Store } from '../../runtime/ports.ts'
import { SILENT } from '../../runtime/silent-logger.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import { systemIds } from '../../runtime/system-ids.ts'
import type { Outbox } from '../../runtime/worker/outbox.ts'
import { type CheckedEndpoint, checkedEndpoints, type WebhookEndpoint } from './endpoint-options.ts'
import { type ResolveHost, type Sending, sendWebhook, systemResolve } from './send.ts'

/** Where events go, and how patiently. */
export interface WebhooksOptions {
  readonly store: Store
  readonly endpoints: readonly WebhookEndpoint[]
  /** How long one try may take, answer included: 1 to 30 seconds, default `20s`. */
  readonly timeout?: Duration
  /** How long is waited after each failed try; after one more the event is a dead letter. Default: over some three days. */
  readonly waits?: readonly Duration[]
  /** The ports that addresses may name. Default: 443. */
  readonly ports?: readonly number[]
  /** For development: addresses of this machine may be used, also without TLS and on any port. Default false. */
  readonly allowLoopback?: boolean
  /** Looks a host name up; whatever it answers is checked. Default: as this machine does. */
  readonly resolve?: ResolveHost
  /** Default: this machine's. */
  readonly clock?: Clock
  readonly ids?: Ids
  /** Default: silent. Neither addresses nor secrets are logged. */
  readonly logger?: Logger
}

const TIMEOUT_MS_MIN = 1_000
const TIMEOUT_MS_MAX = 30_000

/**
 * The outbox of a worker: `new Worker({ …, outbox: webhooks({ store, endpoints }) })`. Every event of an endpoint's tenants is
 * delivered at least once and in the order of its proposal; any number of workers may do so at once. Endpoints are the host's
 * own configuration, so no right is asked for. Spec: http "Webhooks out", reliability 5.9, threat T38.
 * @throws DefinitionError with everything that is wrong, each by its path, without a secret or an address
 */
export function webhooks(options: WebhooksOptions): Outbox {
  const { store, clock = systemClock, ids = systemIds(), logger = SILENT, allowLoopback = false } = options
  const { timeoutMs, waitsMs, ports } = checkedPatience(options)
  const endpoints = checkedEndpoints(options.endpoints, { ports, allowLoopback })
  const sending: Sending = { clock, resolve: options.resolve ?? systemResolve, allowLoopback, timeoutMs }
  const core = { store, clock, ids, logger, waitsMs }
  return new Deliverer(
    core,
    endpoints.map((endpoint) => deliveryEndpoint(endpoint, sending)),
  )
}

function deliveryEndpoint(endpoint: CheckedEndpoint, sending: Sending): DeliveryEndpoint {
  const { id, tenants, events, since } = endpoint
  return {
    id,
    timeoutMs: sending.timeoutMs,
    serves: (tenant: Reference) => tenants === 'all' || tenants.has(tenant),
    wants: ({ type, at }) => (events === null || events.has(type)) && (since === null || at >= since),
    send: async (message) => sendWebhook(sending, endpoint, message),
  }
}

function checkedPatience({ timeout = '20s', waits, ports = [443] }: WebhooksOptions): {
  readonly timeoutMs: number
  readonly waitsMs: readonly number[]
  readonly ports: readonly number[]
} {
  const problems: Problem[] = []
  const rule = 'out_of_range'
  const timeoutMs = durationMs(timeout) ?? 0
  if (timeoutMs < TIMEOUT_MS_MIN || timeoutMs > TIMEOUT_MS_MAX)
    problems.push({ path: '/timeout', rule, message: 'must be a duration from 1s to 30s' })
  const waitsMs = waits === undefined ? DELIVERY_WAITS_MS : waits.map((wait) => durationMs(wait) ?? 0)
  if (waitsMs.length === 0 || waitsMs.some((ms) => ms === 0))
    problems.push({ path: '/waits', rule, message: "must be a list of durations, such as ['5s', '5m', '2h']" })
  if (ports.length === 0 || !ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536))
    problems.push({ path: '/ports', rule, message: 'must be a list of port numbers' })
  if (problems.length > 0) throw new DefinitionError('The webhooks', problems)
  return { timeoutMs, waitsMs, ports }
}
