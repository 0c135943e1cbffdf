// What a guarded call is given, read once and strictly: anything that is not of its form is refused before a claim exists.
import {
  canonicalJson,
  type CanonicalJsonError,
  isPlainObject,
  type JsonValue,
  parseCanonicalJson,
} from '../canonical-json.ts'
import { CALL_DOMAIN_PREFIX, type EffectKey } from '../effect-key.ts'
import { framed, hmacSha256, sha256, toBase64Url } from '../hash.ts'
import { limits } from '../limits.ts'
import { type MalformedValueError, parseReasonCode, parseReference, type Reference } from '../reference.ts'
import { InvalidCallError } from './action-error.ts'
import { RetryPolicy } from './retry-policy.ts'

/** The names that receipts use for themselves, which metadata must not have at its top. Spec: evidence 5.4. */
export const RESERVED_METADATA: readonly string[] = [
  'attempt_history',
  'attempt_records',
  'provider',
  'provider_request_id_conflict',
  'provider_request_ids',
  'recovery',
  'verification',
  'verification_conflict',
  'verification_observations',
]

/** Risks for which a call of unknown outcome is never made again, whatever the policy says. Spec: harness 1. */
const RISKS_WITHOUT_RETRY: ReadonlySet<string> = new Set(['financial', 'irreversible'])

/** The call as the caller gave it, untrusted. */
export interface RawCall {
  readonly name: unknown
  readonly request: unknown
  readonly idempotencyKey: unknown
  readonly providerReference: unknown
  readonly risk: unknown
  readonly metadata: unknown
  readonly retryPolicy: unknown
  readonly hasVerifier: boolean
}

/** The call, read. */
export interface CallInput {
  readonly key: EffectKey
  readonly name: string
  /** A deeply frozen copy, which is what was hashed and what the operation receives. */
  readonly request: JsonValue
  readonly requestText: string
  readonly providerReference: Reference | null
  readonly risk: string | null
  /** Canonical JSON of an object. */
  readonly metadata: string
  readonly policy: RetryPolicy
}

/**
 * Reads a call. The request and the metadata are copied once, and nothing of the caller's is looked at again.
 * Spec: evidence 5.
 * @throws InvalidCallError with the path and the rule; never with a value.
 */
export function parseCall(tenant: Reference, raw: RawCall): CallInput {
  const key = callKey(tenant, raw.name, raw.idempotencyKey)
  const requestText = objectText(raw.request, '/request')
  const providerReference = optional(raw.providerReference, (value) => parseReference(value, '/providerReference'))
  if (raw.hasVerifier && providerReference === null) {
    throw new InvalidCallError('/providerReference', 'required_with_verifier')
  }
  const risk = optional(raw.risk, (value) => parseReasonCode(value, '/risk'))
  return {
    key,
    name: key.domain.slice(CALL_DOMAIN_PREFIX.length),
    request: parseCanonicalJson(requestText),
    requestText,
    providerReference,
    risk,
    metadata: metadataText(raw.metadata),
    policy: parsePolicy(raw.retryPolicy, risk),
  }
}

function parsePolicy(policy: unknown, risk: string | null): RetryPolicy {
  if (policy === undefined) return new RetryPolicy()
  if (!RetryPolicy.isRetryPolicy(policy)) throw new InvalidCallError('/retryPolicy', 'not_a_retry_policy')
  if (policy.retryOnUnknown && risk !== null && RISKS_WITHOUT_RETRY.has(risk)) {
    throw new InvalidCallError('/retryPolicy/retryOnUnknown', 'refused_for_risk')
  }
  return policy
}

/**
 * The identity of a guarded call: its name and its key inside a tenant. Spec: rules R17.
 * @throws InvalidCallError
 */
export function callKey(tenant: Reference, name: unknown, idempotencyKey: unknown): EffectKey {
  const parsed = malformed(() => parseReference(name, '/name'))
  if (parsed.startsWith(CALL_DOMAIN_PREFIX)) {
    throw new InvalidCallError('/name', 'call_prefix')
  }
  const reference = malformed(() => parseReference(idempotencyKey, '/idempotencyKey'))
  return { tenant, domain: `${CALL_DOMAIN_PREFIX}${parsed}`, reference }
}

/**
 * The digest of a canonical request: SHA-256 in hex, which who knows the form of a small request can guess by trial; with a
 * key, an HMAC that nobody can. Spec: evidence 5.1.
 */
export function requestHash(requestText: string, tenantKey: Uint8Array | null): string {
  if (tenantKey === null) return Buffer.from(sha256(Buffer.from(requestText))).toString('hex')
  const digest = hmacSha256(tenantKey, framed(['countersign/call-request/v1', requestText]))
  return `h1_${toBase64Url(digest)}`
}

function metadataText(metadata: unknown): string {
  if (metadata === undefined) return '{}'
  const text = objectText(metadata, '/metadata')
  const reserved = Object.keys(parseCanonicalJson(text) as object).find((name) => RESERVED_METADATA.includes(name))
  if (reserved !== undefined) throw new InvalidCallError(`/metadata/${reserved}`, 'reserved')
  if (text.length > limits.callMetadataCharacters) {
    throw new InvalidCallError('/metadata', 'callMetadataCharacters')
  }
  return text
}

function objectText(value: unknown, path: string): string {
  if (!isPlainObject(value)) throw new InvalidCallError(path, 'not_an_object')
  try {
    return canonicalJson(value, { numbers: 'finite' })
  } catch (error) {
    // No code of the caller's runs in there, so nothing else is thrown.
    const { pointer, limit, rule } = error as CanonicalJsonError
    throw new InvalidCallError(`${path}${pointer}`, limit ?? rule)
  }
}

function optional<Parsed>(value: unknown, parse: (value: unknown) => Parsed): Parsed | null {
  return value === undefined ? null : malformed(() => parse(value))
}

function malformed<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse()
  } catch (error) {
    const { pointer, rule } = error as MalformedValueError
    throw new InvalidCallError(pointer, rule)
  }
}
