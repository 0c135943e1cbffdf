// The action as a machine runs it: that of the model for each tenant, and whoever answers takes a turn.
import { Action } from '../../src/proposal/action.ts'
import type {
  Caller,
  Execute,
  Executed,
  Prepare,
  Prepared,
  Preview,
  Resolve,
  Resolved,
  Snapshot,
  Stop,
  Stopped,
  Verified,
  Verify,
} from '../../src/proposal/action.ts'
import type { Act } from '../../src/proposal/contract.ts'
import { StoppingAction } from '../model/action.ts'
import type { Payment } from '../model/payment.ts'
import type { Machine } from './machine.ts'
import type { Tenant } from './tenant.ts'
import type { Trouble } from './trouble.ts'

interface Parts {
  readonly contract: Payment
  readonly machine: Machine
  readonly tenants: readonly Tenant[]
  readonly trouble: Trouble
}

/** The action of one machine. */
export function simulatedAction(parts: Parts): Action<Payment> {
  return parts.tenants.some(({ profile }) => profile.stops)
    ? new SimulatedStoppingAction(parts)
    : new SimulatedAction(parts)
}

class SimulatedAction extends Action<Payment> {
  readonly contract: Payment
  readonly #machine: Machine
  readonly #trouble: Trouble
  readonly #tenants: ReadonlyMap<string, Tenant>
  readonly #inner: ReadonlyMap<string, StoppingAction>

  constructor({ contract, machine, tenants, trouble }: Parts) {
    super()
    this.contract = contract
    this.#machine = machine
    this.#trouble = trouble
    this.#tenants = new Map(tenants.map((tenant) => [tenant.tenant, tenant]))
    this.#inner = new Map(
      tenants.map((tenant) => {
        const target = tenant.targets.get(contract.type)
        if (target === undefined) throw new Error(`${contract.type} has no target`)
        const around = tenant.aroundOf(machine)
        return [tenant.tenant, new StoppingAction({ contract, target, around, instance: machine.instance })]
      }),
    )
  }

  override async can(act: Act, caller: Caller): Promise<boolean> {
    if (act === 'decide' && this.#trouble.strikes('directory down')) throw new Error('the directory does not answer')
    return this.of(caller).can(act, caller)
  }

  async prepare(input: Prepare<Payment>): Promise<Prepared<Payment>> {
    return this.answered('prepared', this.of(input.context).prepare(input))
  }

  preview(snapshot: Snapshot<Payment>): Preview<Payment> {
    const [any] = this.#inner.values()
    if (any === undefined) throw new Error('a simulation has a tenant')
    return any.preview(snapshot)
  }

  async resolve(input: Resolve<Payment>): Promise<Resolved<Payment>> {
    const { tenant, proposal } = input.context
    const answer = await this.answered('resolved', this.of(input.context).resolve(input))
    const { replacement } = answer
    if (replacement !== undefined) this.#tenants.get(tenant)?.offer(this.#machine.instance, proposal, replacement)
    return answer
  }

  async execute(input: Execute<Payment>): Promise<Executed<Payment>> {
    return this.answered('executed', this.of(input.context).execute(input))
  }

  async verify(input: Verify<Payment>): Promise<Verified<Payment>> {
    return this.answered('verified', this.of(input.context).verify(input))
  }

  protected of({ tenant }: { readonly tenant: string }): StoppingAction {
    const inner = this.#inner.get(tenant)
    if (inner === undefined) throw new Error('the action was asked about a tenant that there is not')
    return inner
  }

  /** What was asked of the host begins at once; its answer, and its failure, take a turn. */
  protected async answered<T>(label: string, asked: Promise<T>): Promise<T> {
    try {
      return await asked
    } finally {
      await this.#machine.pause(label)
    }
  }
}

class SimulatedStoppingAction extends SimulatedAction {
  override async fence(input: Stop<Payment>): Promise<Stopped> {
    return this.answered('fenced', this.of(input.context).fence(input))
  }

  override async cancel(input: Stop<Payment>): Promise<Stopped> {
    return this.answered('cancelled', this.of(input.context).cancel(input))
  }
}
