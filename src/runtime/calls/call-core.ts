// What every operation of the action runner works with.
import type { Reference } from '../../effect/reference.ts'
import type { CallWrite, Change, Clock, EffectWrite, Ids, Store } from '../ports.ts'

/** How long things may take, in milliseconds. */
export interface CallTimes {
  /** When the signal of an operation fires. */
  readonly timeoutMs: number
  /** How much longer an operation that ignores its signal is waited for. */
  readonly graceMs: number
  readonly verifyTimeoutMs: number
  /** For how long nobody else may start what was claimed. */
  readonly claimLeaseMs: number
}

/** The parts of a runner. */
export interface CallCore {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly tenant: Reference
  readonly times: CallTimes
  /** The key of the tenant for request hashes; null for bare ones. */
  readonly tenantKey: () => Promise<Uint8Array | null>
  /** Says something to the host, as a code and a sentence without any value. */
  readonly warn: (code: string, sentence: string) => void
  /** Operations that outlived their time and are still listened to, by the token of their attempt. */
  readonly hearing: Map<string, Promise<void>>
}

/** What a change of a guarded call holds. */
export interface CallChange {
  readonly effect: EffectWrite | null
  readonly call: CallWrite | null
  readonly notAfter?: number
}

/** The change, with an id of its own. */
export function callChange({ ids, tenant }: CallCore, { effect, call, notAfter }: CallChange): Change {
  return {
    changeId: ids.token(),
    tenant,
    notAfter: notAfter ?? null,
    notBefore: null,
    proposals: [],
    effect,
    call,
    approvals: [],
    receipts: [],
    events: [],
  }
}
