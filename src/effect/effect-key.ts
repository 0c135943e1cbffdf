// The identity of an effect, and the idempotency keys under which a target is asked for it.
import { base32, framed, sha256 } from './hash.ts'
import type { Reference } from './reference.ts'

declare const brand: unique symbol

/** What names an effect. The action's version is not part of it (design D1). */
export interface EffectKey {
  readonly tenant: Reference
  /** The action's `namespace/name` unless its definition names another; `call:` and a name for guarded calls. */
  readonly domain: string
  readonly reference: Reference
}

/** The name of an effect towards its target, one for each generation. Made only by {@link idempotencyKey}. */
export type IdempotencyKey = string & { readonly [brand]: 'IdempotencyKey' }

/** Guarded calls live under domains that begin so; effects of proposals never do. Spec: rules R17. */
export const CALL_DOMAIN_PREFIX = 'call:'

/**
 * The same effect as the other kind would name it: a guarded call under the name of a domain, or a proposal's under that
 * domain. Only one of the two may ever be claimed. Spec: rules R17.
 */
export function counterpart(key: EffectKey): EffectKey {
  const isCall = effectKind(key.domain) === 'call'
  return { ...key, domain: isCall ? key.domain.slice(CALL_DOMAIN_PREFIX.length) : `${CALL_DOMAIN_PREFIX}${key.domain}` }
}

const DERIVATION = 'countersign/idempotency/v1'
const STEPS_MAX = 999

/** Which kind of effect lives under a domain. Spec: rules R17. */
export function effectKind(domain: string): 'proposal' | 'call' {
  return domain.startsWith(CALL_DOMAIN_PREFIX) ? 'call' : 'proposal'
}

/**
 * The key for a generation, counted from 1. It is derived from the identity alone and from no secret, so it survives a
 * restore and every rotation of keys. Spec: lifecycle 1, rules R5.
 */
export function idempotencyKey(effect: EffectKey, generation: number): IdempotencyKey {
  if (!Number.isSafeInteger(generation) || generation < 1) throw new TypeError('A generation is an integer from 1')
  const identity = framed([DERIVATION, effect.tenant, effect.domain, effect.reference, String(generation)])
  return `ik_${base32(sha256(identity))}` as IdempotencyKey
}

/** The key of a sub-step of the call, for a target that needs several requests; `step` is 1 to 999. */
export function stepKey(key: IdempotencyKey, step: number): string {
  if (!Number.isInteger(step) || step < 1 || step > STEPS_MAX) throw new TypeError('A step is an integer from 1 to 999')
  return `${key}-${step}`
}
