// Reconnects: whenever a store has a new connection, it may be another database that is behind it.

/** Counts the connections of one store. */
export class Reconnects {
  #count = 0

  /** There is a new connection. */
  note(): void {
    this.#count += 1
  }

  get count(): number {
    return this.#count
  }
}
