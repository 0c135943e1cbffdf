// The action runner: guarded calls, which need no approval and must not repeat a side effect.
import { ActionInProgressError, ActionNotStartedError, InvalidCallError } from '../../effect/calls/action-error.ts'
import { type ActionReceipt, actionReceipt } from '../../effect/calls/action-receipt.ts'
import type { ActionResult } from '../../effect/calls/action-result.ts'
import { callKey, parseCall } from '../../effect/calls/call-input.ts'
import { parseReference } from '../../effect/reference.ts'
import { deriveTenantKey } from '../../proposal/content/fingerprint.ts'
import type { Clock, Ids, Keyring, Logger, Store } from '../ports.ts'
import { tried } from '../rounds.ts'
import { systemClock } from '../system-clock.ts'
import { systemIds } from '../system-ids.ts'
import type { CallCore, CallTimes } from './call-core.ts'
import { executeCall } from './execute-call.ts'
import { findCall } from './find-call.ts'
import {
  type GuardedCallInput,
  type GuardedOperation,
  type Verifier,
  type VerifyAction,
  verifyOf,
} from './operation.ts'
import { demanded } from './persistence.ts'
import { reconcileCall } from './reconcile-call.ts'
import { recoverPending } from './recover-pending.ts'
import { releaseUnstarted } from './release-unstarted.ts'

/** What a runner is given. */
export interface ActionRunnerOptions extends Partial<CallTimes> {
  /** Shared by everybody who may make the same call: what another store knows does not count. */
  readonly store: Store
  /** `default` by default. */
  readonly tenant?: string
  /** With it request hashes are keyed; without, who knows the form of a small request can guess it by trial. */
  readonly keyring?: Keyring
  /** Hears the warnings; without it they are warnings of the process. */
  readonly logger?: Logger
  readonly clock?: Clock
  readonly ids?: Ids
}

/**
 * Executes side effects of which no two may happen for one key, and says what is known of them: CONFIRMED, FAILED or
 * UNKNOWN, which is allowed to stay UNKNOWN. It cannot make an effect and its record one transaction, so a provider's own
 * idempotency is wanted besides. Spec: harness 1, evidence.
 *
 * ```ts
 * const runner = new ActionRunner({ store: await sqliteStore('actions.db') })
 * const result = await runner.execute('charge_customer',
 *   (call) => provider.charge({ ...call.request, clientReference: call.providerReference }),
 *   { request: { customerId: 'customer_123', amountCents: 2500 }, idempotencyKey: 'order-123',
 *     providerReference: 'order-123', risk: 'financial' })
 * if (result.status === 'UNKNOWN') await runner.reconcile(result.receipt.actionId, verifier)
 * ```
 */
export class ActionRunner {
  readonly #core: CallCore
  readonly #warned = new Set<string>()

