// The action of the proposal checks: a charge at the fake provider, decided on a version of an order that others change.
import { z } from 'zod'
import {
  Action,
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
  type Stop,
  type Stopped,
  type Verified,
  type Verify,
} from '../../../proposal/action.ts'
import { type Act, contract } from '../../../proposal/contract.ts'
import { money } from '../../../proposal/money.ts'
import type { Charge } from '../../payments/payment-books.ts'
import type { ChargeLookUp } from '../../payments/charge-look-up.ts'
import type { FakePaymentProvider } from '../../payments/payment-provider.ts'

const participants = ['support', 'finance-manager', 'privacy-officer'] as const

/** The contract; its times are the library's own defaults where none is named. */
export const charge = contract({
  type: 'countersign.safety/charge@1',
  schemas: {
    command: z.strictObject({ order: z.string(), intent: z.string(), amount: money() }),
    snapshot: z.strictObject({ order: z.string(), orderVersion: z.int(), amount: money() }),
    preview: z.strictObject({ title: z.string(), order: z.string(), amount: money() }),
    result: z.strictObject({ chargeId: z.string() }),
  },
  lifetime: '3d',
  policy: { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] },
  permissions: {
    prepare: ['support', 'finance-manager'],
    read: participants,
    decide: 'finance-manager',
    execute: ['support', 'finance-manager'],
    reconcile: ['support', 'finance-manager'],
    observe: 'announcer',
    erase: 'privacy-officer',
  },
  facts: ['/order', '/amount'],
  acceptProof: { failure: ['terminal', 'settled'], resend: ['terminal', 'settled'] },
  target: { name: 'fake-payment-provider', idempotent: { keyLifetime: '24h' } },
})

export type ChargeContract = typeof charge

/** What happens around the action, as a script has it. */
export interface Happenings {
  /** After the state was read, and before the runtime hears of it. */
  afterResolve: () => Promise<void> | void
  /** In place of what the executor would do, which is handed over. */
  execute: (sound: () => Promise<Executed<ChargeContract>>) => Promise<Executed<ChargeContract>>
  /** What the verifier rests a final absence on. */
  proof: 'terminal' | 'settled'
  /** Whether a fresh proposal is offered when the order has moved. */
  offersReplacement: boolean
}

/** The business: the order that a charge is decided on. */
export interface Business {
  orderVersion: number
  /** Who may no longer decide, whatever their session says. */
  readonly barred: Set<string>
}

/** Charges once per idempotency key, and only on the version of the order that was approved. */
export class ChargeAction extends Action<ChargeContract> {
  readonly contract = charge
  readonly business: Business = { orderVersion: 7, barred: new Set() }
  readonly happenings: Happenings = {
    afterResolve: () => {},
    execute: (sound) => sound(),
    proof: 'terminal',
    offersReplacement: false,
  }
  readonly #provider: FakePaymentProvider

  constructor(provider: FakePaymentProvider) {
    super()
    this.#provider = provider
  }

  override can(act: Act, caller: Caller, view: CanView<ChargeContract>): boolean | Promise<boolean> {
    if (act === 'decide' && this.business.barred.has(caller.principal.id)) return false
    return super.can(act, caller, view)
  }

  async prepare({ command, effect }: Prepare<ChargeContract>): Promise<Prepared<ChargeContract>> {
    const { order, intent, amount } = command
    const snapshot = { order, orderVersion: this.business.orderVersion, amount }
    return { snapshot, effectReference: effect.derive('charge', order, intent) }
  }

  preview({ order, amount }: Snapshot<ChargeContract>): Preview<ChargeContract> {
    return { title: 'Charge', order, amount }
  }

  async resolve({ snapshot }: Resolve<ChargeContract>): Promise<Resolved<ChargeContract>> {
    const { orderVersion } = this.business
    const current = { ...snapshot, orderVersion }
    await this.happenings.afterResolve()
    const precondition = `order-version:${orderVersion}`
    return { current, precondition, ...(this.happenings.offersReplacement ? { replacement: current } : {}) }
  }

  async execute(input: Execute<ChargeContract>): Promise<Executed<ChargeContract>> {
    return this.happenings.execute(async () => this.#charge(input))
  }

  async verify({ idempotencyKeys, covers, signal }: Verify<ChargeContract>): Promise<Verified<ChargeContract>> {
    const looks: ChargeLookUp[] = []
    let isFinal = true
    for (const key of idempotencyKeys) {
      const { count, lastEndedAt } = this.#provider.inFlight(key)
      const look = await this.#provider.lookUp(key, signal)
      isFinal &&= count === 0 && (lastEndedAt === null || look.asOf >= lastEndedAt)
      looks.push(look)
    }
    if (looks.some(({ control, isComplete }) => control === 'missing' || !isComplete)) {
      return { status: 'target_unavailable', reason: 'unsound_read' }
    }
    // What was looked up is what is echoed, whatever had been asked for.
    const identity = looks.map(({ clientReference }) => clientReference)
    const found = looks.flatMap(({ charges }) => charges).filter((one) => identity.includes(one.clientReference))
    const first = found.find(({ state }) => state !== 'failed')
    if (first !== undefined) return completion(first, found.length)
    const [refused] = found
    if (refused !== undefined) {
      return { status: 'verified_terminal_failure', identity: refused.clientReference, attempt: covers.to }
    }
    return isFinal
      ? { status: 'authoritative_final_absence', identity, proof: this.happenings.proof }
      : { status: 'provisional_absence', identity }
  }

  override async fence({ idempotencyKeys, epoch }: Stop<ChargeContract>): Promise<Stopped> {
    for (const key of idempotencyKeys) this.#provider.raiseFence(key, epoch)
    return { acknowledged: true }
  }

  async #charge(input: Execute<ChargeContract>): Promise<Executed<ChargeContract>> {
    const { snapshot, precondition, idempotencyKey, epoch, signal, markSending } = input
    // Nothing comes between the check and the request: the two are one step of the business.
    if (precondition !== `order-version:${this.business.orderVersion}`) return { status: 'stale_no_effect' }
    markSending()
    const answer = await this.#provider.charge({
      customerId: snapshot.order,
      amountCents: centsOf(snapshot.amount.amount),
      clientReference: idempotencyKey,
      idempotencyKey,
      epoch,
      signal,
    })
    if (answer.chargeId === null) return { status: 'failed_unknown', reason: 'error_inside' }
    return { status: 'accepted', externalReference: answer.chargeId, result: { chargeId: answer.chargeId } }
  }
}

function completion({ clientReference, customerId, amountCents, chargeId, bookedAt, state }: Charge, matches: number) {
  return {
    status: state === 'reversed' ? 'reversed_after_completion' : 'verified_completion',
    identity: clientReference,
    matches,
    facts: { '/order': customerId, '/amount': { amount: decimalOf(amountCents), currency: 'EUR' } },
    externalReference: chargeId,
    result: { chargeId },
    occurredAt: bookedAt,
  } as const satisfies Verified<ChargeContract>
}

function centsOf(amount: string): number {
  return Number(amount.replace('.', ''))
}

function decimalOf(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}
