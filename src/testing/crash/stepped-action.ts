// An action with a step before and after each call into the host; everything else is as it was.
import {
  Action,
  type AnyAction,
  type Caller,
  type CanView,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../proposal/action.ts'
import type { Act, Contract } from '../../proposal/contract.ts'

/** What names and tells the steps. */
interface Steps {
  step<T>(name: string, act: () => Promise<T>): Promise<T>
}

/** Passes every call on to another action, between two steps. */
export class SteppedAction extends Action<Contract> {
  readonly contract: Contract
  readonly #action: AnyAction
  readonly #steps: Steps

  constructor(action: AnyAction, steps: Steps) {
    super()
    this.#action = action
    this.#steps = steps
    this.contract = action.contract
    // An optional method that is not there must not be there.
    if (action.compareFacts) this.compareFacts = (...input) => action.compareFacts?.(...input) ?? false
    if (action.isHeld) this.isHeld = async (input) => (await action.isHeld?.(input)) ?? true
    if (action.fence) this.fence = async (input) => this.#stop('fence', async () => action.fence?.(input))
    if (action.cancel) this.cancel = async (input) => this.#stop('cancel', async () => action.cancel?.(input))
  }

  async prepare(input: Prepare<Contract>): Promise<Prepared<Contract>> {
    return this.#steps.step('prepare', async () => this.#action.prepare(input))
  }

  preview(snapshot: Snapshot<Contract>): Preview<Contract> {
    return this.#action.preview(snapshot)
  }

  async resolve(input: Resolve<Contract>): Promise<Resolved<Contract>> {
    return this.#steps.step('resolve', async () => this.#action.resolve(input))
  }

  async execute(input: Execute<Contract>): Promise<Executed<Contract>> {
    return this.#steps.step('execute', async () => this.#action.execute(input))
  }

  async verify(input: Verify<Contract>): Promise<Verified<Contract>> {
    return this.#steps.step('verify', async () => this.#action.verify(input))
  }

  override can(act: Act, caller: Caller, view: CanView<Contract>): boolean | Promise<boolean> {
    return this.#action.can(act, caller, view)
  }

  async #stop<T>(name: string, act: () => Promise<T | undefined>): Promise<T> {
    const stopped = await this.#steps.step(name, act)
    if (stopped === undefined) throw new TypeError(`${name} went away`)
    return stopped
  }
}
