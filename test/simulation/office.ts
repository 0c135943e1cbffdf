// The office of a simulation: carries operations out on machines, tells how they ended, and holds them to what is stored.
import { Refusal } from '../../src/proposal/errors.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import type { Tally } from '../model/run.ts'
import type { Machine } from './machine.ts'
import type { Schedule } from './schedule.ts'
import type { Tenant } from './tenant.ts'

/** What an operation answers, as far as anybody looks at it here. */
export interface Answered {
  readonly outcome: string
  readonly reason?: string | null
  readonly proposal?: string
  readonly status?: string
  readonly revision?: number
}

type Operation = (runtime: ProposalRuntime) => Promise<Answered>

export class Office {
  readonly #schedule: Schedule
  readonly #tally: Tally
  /** By machine: what it is asked to do and has not answered yet. */
  readonly #underWay = new Map<Machine, number>()

  constructor(schedule: Schedule, tally: Tally) {
    this.#schedule = schedule
    this.#tally = tally
  }

  /** Whether somebody still waits for an answer that may come. */
  get isBusy(): boolean {
    return this.#schedule.waiting > 0 || [...this.#underWay].some(([{ isDead }, count]) => !isDead && count > 0)
  }

  /** Asks a machine; never throws. Whoever asks a machine that dies is never answered. */
  async ask(machine: Machine, tenant: Tenant, name: string, operation: Operation): Promise<Answered | null> {
    const { runtime } = machine
    if (runtime === null || machine.isDead) return null
    this.#count(machine, 1)
    let answer: Answered | null = null
    let said: string
    try {
      answer = await operation(runtime)
      said = `${answer.outcome}${answer.reason === null || answer.reason === undefined ? '' : ` ${answer.reason}`}`
      acknowledged(tenant, name, answer)
    } catch (error) {
      if (!(error instanceof Refusal)) tenant.broken ??= errorOf(error)
      said = error instanceof Refusal ? `refused ${error.code}` : 'broken'
    }
    this.#count(machine, -1)
    this.#schedule.tell(`${machine.instance} ${tenant.tenant} ${name} ${answer?.proposal ?? ''}: ${said}`)
    this.#tally.add(`${name}: ${said}`)
    return answer
  }

  #count(machine: Machine, by: number): void {
    this.#underWay.set(machine, (this.#underWay.get(machine) ?? 0) + by)
  }
}

// Nothing is acknowledged before it is stored (rules R3), and nothing of what was acknowledged is ever lost.
function acknowledged({ book }: Tenant, name: string, { proposal, status, revision }: Answered): void {
  if (proposal !== undefined && status !== undefined && revision !== undefined)
    book.add({ kind: 'answered', order: book.next(), operation: name, proposal, status, revision })
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('something was thrown that is no error', { cause: thrown })
}
