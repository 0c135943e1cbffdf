// The result of a guarded call: its status and receipt, and a value that can only be read where it may be relied on.
import { ResultValueUnavailableError, UnresolvedActionError } from './action-error.ts'
import type { ActionReceipt } from './action-receipt.ts'
import type { ActionStatus } from './guarded-call.ts'
import { type CallValue, readableValue } from './readable-value.ts'

/** What became of a guarded call. Spec: harness 1, evidence 3.6. */
export class ActionResult<V = unknown> {
  readonly status: ActionStatus
  readonly receipt: ActionReceipt
  /** The call was made before, and its receipt is answered; the operation was not invoked. */
  readonly replayed: boolean
  readonly #value: CallValue

  constructor(receipt: ActionReceipt, replayed: boolean, value: CallValue) {
    if (receipt.finalStatus === null) throw new TypeError('a result is that of a completed action')
    this.status = receipt.finalStatus
    this.receipt = receipt
    this.replayed = replayed
    this.#value = value
    Object.freeze(this)
  }

  /**
   * What the operation returned or the verifier recovered. It is never stored.
   * @throws UnresolvedActionError while the action is FAILED or UNKNOWN.
   * @throws ResultValueUnavailableError if there is none, or it belongs to another request than the one on record.
   */
  get value(): V {
    const { providerRequestId: retained, providerRequestIdConflict: conflict } = this.receipt
    const readable = readableValue(this.status, this.#value, { retained, conflict })
    if (readable === 'unresolved') throw new UnresolvedActionError(this.receipt, this.status)
    if (readable === 'unavailable' || this.#value.source === 'none') throw new ResultValueUnavailableError(this.receipt)
    return this.#value.value as V
  }
}
