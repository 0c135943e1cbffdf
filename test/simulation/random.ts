// The chance of a simulation: everything that is drawn comes from one seed, in the order in which it is drawn.

/** Even fractions and whatever is made of them (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** In [0, 1). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1))
  }

  /** True so often. */
  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability
  }

  /** One of them. @throws Error if there is none */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)]
    if (picked === undefined) throw new Error('there is nothing to pick from')
    return picked
  }

  /** One of them, each as often as its weight says. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.fraction() * from.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of from) {
      left -= weight
      if (left < 0) return value
    }
    throw new Error('the weights add up to more than there is')
  }
}
