// A store with somebody in between: every call passes through a function that may delay, fail or lose it.
import type { Change, Deliveries, Store } from '../runtime/ports.ts'

/** What stands around every call of the store. `change` is there for commits only. */
export type Around = <T>(name: keyof Store, call: () => Promise<T>, change: Change | null) => Promise<T>

/** Passes every call of another store through `around`. */
export class InterceptedStore implements Store {
  readonly deliveries: Deliveries
  readonly #store: Store
  readonly #around: Around

  constructor(store: Store, around: Around) {
    this.#store = store
    this.#around = around
    const { deliveries } = store
    this.deliveries = {
      endpoints: async (...input) => around('deliveries', () => deliveries.endpoints(...input), null),
      enqueue: async (...input) => around('deliveries', () => deliveries.enqueue(...input), null),
      events: async (...input) => around('deliveries', () => deliveries.events(...input), null),
      claim: async (...input) => around('deliveries', () => deliveries.claim(...input), null),
      settle: async (...input) => around('deliveries', () => deliveries.settle(...input), null),
      dead: async (...input) => around('deliveries', () => deliveries.dead(...input), null),
      replay: async (...input) => around('deliveries', () => deliveries.replay(...input), null),
    }
  }

  async commit(change: Change): ReturnType<Store['commit']> {
    return this.#around('commit', () => this.#store.commit(change), change)
  }
  async now(): ReturnType<Store['now']> {
    return this.#around('now', () => this.#store.now(), null)
  }
  async proposal(...input: Parameters<Store['proposal']>): ReturnType<Store['proposal']> {
    return this.#around('proposal', () => this.#store.proposal(...input), null)
  }
  async effect(...input: Parameters<Store['effect']>): ReturnType<Store['effect']> {
    return this.#around('effect', () => this.#store.effect(...input), null)
  }
  async call(...input: Parameters<Store['call']>): ReturnType<Store['call']> {
    return this.#around('call', () => this.#store.call(...input), null)
  }
  async callById(...input: Parameters<Store['callById']>): ReturnType<Store['callById']> {
    return this.#around('callById', () => this.#store.callById(...input), null)
  }
  async attemptDetail(...input: Parameters<Store['attemptDetail']>): ReturnType<Store['attemptDetail']> {
    return this.#around('attemptDetail', () => this.#store.attemptDetail(...input), null)
  }
  async effectByIdempotencyKey(
    ...input: Parameters<Store['effectByIdempotencyKey']>
  ): ReturnType<Store['effectByIdempotencyKey']> {
    return this.#around('effectByIdempotencyKey', () => this.#store.effectByIdempotencyKey(...input), null)
  }
  async byRequestKey(...input: Parameters<Store['byRequestKey']>): ReturnType<Store['byRequestKey']> {
    return this.#around('byRequestKey', () => this.#store.byRequestKey(...input), null)
  }
  async list(...input: Parameters<Store['list']>): ReturnType<Store['list']> {
    return this.#around('list', () => this.#store.list(...input), null)
  }
  async due(...input: Parameters<Store['due']>): ReturnType<Store['due']> {
    return this.#around('due', () => this.#store.due(...input), null)
  }
  async erasuresOpen(...input: Parameters<Store['erasuresOpen']>): ReturnType<Store['erasuresOpen']> {
    return this.#around('erasuresOpen', () => this.#store.erasuresOpen(...input), null)
  }
  async receipts(...input: Parameters<Store['receipts']>): ReturnType<Store['receipts']> {
    return this.#around('receipts', () => this.#store.receipts(...input), null)
  }
  async events(...input: Parameters<Store['events']>): ReturnType<Store['events']> {
    return this.#around('events', () => this.#store.events(...input), null)
  }
  async adopt(...input: Parameters<Store['adopt']>): ReturnType<Store['adopt']> {
    return this.#around('adopt', () => this.#store.adopt(...input), null)
  }
  async restore(): ReturnType<Store['restore']> {
    return this.#around('restore', () => this.#store.restore(), null)
  }
  async acknowledgeRestore(...input: Parameters<Store['acknowledgeRestore']>): ReturnType<Store['acknowledgeRestore']> {
    return this.#around('acknowledgeRestore', () => this.#store.acknowledgeRestore(...input), null)
  }
  async erasuresUndone(): ReturnType<Store['erasuresUndone']> {
    return this.#around('erasuresUndone', () => this.#store.erasuresUndone(), null)
  }
  async tenants(): ReturnType<Store['tenants']> {
    return this.#around('tenants', () => this.#store.tenants(), null)
  }
  async keysNotUnder(...input: Parameters<Store['keysNotUnder']>): ReturnType<Store['keysNotUnder']> {
    return this.#around('keysNotUnder', () => this.#store.keysNotUnder(...input), null)
  }
  async rewrap(...input: Parameters<Store['rewrap']>): ReturnType<Store['rewrap']> {
    return this.#around('rewrap', () => this.#store.rewrap(...input), null)
  }
  async standing(...input: Parameters<Store['standing']>): ReturnType<Store['standing']> {
    return this.#around('standing', () => this.#store.standing(...input), null)
  }
  async scrub(): ReturnType<Store['scrub']> {
    return this.#around('scrub', () => this.#store.scrub(), null)
  }
  async health(): ReturnType<Store['health']> {
    return this.#around('health', () => this.#store.health(), null)
  }
  async close(): ReturnType<Store['close']> {
    return this.#around('close', () => this.#store.close(), null)
  }
}
