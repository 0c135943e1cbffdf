// Processes that do the same things at the same moment: started together, told together, and held against each other.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Child, startChild } from '../store/processes/child.ts'

/** What a process is started with. */
export interface RacerSetup {
  /** A file, or the address of a PostgreSQL database. */
  readonly database: string
  readonly schema: string
  /** The text of the keyring. */
  readonly keys: string
  readonly books: string
  /** Where it writes down its calls. */
  readonly log: string
  /** In place of fields of the action's contract. */
  readonly contract: Readonly<Record<string, unknown>>
  /** How far its wall clock is off, in milliseconds. */
  readonly offsetMs: number
  /** Where it stops itself by SIGSTOP, once it has come so far. */
  readonly stopAt: 'before the call' | 'during the call' | 'before it records' | null
}

/** What a process is told to do, with every name or proposal. */
export interface Order {
  readonly act: 'prepare' | 'execute' | 'reconcile'
  readonly names: readonly string[]
}

export class Racer {
  readonly setup: RacerSetup
  readonly #child: Child

  private constructor(setup: RacerSetup, child: Child) {
    this.setup = setup
    this.#child = child
  }

  static async start(setup: RacerSetup): Promise<Racer> {
    const child = startChild(new URL('./processes/racer.ts', import.meta.url), [JSON.stringify(setup)])
    const racer = new Racer(setup, child)
    const first = await racer.#next()
    if (first !== 'ready') throw new Error(`A process said ${JSON.stringify(first)} and not that it is ready`)
    return racer
  }

  /** Tells it what to do, and answers what became of each. */
  async tell(order: Order): Promise<readonly string[]> {
    this.say(order)
    return this.told()
  }

  say(order: Order): void {
    this.#child.say(JSON.stringify(order))
  }

  async told(): Promise<readonly string[]> {
    return (await this.#next()) as readonly string[]
  }

  /** Until it stands still. */
  async stopped(): Promise<void> {
    const said = await this.#next()
    if (said !== 'stopped') throw new Error(`A process said ${JSON.stringify(said)} and did not stop`)
    const { pid } = this.#child.process
    while (!/\) T /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await pause(5)
  }

  goOn(): void {
    this.#child.process.kill('SIGCONT')
  }

  async end(): Promise<void> {
    this.#child.process.stdin?.end()
    await this.#child.exited
  }

  async #next(): Promise<unknown> {
    return JSON.parse((await this.#child.line()) ?? 'null')
  }
}

/** The shares of a list, one for each of so many. */
export function shares<T>(all: readonly T[], parts: number): readonly (readonly T[])[] {
  return Array.from({ length: parts }, (_, part) => all.filter((_one, at) => at % parts === part))
}
