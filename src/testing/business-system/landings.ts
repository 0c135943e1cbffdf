// Late landings: requests that their callers have given up and that are still on their way, until somebody looks for them.

/** Kept in memory: what is on its way is lost when the business system ends. */
export class Landings {
  readonly #onTheirWay = new Map<string, () => void>()

  add(idempotencyKey: string, land: () => void): void {
    this.#onTheirWay.set(idempotencyKey, land)
  }

  /** Lets those with one of these keys arrive; to be called once the look-up for them has been answered. */
  lookedFor(idempotencyKeys: readonly string[]): void {
    for (const key of idempotencyKeys) {
      const land = this.#onTheirWay.get(key)
      this.#onTheirWay.delete(key)
      land?.()
    }
  }
}
