// A maximum matching of people to requirements: each person meets at most one, each requirement takes its count.

/**
 * Grows with every offer and is a maximum matching after each: whoever was placed stays placed, though perhaps with
 * another requirement. Offers that are made best first are therefore kept best first (the placed people are the greedy
 * basis of a transversal matroid). The same offers in the same order give the same answer.
 */
export class Matching<R extends { readonly count: number }, By> {
  readonly #requirements: readonly R[]
  readonly #options = new Map<string, Map<R, By>>()
  readonly #placed = new Map<string, { readonly requirement: R; readonly by: By }>()

  constructor(requirements: readonly R[]) {
    this.#requirements = requirements
  }

  /**
   * Adds what a person can meet and by what (an option that is there already stays), and says whether one more place
   * is filled now. The new options all end at one person, so it cannot be two.
   */
  offer(person: string, requirements: readonly R[], by: By): boolean {
    const options = this.#options.get(person) ?? new Map<R, By>()
    this.#options.set(person, options)
    for (const requirement of requirements) if (!options.has(requirement)) options.set(requirement, by)
    const asked = new Set<string>()
    return this.#requirements.some((requirement) => this.missing(requirement) > 0 && this.#fill(requirement, asked))
  }

  /** By what a requirement is met so far, oldest placement first. */
  metBy(requirement: R): readonly By[] {
    return [...this.#placed.values()].filter((place) => place.requirement === requirement).map((place) => place.by)
  }

  missing(requirement: R): number {
    return requirement.count - this.metBy(requirement).length
  }

  isPlaced(person: string): boolean {
    return this.#placed.has(person)
  }

  /**
   * The requirement itself and every other one where one more person would free somebody for it. This set does not
   * depend on which of several maximum matchings was found.
   */
  feeders(requirement: R): ReadonlySet<R> {
    const found = new Set([requirement])
    for (const target of found) {
      for (const [person, place] of this.#placed) {
        if (this.#options.get(person)?.has(target)) found.add(place.requirement)
      }
    }
    return found
  }

  // An augmenting path: take a free person, or one whose own requirement can be filled by somebody else. A person asked
  // in vain is not asked again, since nothing has changed for them.
  #fill(requirement: R, asked: Set<string>): boolean {
    for (const [person, options] of this.#options) {
      const by = options.get(requirement)
      if (by === undefined || asked.has(person)) continue
      asked.add(person)
      const place = this.#placed.get(person)
      if (place !== undefined && !this.#fill(place.requirement, asked)) continue
      this.#placed.set(person, { requirement, by })
      return true
    }
    return false
  }
}
