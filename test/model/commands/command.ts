// What a command of the model is: what it needs, how it is drawn, what it does, and what must come of it.
import { fc } from '@fast-check/vitest'
import type { OperationResult } from '../../../src/runtime/result.ts'
import type { Expected } from '../expected.ts'
import type { Run } from '../run.ts'
import type { World } from '../world.ts'

/** A kind of command. `A` is what one of them is drawn with. */
export interface CommandKind<A> {
  readonly name: string
  /** How often it is drawn, beside the others. */
  readonly weight: number
  readonly needsProposal: boolean
  readonly args: fc.Arbitrary<A>
  /** Carries it out in one world and tells what came of it, without anything that chance alone decides. */
  readonly perform: (world: World, args: A) => Promise<string>
  /** The outcomes that are possible as far as the simple model knows; null where it does not. */
  readonly expect?: (expected: Expected, args: A) => readonly string[] | null
  /** What the simple model makes of it. */
  readonly learn?: (expected: Expected, args: A, outcome: string) => void
}

/** A kind of command without its arguments' type, as a list holds it. */
export interface DrawnCommand {
  readonly weight: number
  readonly steps: fc.Arbitrary<Step>
}

/** A kind of command that can also be given its arguments. */
export interface Command<A> extends DrawnCommand {
  step(args: A): Step
}

/** A command of a run, as fast-check carries it out. */
export type Step = fc.AsyncCommand<Expected, Run>

/** Makes a kind of command drawable. */
export function command<A>(kind: CommandKind<A>): Command<A> {
  const step = (args: A): Step => new DrawnStep(kind, args)
  return { weight: kind.weight, steps: kind.args.map(step), step }
}

class DrawnStep<A> implements Step {
  readonly #kind: CommandKind<A>
  readonly #args: A

  constructor(kind: CommandKind<A>, args: A) {
    this.#kind = kind
    this.#args = args
  }

  check(expected: Readonly<Expected>): boolean {
    return !this.#kind.needsProposal || expected.proposals.length > 0
  }

  async run(expected: Expected, run: Run): Promise<void> {
    const { name, perform, expect, learn } = this.#kind
    const possible = expect?.(expected, this.#args) ?? null
    const outcome = await run.step(this.toString(), (world) => perform(world, this.#args))
    const code = outcome.split(' ', 2).join(' ')
    const isPossible = possible === null || possible.some((one) => code === one || code.startsWith(`${one} `))
    if (!isPossible) throw new Error(`${name} was to be ${possible.join(' or ')} and was ${outcome}`)
    learn?.(expected, this.#args, outcome)
    expected.follow(run)
  }

  toString(): string {
    return `${this.#kind.name} ${JSON.stringify(this.#args)}`
  }
}

/** Several commands in a row, each checked by itself: the ways into corners that single draws seldom find. */
export function episode(name: string, weight: number, steps: fc.Arbitrary<readonly Step[]>): DrawnCommand {
  return { weight, steps: steps.map((several) => new Episode(name, several)) }
}

class Episode implements Step {
  readonly #name: string
  readonly #steps: readonly Step[]

  constructor(name: string, steps: readonly Step[]) {
    this.#name = name
    this.#steps = steps
  }

  check(): boolean {
    return true
  }

  async run(expected: Expected, run: Run): Promise<void> {
    for (const step of this.#steps) if (step.check(expected)) await step.run(expected, run)
  }

  toString(): string {
    return `${this.#name} (${this.#steps.map(String).join('; ')})`
  }
}

/** What an operation answered, without the commitment: its key is drawn by chance. */
export function told({ commitment: _, ...said }: OperationResult): string {
  return `${said.outcome} ${JSON.stringify(said)}`
}

/** Which proposal, counted from the newest. */
export const which: fc.Arbitrary<number> = fc.oneof(
  { arbitrary: fc.constant(0), weight: 4 },
  { arbitrary: fc.constant(1), weight: 2 },
  { arbitrary: fc.constant(2), weight: 1 },
)

/** Somebody, those who have most to do with it coming first. */
export function oneOf<T>(often: readonly T[], seldom: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...often), weight: 7 },
    { arbitrary: fc.constantFrom(...seldom), weight: 1 },
  )
}
