// What is under test at a provider: how an adapter sends and looks, what it declares, and the double that counts and fails.

/** One request of the adapter. Account and endpoint are among those that the double names; the first if not given. */
export interface ProviderCall<Body> {
  readonly key: string
  readonly body: Body
  readonly account?: string
  readonly endpoint?: string
}

/**
 * What the adapter makes of a request. `refused` and `not_sent` are proof that the effect did not and will not happen;
 * everything that is no proof is `unknown`.
 */
export type Sent =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'refused' | 'not_sent' | 'unknown' }

/** What the adapter makes of a look-up: every effect under the key, nothing, or no answer that counts. */
export type Looked =
  | { readonly kind: 'found'; readonly key: string; readonly ids: readonly string[] }
  | { readonly kind: 'absent' | 'unknown' }

/** What an adapter says about its provider, to be held against what the provider does. */
export interface ProviderDeclaration {
  /** How long the provider remembers a key, in milliseconds. */
  readonly keyLifetimeMs: number
  /** Whether one key is another one in another account, or at another endpoint. */
  readonly keyScope: { readonly perAccount: boolean; readonly perEndpoint: boolean }
  /** After how many milliseconds a look-up shows everything that has landed. */
  readonly settleMs: number
}

/** An adapter of a provider, as far as idempotency and looking back are concerned. */
export interface ProviderAdapter<Body> {
  readonly declares: ProviderDeclaration
  send(call: ProviderCall<Body>): Promise<Sent>
  find(key: string): Promise<Looked>
}

/**
 * What the next request to write meets. The ones with `_after` are answered so after the effect has happened. `refused`: an
 * explicit refusal without effect. `connect_refused`: nothing can be sent at all, until `restore`.
 */
export type SendFault =
  | 'refused'
  | 'connect_refused'
  | 'drop_before_commit'
  | 'reset_after_send'
  | 'tls_close_after'
  | 'status_409_after'
  | 'status_425_after'
  | 'status_429_after'
  | 'status_500_after'
  | 'status_503_after'

/** What the next look-up meets. `blind`: it answers in good health that there is nothing. */
export type FindFault = 'outage' | 'credentials_expired' | 'truncated_page' | 'blind'

/** A request as the provider saw it. */
export interface WireRequest {
  readonly writes: boolean
  readonly key: string | null
}

/** A provider, or its sandbox, in the hands of the test: it counts effects and requests, and fails when it is told to. */
export interface ProviderDouble<Body> {
  /** A body that can be done. */
  body(): Body
  /** Another one that differs in what matters. */
  otherBody(): Body
  readonly accounts: readonly string[]
  readonly endpoints: readonly string[]
  /** The ids of all effects under the key, over all accounts and endpoints. */
  effects(key: string): Promise<readonly string[]>
  /** Every request since the beginning, in order. */
  wire(): Promise<readonly WireRequest[]>
  /** Lets time pass at the provider. */
  advance(ms: number): Promise<void>
  /** Lets requests be sent again. */
  restore(): Promise<void>
  readonly sendFaults: { readonly [F in SendFault]?: () => Promise<void> }
  readonly findFaults: { readonly [F in FindFault]?: () => Promise<void> }
  /** Makes the effect of the key happen again, under the same key. */
  duplicate?(key: string): Promise<void>
  /** Makes so many effects under other keys that the listing goes over several pages. */
  crowd?(): Promise<void>
}
