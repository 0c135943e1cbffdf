// A bench for workers: a world whose action is executed when approved, workers on it, and time that goes by.
import { onTestFinished } from 'vitest'
import type { Logger } from '../../../src/runtime/ports.ts'
import type { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { Worker, type WorkerOptions } from '../../../src/runtime/worker/worker.ts'
import { PatientClock } from '../../store/patient-clock.ts'
import { openWorld, START, type World, type WorldOptions } from '../harness.ts'

/** Of the worker in all tests: it executes and reconciles as `executor`, and erases as `privacy-officer`. */
export const AS = { principal: { kind: 'service', id: 'worker' }, roles: ['executor', 'privacy-officer'] } as const

const AUTOMATIC = { execution: 'when_approved' } as const

/** A clock that knows how many timers are set. */
export class TimerCountingClock extends PatientClock {
  #set = 0

  get timers(): number {
    return this.#set
  }

  override timer(ms: number, fire: () => void): () => void {
    this.#set += 1
    let isOver = false
    const over = (): void => {
      if (!isOver) this.#set -= 1
      isOver = true
    }
    const cancel = super.timer(ms, () => {
      over()
      fire()
    })
    return () => {
      over()
      cancel()
    }
  }
}

export interface Bench extends World {
  readonly clock: TimerCountingClock
  /** What workers have logged. */
  readonly logged: Readonly<Record<string, unknown>>[]
  /** Starts a worker, which is stopped when the test is over. */
  work(options?: Partial<WorkerOptions> & { readonly runtime?: ProposalRuntime }): Worker
  /** Lets time go by in steps, so that what waits for the store goes on in between. */
  pass(ms: number): Promise<void>
}

export async function openBench(options: WorldOptions): Promise<Bench> {
  const clock = new TimerCountingClock(START)
  const contract = { ...AUTOMATIC, lifetime: '1d', ...options.contract }
  const world = await openWorld({ ...options, contract, clock })
  const logged: Bench['logged'] = []
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    logged.push({ ...fields, message })
  }
  const logger: Logger = { info: note, warn: note, error: note }
  const pass: Bench['pass'] = async (ms) => {
    for (let left = ms; left > 0; left -= 500) await clock.advance(Math.min(left, 500))
    for (let turn = 0; turn < 8; turn += 1) await clock.advance(0)
  }
  return {
    ...world,
    clock,
    logged,
    pass,
    work(given = {}) {
      const worker = new Worker({ runtime: world.runtime, ...AS, logger, ...given })
      worker.start()
      onTestFinished(async () => {
        const stopped = worker.stop({ limitMs: 1 })
        await clock.advance(1)
        await stopped
      })
      return worker
    },
  }
}

/** The statuses of proposals, as they are stored. */
export async function statusesOf(world: World, refs: readonly string[]): Promise<readonly string[]> {
  const stored = await Promise.all(refs.map(async (ref) => world.stored(ref)))
  return stored.map(({ proposal }) => proposal.status)
}
