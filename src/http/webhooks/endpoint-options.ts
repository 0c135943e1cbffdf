// The endpoints of a host, read strictly: what cannot be safe is refused by its path, and no secret or address is repeated.
import { isIP } from 'node:net'
import { parseReference, type Reference } from '../../effect/reference.ts'
import { DefinitionError, type Problem } from '../../proposal/errors.ts'
import type { EventType } from '../../proposal/event.ts'
import { isLoopbackAddress, isPublicAddress } from './addresses.ts'
import { secretBytes } from './signature.ts'

/** Who gets events, as the host configures it. */
export interface WebhookEndpoint {
  /** Under this name the store knows what is still to be delivered; keep it when the address or the secrets change. */
  readonly id: string
  /** `https`, a host name or a public address, one of the ports that are allowed. It may be a secret itself: it is never told. */
  readonly url: string
  /** `whsec_` and the Base64 of 24 to 64 random bytes. Every message is signed with each: the new one first, while rotating. */
  readonly secrets: readonly string[]
  /** Whose events it gets; `'all'` is for a receiver that may know of every tenant. */
  readonly tenants: 'all' | readonly string[]
  /** Which types of events; all of them by default. */
  readonly events?: readonly EventType[]
  /** Events from this instant on (ISO 8601 with a zone). Default: everything that the outbox holds. */
  readonly since?: string
}

/** An endpoint that was read. */
export interface CheckedEndpoint {
  readonly id: Reference
  readonly url: URL
  readonly secrets: readonly Buffer[]
  readonly tenants: 'all' | ReadonlySet<string>
  readonly events: ReadonlySet<EventType> | null
  readonly since: number | null
}

/** What holds for all endpoints. */
export interface EndpointRules {
  readonly ports: readonly number[]
  readonly allowLoopback: boolean
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set(
  Object.keys({
    'proposal.prepared': true,
    'proposal.approval_needed': true,
    'proposal.approved': true,
    'proposal.closed': true,
    'proposal.executing': true,
    'proposal.in_doubt': true,
    'proposal.needs_person': true,
    'proposal.settled': true,
    'proposal.erased': true,
  } satisfies Record<EventType, true>),
)
const FIELDS = new Set(['id', 'url', 'secrets', 'tenants', 'events', 'since'])
const SECRETS_MAX = 10
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2})$/

/** @throws DefinitionError with everything that is wrong, each by its path */
export function checkedEndpoints(endpoints: unknown, rules: EndpointRules): readonly CheckedEndpoint[] {
  const problems: Problem[] = []
  const list: readonly unknown[] = Array.isArray(endpoints) ? endpoints : []
  if (!Array.isArray(endpoints))
    problems.push({ path: '/endpoints', rule: 'not_a_list', message: 'must be a list of endpoints' })
  const checked = list.map((given, index) => checkedEndpoint(given, `/endpoints/${index}`, { rules, problems }))
  const ids = checked.map((endpoint) => endpoint?.id)
  for (const [index, id] of ids.entries()) {
    if (id !== undefined && ids.indexOf(id) < index)
      problems.push({ path: `/endpoints/${index}/id`, rule: 'duplicate', message: 'names another endpoint already' })
  }
  if (problems.length > 0) throw new DefinitionError('The webhooks', problems)
  return checked.filter((endpoint) => endpoint !== null)
}

interface Reading {
  readonly rules: EndpointRules
  readonly problems: Problem[]
}

function checkedEndpoint(given: unknown, path: string, { rules, problems }: Reading): CheckedEndpoint | null {
  const wrong = (field: string, message: string): null => {
    problems.push({ path: `${path}${field}`, rule: 'endpoint_invalid', message })
    return null
  }
  if (typeof given !== 'object' || given === null) return wrong('', 'must be an object')
  if (Object.keys(given).some((field) => !FIELDS.has(field))) {
    wrong('', `has a field that is none of ${[...FIELDS].join(', ')}`)
  }
  const { id, url, secrets, tenants, events, since }: Partial<Record<keyof WebhookEndpoint, unknown>> = given
  const read = {
    id: referenceOf(id) ?? wrong('/id', 'must be a reference: 1 to 255 characters, none of them a control character'),
    url: checkedUrl(url, rules, (message) => wrong('/url', message)),
    secrets: checkedSecrets(secrets, (at, message) => wrong(`/secrets${at}`, message)),
    tenants: checkedTenants(tenants) ?? wrong('/tenants', "must be 'all', or a list of at least one tenant"),
    events: checkedEvents(events) ?? wrong('/events', 'must be a list of at least one type of event'),
    since: checkedSince(since) ?? wrong('/since', 'must be an instant with its zone, such as 2030-01-31T12:00:00Z'),
  }
  if (read.id === null || read.url === null || read.secrets === null || read.tenants === null) return null
  if (read.events === null || read.since === null) return null
  return {
    id: read.id,
    url: read.url,
    secrets: read.secrets,
    tenants: read.tenants,
    events: read.events === 'every' ? null : read.events,
    since: read.since === 'ever' ? null : read.since,
  }
}

function referenceOf(value: unknown): Reference | null {
  try {
    return parseReference(value, '')
  } catch {
    return null
  }
}

function checkedUrl(
  value: unknown,
  { ports, allowLoopback }: EndpointRules,
  wrong: (message: string) => null,
): URL | null {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  if (url === null) return wrong('must be an absolute URL')
  if (url.username !== '' || url.password !== '') return wrong('must not hold a user or a password')
  if (url.hash !== '') return wrong('must not have a fragment')
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '')
  const isLocal = allowLoopback && (isLoopbackAddress(host) || host === 'localhost')
  if (isLocal && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  if (url.protocol !== 'https:') return wrong('must be https')
  // Every spelling of an address is the same address by now; a name is looked up before each message.
  if (isIP(host) !== 0 && !isPublicAddress(host)) return wrong('must not be an address inside a network')
  if (!ports.includes(url.port === '' ? 443 : Number(url.port)))
    return wrong(`must use a port that is allowed: ${ports.join(', ')}`)
  return url
}

function checkedSecrets(value: unknown, wrong: (at: string, message: string) => null): readonly Buffer[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > SECRETS_MAX)
    return wrong('', `must be a list of 1 to ${SECRETS_MAX} secrets`)
  const secrets = value.map((secret: unknown, index) => {
    return secretBytes(secret) ?? wrong(`/${index}`, 'must be whsec_ and the Base64 of 24 to 64 bytes')
  })
  return secrets.every((secret) => secret !== null) ? secrets : null
}

function checkedTenants(value: unknown): CheckedEndpoint['tenants'] | null {
  if (value === 'all') return 'all'
  if (!Array.isArray(value) || value.length === 0) return null
  const tenants = value.map(referenceOf).filter((tenant) => tenant !== null)
  return tenants.length === value.length ? new Set<string>(tenants) : null
}

function checkedEvents(value: unknown): ReadonlySet<EventType> | 'every' | null {
  if (value === undefined) return 'every'
  if (!Array.isArray(value) || value.length === 0 || !value.every(isEventType)) return null
  return new Set(value)
}

function isEventType(value: unknown): value is EventType {
  return EVENT_TYPES.has(value)
}

function checkedSince(value: unknown): number | 'ever' | null {
  if (value === undefined) return 'ever'
  const at = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : at
}
