// Host trouble: a call of the action that went wrong is told to its host, and to nobody else.
import type { Core } from './core.ts'

/** A call of an action's method. */
export interface MethodCall {
  readonly method: string
  /** The proposal that it was about; null before there is one. */
  readonly proposal: string | null
}

/**
 * Receives what the host's own code threw, or an error that says how its call went wrong. The host gets its own error:
 * the library never logs it, shows it or stores it in clear. What this throws is ignored.
 */
export type OnHostError = (error: unknown, call: MethodCall) => void

/** What went wrong with a call. */
export type Trouble =
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timed_out'; readonly error?: unknown }
  | { readonly kind: 'malformed'; readonly error?: unknown }

/** Hands the trouble to the host, and logs its kind; neither can stand in the way of the operation. */
export function hostTrouble(core: Pick<Core, 'logger' | 'onHostError'>, call: MethodCall, trouble: Trouble): void {
  const { method, proposal } = call
  const fields = { proposal, method, trouble: trouble.kind }
  ignoringFailure(() => core.logger.warn(fields, 'a call of the action failed'))
  ignoringFailure(() => core.onHostError?.(errorOf(call, trouble), { method, proposal }))
}

/** Likewise for a call that did not return; one that did is for its caller to judge. */
export function troubleUnlessReturned(
  core: Core,
  call: MethodCall,
  ended: { readonly kind: 'returned' } | Exclude<Trouble, { kind: 'malformed' }>,
): void {
  if (ended.kind !== 'returned') hostTrouble(core, call, ended)
}

// A host's function may throw at once, or reject later.
function ignoringFailure(call: () => unknown): void {
  new Promise<unknown>((resolve) => {
    resolve(call())
  }).catch(() => {})
}

function errorOf({ method }: MethodCall, trouble: Trouble): unknown {
  switch (trouble.kind) {
    case 'threw':
      return trouble.error
    case 'timed_out':
      return trouble.error ?? new Error(`${method} did not answer within its limit.`)
    case 'malformed':
      return trouble.error ?? new TypeError(`${method} answered something that is not of its form.`)
  }
}