  /** @throws TypeError for an option that is not of its form. */
  constructor(options: ActionRunnerOptions) {
    const { store, keyring, tenant = 'default', clock = systemClock, ids = systemIds(), logger } = options
    if (typeof store?.commit !== 'function') throw new TypeError('store is a Store')
    const parsed = parseReference(tenant, '/tenant')
    this.#core = {
      store,
      clock,
      ids,
      tenant: parsed,
      times: {
        timeoutMs: wholeMs('timeoutMs', options.timeoutMs, 30_000),
        graceMs: wholeMs('graceMs', options.graceMs, 5_000),
        verifyTimeoutMs: wholeMs('verifyTimeoutMs', options.verifyTimeoutMs, 30_000),
        claimLeaseMs: wholeMs('claimLeaseMs', options.claimLeaseMs, 60_000),
      },
      tenantKey: async () => (keyring === undefined ? null : deriveTenantKey(await keyring.referenceKey(), parsed)),
      warn: (code, sentence) => {
        if (logger === undefined) process.emitWarning(sentence, { type: 'CountersignWarning', code })
        else logger.warn({ code }, sentence)
      },
      hearing: new Map(),
    }
  }

  /**
   * Calls the operation, at most once for the name and the key over everybody who shares the store, or answers what became
   * of it before. The input is read once; what is not of its form is refused before there is a claim.
   * @throws InvalidCallError, IdempotencyConflictError, ActionInProgressError, ActionClaimLostError, EffectKindConflict
   * @throws ActionHeldError after a restore of the store, until it is acknowledged and settled; nothing was called.
   * @throws ActionPersistenceError if the store failed; look at the ledger before anything else.
   */
  async execute<const R extends object, V>(
    name: string,
    operation: GuardedOperation<R, V>,
    input: GuardedCallInput<R>,
  ): Promise<ActionResult<V>> {
    if (typeof operation !== 'function') throw new InvalidCallError('/operation', 'not_a_function')
    if (typeof input !== 'object' || input === null) throw new InvalidCallError('', 'not_an_object')
    const { request, idempotencyKey, providerReference, risk, metadata, verifier, retryPolicy } = input
    const verify = verifier === undefined ? null : demandVerifier(verifier)
    const raw = { name, request, idempotencyKey, providerReference, risk, metadata, retryPolicy }
    const parsed = parseCall(this.#core.tenant, { ...raw, hasVerifier: verify !== null })
    if (parsed.policy.retryOnUnknown) this.#warnOfUnknown()
    if (parsed.risk !== null && verify === null) this.#warnOfRisk(parsed.name)
    const result = await executeCall(this.#core, {
      input: parsed,
      request: parsed.request as R,
      operation,
      verify,
    })
    return result as ActionResult<V>
  }

  /**
   * Asks a verifier about a completed action and merges its answer; the operation is not called.
   * @throws ActionInProgressError or ActionNotStartedError while it is PENDING, ActionNotFoundError, EffectKindConflict.
   */
  async reconcile(actionId: string, verifier: Verifier): Promise<ActionResult> {
    const verify = demandVerifier(verifier)
    const found = await findCall(this.#core, actionId)
    if (found.claim.state === 'COMPLETED') return reconcileCall(this.#core, found, verify, false)
    if (found.effect.attempts.length === 0) throw new ActionNotStartedError(actionReceipt(found))
    throw new ActionInProgressError(actionReceipt(found), { invoked: 'no', nextStep: 'recover_pending' })
  }

  /**
   * Completes an action that its worker left PENDING after an attempt had started: raises the fence, asks the verifier, and
   * stores what it says. The operation is not called.
   * @throws ActionNotStartedError, ActionNotFoundError, EffectKindConflict, ActionPersistenceError
   */
  async recoverPending(actionId: string, verifier: Verifier): Promise<ActionResult> {
    return recoverPending(this.#core, actionId, demandVerifier(verifier))
  }

  /**
   * Removes a claim under which nothing was started, so that the key may be used again, also for another request.
   * @throws ActionStartedError, ActionNotFoundError, EffectKindConflict, ActionPersistenceError
   */
  async releaseUnstarted(actionId: string): Promise<void> {
    await releaseUnstarted(this.#core, actionId)
  }

  /**
   * The receipt as it is now.
   * @throws ActionNotFoundError, EffectKindConflict
   */
  async receipt(actionId: string): Promise<ActionReceipt> {
    return actionReceipt(await findCall(this.#core, actionId))
  }

  /** The receipt of the action with this name and key; null if the key is free. */
  async find(name: string, idempotencyKey: string): Promise<ActionReceipt | null> {
    const key = callKey(this.#core.tenant, name, idempotencyKey)
    const call = await demanded(() => tried(() => this.#core.store.call(key)), 'no', { receipt: null })
    return call && actionReceipt(call)
  }

  #warnOfUnknown(): void {
    this.#core.warn('retry_on_unknown', 'retryOnUnknown can repeat a side effect unless the provider prevents it.')
  }

  #warnOfRisk(name: string): void {
    if (this.#warned.has(name)) return
    this.#warned.add(name)
    this.#core.warn('risk_without_verifier', 'An action with a risk has no verifier: its response is trusted.')
  }
}

function demandVerifier(verifier: unknown): VerifyAction {
  const verify = verifyOf(verifier)
  if (verify === null) throw new InvalidCallError('/verifier', 'not_a_verifier')
  return verify
}

function wholeMs(name: string, value: number | undefined, otherwise: number): number {
  const ms = value ?? otherwise
  if (!Number.isSafeInteger(ms) || ms < 1) throw new TypeError(`${name} is a whole number of milliseconds from 1`)
  return ms
}
