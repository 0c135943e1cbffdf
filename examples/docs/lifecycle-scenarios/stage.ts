// The stage: a real business system, a real file for the runtime, and one time for both that only the stories move.
import { join } from 'node:path'
import { type Keyring, keyringFile, ProposalRuntime, type Store } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { type BusinessSystem, startBusinessSystem, VirtualClock } from 'countersign/testing'
import type { RefundAction } from '../refund-action.ts'

export class Stage {
  /** A process of its own, over HTTP; every order in it is captured 100.00 EUR with 20.00 refunded. */
  readonly business: BusinessSystem
  readonly clock: VirtualClock
  readonly #store: Store
  readonly #keyring: Keyring
  #ordersHandedOut = 0

  private constructor(business: BusinessSystem, clock: VirtualClock, store: Store, keyring: Keyring) {
    this.business = business
    this.clock = clock
    this.#store = store
    this.#keyring = keyring
  }

  /** All files lie in the folder. */
  static async open(folder: string): Promise<Stage> {
    const clock = new VirtualClock(Date.UTC(2030, 0, 1))
    const business = await startBusinessSystem({ file: join(folder, 'business.db'), now: clock.now() })
    const store = await sqliteStore(join(folder, 'countersign.db'), { clock })
    const keyring = await keyringFile(join(folder, 'countersign.keys'), { create: true })
    return new Stage(business, clock, store, keyring)
  }

  /** A runtime for one story, with the refund as that story needs it. */
  async runtime(action: RefundAction): Promise<ProposalRuntime> {
    return ProposalRuntime.open({ store: this.#store, keyring: this.#keyring, clock: this.clock, actions: [action] })
  }

  /** An order that no other story touches. */
  newOrder(): string {
    this.#ordersHandedOut += 1
    return `ORD-${1_000 + this.#ordersHandedOut}`
  }

  /** Lets time pass, for the runtime and its store and for the business system alike. */
  async letPass(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await this.business.setTime(this.clock.now())
  }

  /** How many refunds of the order stand in the books. */
  async refundsOf(order: string): Promise<number> {
    const booked = (await this.business.effects()).filter(({ orderReference }) => orderReference === order)
    return booked.reduce((sum, { count }) => sum + count, 0)
  }

  /** How often the business system has been asked to refund the order. */
  async attemptsOn(order: string): Promise<number> {
    const posted = (await this.business.requests()).filter(({ method }) => method === 'POST')
    return posted.filter(({ body }) => refersTo(body, order)).length
  }

  async close(): Promise<void> {
    await this.#store.close()
    await this.business.stop()
  }
}

function refersTo(body: unknown, order: string): boolean {
  return typeof body === 'object' && body !== null && 'orderReference' in body && body.orderReference === order
}
