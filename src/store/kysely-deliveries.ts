// The books of delivery over a database, run by whichever engine.
import type { Kysely } from 'kysely'
import type { Reference } from '../effect/reference.ts'
import type { Claimed, DeadLetter, Deliveries, Delivery, EndpointProgress, StoredEvent } from '../runtime/ports.ts'
import { alone, type Engine } from './engine.ts'
import type { Operation } from './operation.ts'
import { type DeliveryReader, deliveryReader } from './reads/delivery-reader.ts'
import type { ReadTime } from './store-time.ts'
import type { Tables } from './tables.ts'
import { type DeliveryWriter, deliveryWriter } from './writes/delivery-writer.ts'

type Claims = Awaited<ReturnType<Deliveries['claim']>>

/** The one implementation for all databases. A write that did nothing is kept like one that did: there is nothing in it. */
export class KyselyDeliveries implements Deliveries {
  readonly #engine: Engine
  readonly #reader: DeliveryReader
  readonly #writer: DeliveryWriter

  constructor(db: Kysely<Tables>, engine: Engine, time: ReadTime) {
    this.#engine = engine
    this.#reader = deliveryReader(db)
    this.#writer = deliveryWriter(db, time)
  }

  async endpoints(tenant: Reference): Promise<readonly EndpointProgress[]> {
    return this.#engine.read(() => this.#reader.endpoints(tenant))
  }

  async events(...range: Parameters<Deliveries['events']>): Promise<readonly StoredEvent[]> {
    return this.#engine.read(() => this.#reader.events(...range))
  }

  async dead(...page: Parameters<Deliveries['dead']>): Promise<readonly DeadLetter[]> {
    return this.#engine.read(() => this.#reader.dead(...page))
  }

  async enqueue(step: Parameters<Deliveries['enqueue']>[0]): Promise<boolean> {
    return this.#write(() => this.#writer.enqueue(step))
  }

  async claim(input: Parameters<Deliveries['claim']>[0]): Promise<Claims> {
    return this.#write(() => this.#writer.claim(input))
  }

  async settle(claimed: Claimed, outcome: Parameters<Deliveries['settle']>[1]): Promise<Delivery | null> {
    return this.#write(() => this.#writer.settle(claimed, outcome))
  }

  async replay(...what: Parameters<Deliveries['replay']>): Promise<number> {
    return this.#write(() => this.#writer.replay(...what))
  }

  async #write<Result>(operation: () => Operation<Result>): Promise<Result> {
    return this.#engine.write(alone(operation))
  }
}
