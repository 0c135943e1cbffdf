// The outbox of a process: the webhooks of the host's own file, with secrets that only the environment holds.
import { webhooks, type WebhooksOptions } from '../../http/webhooks/webhooks.ts'
import type { WebhookEndpoint } from '../../http/webhooks/endpoint-options.ts'
import type { Clock, Logger, Store } from '../../runtime/ports.ts'
import type { Outbox } from '../../runtime/worker/outbox.ts'
import { environment } from '../environment.ts'
import { Unavailable } from '../errors.ts'

/** An endpoint as the file says it. */
export type ServedEndpoint = Omit<WebhookEndpoint, 'secrets'> & {
  /** The environment variable with its secrets, one after the other with spaces between, the new one first. */
  readonly secretsFrom: string
}

/** What the file says of webhooks. Spec: http "Webhooks out". */
export interface ServedWebhooks extends Pick<WebhooksOptions, 'timeout' | 'waits' | 'ports' | 'allowLoopback'> {
  readonly endpoints: readonly ServedEndpoint[]
}

const FIELDS = new Set(['endpoints', 'timeout', 'waits', 'ports', 'allowLoopback'])
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** Whether it has the form; what its values must be is judged when it is used. */
export function isServedWebhooks(value: unknown): value is ServedWebhooks {
  if (typeof value !== 'object' || value === null) return false
  if (Object.keys(value).some((field) => !FIELDS.has(field))) return false
  const { endpoints }: { readonly endpoints?: unknown } = value
  return Array.isArray(endpoints) && endpoints.length > 0 && endpoints.every(isServedEndpoint)
}

function isServedEndpoint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'secrets' in value) return false
  const { secretsFrom }: { readonly secretsFrom?: unknown } = value
  return typeof secretsFrom === 'string' && NAME.test(secretsFrom)
}

/**
 * What a worker of this process delivers by; nothing where the file names no webhooks.
 * @throws Unavailable for secrets that the environment does not have; DefinitionError for what cannot be right
 */
export function outboxOf(
  served: ServedWebhooks | null,
  parts: { readonly store: Store; readonly clock: Clock; readonly log: Logger },
): { readonly outbox?: Outbox } {
  if (served === null) return {}
  const { store, clock, log } = parts
  const endpoints = served.endpoints.map(({ secretsFrom, ...endpoint }) => {
    return { ...endpoint, secrets: secretsIn(secretsFrom) }
  })
  return { outbox: webhooks({ ...served, endpoints, store, clock, logger: log }) }
}

function secretsIn(name: string): readonly string[] {
  const text = environment(name)
  if (text === null)
    throw new Unavailable(`The environment has no ${name}, from which a webhook is to have its secrets.`)
  return text.trim().split(/\s+/u)
}
