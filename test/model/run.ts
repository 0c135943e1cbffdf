// One model run: the same commands in one world or in several, checked after every one of them.
import { Checks } from './invariants.ts'
import type { World } from './world.ts'

/** What was seen of all runs together: a campaign that meets only one outcome shows nothing. */
export class Tally {
  readonly counts = new Map<string, number>()

  add(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }
}

/** The worlds differed in what they answered, or in what they then held. Invariant I30. */
export class WorldsDiffer extends Error {
  constructor(command: string, answers: readonly string[]) {
    super(`invariant I30 the stores answer alike: after ${command}\n${differences(answers)}`)
    this.name = 'WorldsDiffer'
  }
}

export class Run {
  readonly worlds: readonly World[]
  readonly #checks: readonly Checks[]
  readonly #tally: Tally

  constructor(worlds: readonly World[], tally: Tally) {
    this.worlds = worlds
    this.#checks = worlds.map((world) => new Checks(world))
    this.#tally = tally
  }

  /** The first world; the others are its likeness. */
  get world(): World {
    const [first] = this.worlds
    if (first === undefined) throw new Error('a run has a world')
    return first
  }

  /** Carries a command out in every world, one after the other, and checks each. */
  async step(command: string, perform: (world: World) => Promise<string>): Promise<string> {
    const answers: string[] = []
    let outcome = ''
    for (const [index, world] of this.worlds.entries()) {
      outcome = await perform(world)
      const ended = world.takeEnded()
      await this.#checks[index]?.all()
      answers.push([outcome, ...ended].join('\n    '))
    }
    if (new Set(answers).size > 1) throw new WorldsDiffer(command, answers)
    this.#count(command, outcome)
    return outcome
  }

  /** Ends the run. */
  async leave(): Promise<void> {
    for (const world of this.worlds) await world.leave()
    const { book } = this.world
    for (const { receipts } of book.proposals.values()) {
      for (const { body } of receipts) if (body !== null) this.#tally.add(`receipt ${body.type}`)
    }
    for (const { proposal, tombstone } of book.proposals.values()) {
      this.#tally.add(`status ${proposal.status}`)
      if (tombstone !== null) this.#tally.add('erased')
    }
    for (const { attempts, observations, settlement } of book.effects.values()) {
      this.#tally.add(`attempts ${attempts.length}`)
      for (const { ending } of attempts) this.#tally.add(`ending ${ending?.kind ?? 'open'}`)
      for (const { answer, verdict } of observations) this.#tally.add(`observed ${answer} ${verdict}`)
      if (settlement !== null) this.#tally.add(`settled ${settlement.verdict}`)
    }
  }

  #count(command: string, outcome: string): void {
    const [name = ''] = command.split(' ', 1)
    const [code = '', detail = ''] = outcome.split(' ', 2)
    this.#tally.add(`${name}: ${code}${code === 'refused' ? ` ${detail}` : ''}`)
    const reason = /"reason":"([a-z_]+)"/u.exec(outcome)?.[1]
    if (reason !== undefined) this.#tally.add(`reason ${reason}`)
  }
}

// The lines in which two of them differ: a dump is long.
function differences(all: readonly string[]): string {
  const one = all.at(-1) ?? ''
  const other = all.find((text) => text !== one) ?? ''
  const [left, right] = [one.split('\n'), other.split('\n')]
  const length = Math.max(left.length, right.length)
  const lines = Array.from({ length }, (_, index) => [left[index] ?? '', right[index] ?? ''] as const)
  const differing = lines.filter(([a, b]) => a !== b).map(([a, b]) => `  ${a.trim()} <> ${b.trim()}`)
  return differing.slice(0, 20).join('\n')
}
