// A refund that names its customer: private in the snapshot, shown to approvers, and to be erased one day.
import {
  Action,
  contract,
  type Execute,
  type Executed,
  type Prepare,
  type Resolve,
  type Snapshot,
  type Verify,
} from 'countersign'
import { z } from 'zod'
import { refund, RefundAction } from '../refund-action.ts'

export const personalRefund = contract({
  ...refund,
  schemas: {
    ...refund.schemas,
    snapshot: refund.schemas.snapshot.extend({ customer: z.string() }),
    preview: refund.schemas.preview.extend({ letter: z.string() }),
  },
  permissions: {
    ...refund.permissions,
    read: ['finance-manager', 'support', 'privacy-officer'],
    erase: 'privacy-officer',
  },
})
type PersonalRefund = typeof personalRefund

export class PersonalRefundAction extends Action<PersonalRefund> {
  readonly contract = personalRefund
  readonly #refund: RefundAction
  readonly #customer: string

  /** The customer of every order, as a register of customers would name him. */
  constructor(url: string, customer: string) {
    super()
    this.#refund = new RefundAction(url)
    this.#customer = customer
  }

  async prepare(input: Prepare<PersonalRefund>) {
    const prepared = await this.#refund.prepare(input)
    return { ...prepared, snapshot: { ...prepared.snapshot, customer: this.#customer } }
  }

  preview(snapshot: Snapshot<PersonalRefund>) {
    return { ...this.#refund.preview(snapshot), letter: `Dear ${snapshot.customer}` }
  }

  async resolve(input: Resolve<PersonalRefund>) {
    const resolved = await this.#refund.resolve(input)
    return { ...resolved, current: { ...resolved.current, customer: this.#customer } }
  }

  async execute(input: Execute<PersonalRefund>): Promise<Executed<PersonalRefund>> {
    return this.#refund.execute(input)
  }

  async verify(input: Verify<PersonalRefund>) {
    return this.#refund.verify(input)
  }
}
