// A machine of a simulation: a process with its own clock and one runtime, which may freeze, jump in time, and die at any await.
import type { Clock } from '../../src/runtime/ports.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { START } from '../model/world.ts'
import { never } from '../model/waiting.ts'
import type { Schedule } from './schedule.ts'

/** What a machine is started with. */
export interface MachineOptions {
  readonly schedule: Schedule
  /** Counted over all machines that there have been. */
  readonly instance: number
  /** How far its wall clock is ahead of the store's, in milliseconds. */
  readonly skewMs: number
  /** How long an answer of another machine takes at most. */
  readonly latencyMs: number
}

export class Machine implements Clock {
  readonly instance: number
  /** Null until it is open. */
  runtime: ProposalRuntime | null = null
  isDead = false
  /** Whether it is carrying out its round of what is due. */
  isTicking = false
  /** What it executes at the moment. */
  readonly executing = new Set<string>()
  readonly #schedule: Schedule
  readonly #latencyMs: number
  readonly #bornMs: number
  #skewMs: number
  #frozenUntilMs = 0

  constructor({ schedule, instance, skewMs, latencyMs }: MachineOptions) {
    this.#schedule = schedule
    this.instance = instance
    this.#skewMs = skewMs
    this.#latencyMs = latencyMs
    this.#bornMs = schedule.nowMs
  }

  now(): number {
    return START + this.#schedule.nowMs + this.#skewMs
  }

  monotonic(): number {
    return this.#schedule.nowMs - this.#bornMs
  }

  timer(ms: number, fire: () => void): () => void {
    let isCancelled = false
    const due = (): void => {
      if (isCancelled || this.isDead) return
      const leftMs = this.#frozenUntilMs - this.#schedule.nowMs
      if (leftMs > 0) this.#schedule.in(leftMs, due)
      else fire()
    }
    const cancel = this.#schedule.in(ms, due)
    return () => {
      isCancelled = true
      cancel()
    }
  }

  /** Its wall clock alone is set, forward or back. */
  jump(ms: number): void {
    this.#skewMs += ms
  }

  /** Its wall clock is set right, which is a jump as well. */
  setRight(skewMs: number): void {
    this.#skewMs = skewMs
  }

  /** For so long nothing goes on in it, as if somebody had stopped the process. */
  freeze(ms: number): void {
    this.#frozenUntilMs = this.#schedule.nowMs + ms
  }

  thaw(): void {
    this.#frozenUntilMs = 0
  }

  get isFrozen(): boolean {
    return this.#schedule.nowMs < this.#frozenUntilMs
  }

  /** Waits for its turn; whoever is dead waits for ever. */
  async pause(label: string): Promise<void> {
    const { random } = this.#schedule
    if (this.#latencyMs > 0 && random.chance(0.2)) await this.#schedule.after(random.between(1, this.#latencyMs))
    await this.#schedule.turn(`${this.instance} ${label}`)
    while (this.isFrozen && !this.isDead) await this.#schedule.after(this.#frozenUntilMs - this.#schedule.nowMs)
    if (this.isDead) await never()
  }
}
