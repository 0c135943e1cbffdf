// A correct adapter of the provider in process; seeded bugs are what is changed about it.
import type { Looked, ProviderAdapter, ProviderCall, ProviderDeclaration, Sent } from '../../../src/testing.ts'
import {
  type Charge,
  type ChargeBody,
  ConnectionRefused,
  ConnectionReset,
  CONTROL_KEY,
  DAY_MS,
  LAG_MS,
  type Till,
} from './till.ts'

const TRIES = 2

export class TillAdapter implements ProviderAdapter<ChargeBody> {
  readonly till: Till

  constructor(till: Till) {
    this.till = till
  }

  get declares(): ProviderDeclaration {
    return { keyLifetimeMs: DAY_MS, keyScope: { perAccount: true, perEndpoint: false }, settleMs: LAG_MS }
  }

  /** Tries once more by itself, under the same key; what was ambiguous once stays so unless it is accepted. */
  async send(call: ProviderCall<ChargeBody>): Promise<Sent> {
    let sent: Sent = { kind: 'unknown' }
    let isAmbiguous = false
    for (let tried = 0; tried < TRIES; tried += 1) {
      sent = await this.once(call, tried)
      if (sent.kind === 'accepted' || sent.kind === 'refused')
        return isAmbiguous && sent.kind === 'refused' ? { kind: 'unknown' } : sent
      isAmbiguous ||= sent.kind === 'unknown'
    }
    return isAmbiguous ? { kind: 'unknown' } : sent
  }

  async once(call: ProviderCall<ChargeBody>, _tried: number): Promise<Sent> {
    try {
      const { status, id } = await this.till.post(call)
      if (id !== null && status < 300) return { kind: 'accepted', id }
      return this.refusal(status)
    } catch (error) {
      return this.failure(error)
    }
  }

  /** Of all answers one is a refusal: declined. A key that is in use says nothing about its effect. */
  refusal(status: number): Sent {
    return { kind: status === 402 ? 'refused' : 'unknown' }
  }

  failure(error: unknown): Sent {
    if (error instanceof ConnectionRefused) return { kind: 'not_sent' }
    if (error instanceof ConnectionReset) return { kind: 'unknown' }
    throw error
  }

  async find(key: string): Promise<Looked> {
    const charges = await this.all().catch((error: unknown) => {
      if (error instanceof ConnectionReset) return null
      throw error
    })
    // Whoever does not see what is always there sees nothing.
    if (charges === null || !this.canSee(charges)) return { kind: 'unknown' }
    return this.told(
      key,
      charges.filter((charge) => this.isAskedFor(charge, key)),
    )
  }

  /** Every charge, or null where not every one was shown. */
  async all(): Promise<readonly Charge[] | null> {
    const charges: Charge[] = []
    let total = 0
    for (let from: number | null = 0; from !== null; ) {
      const page = await this.till.list(from)
      if (page.status !== 200) return null
      charges.push(...page.items)
      total = page.total
      from = page.next
    }
    return charges.length === total ? charges : null
  }

  canSee(charges: readonly Charge[]): boolean {
    return charges.some(({ key }) => key === CONTROL_KEY)
  }

  isAskedFor(charge: Charge, key: string): boolean {
    return charge.key === key
  }

  told(_key: string, [first, ...more]: readonly Charge[]): Looked {
    if (first === undefined) return { kind: 'absent' }
    return { kind: 'found', key: first.key, ids: [first, ...more].map(({ id }) => id) }
  }
}
