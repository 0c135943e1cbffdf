// The schedule of a simulation: virtual time, and who goes on next; one thing happens at a time, in an order from the seed.
import process from 'node:process'
import type { Random } from './random.ts'

interface Turn {
  readonly label: string
  readonly go: () => void
}

interface Timer {
  readonly at: number
  /** Of timers that are due together the lower one fires first. */
  readonly tie: number
  readonly fire: () => void
  isCancelled: boolean
}

/** One thing that happened. */
export interface Traced {
  readonly at: number
  readonly event: string
}

export class Schedule {
  readonly random: Random
  /** Everything that happened, in order: what two runs of one seed have in common. */
  readonly trace: Traced[] = []
  #nowMs = 0
  readonly #turns: Turn[] = []
  #onTheirWay = 0
  #failure: { readonly error: unknown } | null = null
  readonly #timers: Timer[] = []

  constructor(random: Random) {
    this.random = random
  }

  /** Milliseconds since the beginning, on the clock that no jump moves. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** How many wait for their turn, or for an answer that is on its way. */
  get waiting(): number {
    return this.#turns.length + this.#onTheirWay
  }

  tell(event: string): void {
    this.trace.push({ at: this.#nowMs, event })
  }

  /** Until it is this one's turn. */
  async turn(label: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#turns.push({ label, go: resolve })
    })
  }

  /** Fires once time has moved on by so much, never inside this call; the answer cancels it. */
  in(ms: number, fire: () => void): () => void {
    const timer = {
      at: this.#nowMs + Math.max(0, Math.ceil(ms)),
      tie: this.random.fraction(),
      fire,
      isCancelled: false,
    }
    insert(this.#timers, timer)
    return () => {
      timer.isCancelled = true
    }
  }

  /** Until time has moved on by so much, which an answer takes. */
  async after(ms: number): Promise<void> {
    this.#onTheirWay += 1
    await new Promise<void>((resolve) => {
      this.in(ms, resolve)
    })
    this.#onTheirWay -= 1
  }

  /** Lets something go on beside everything else; what it throws ends the run. */
  start(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#failure ??= { error }
    })
  }

  /** Gives turns, and moves time on where nobody waits for one, up to an instant; then it is that instant. */
  async runUntil(endMs: number): Promise<void> {
    await drained()
    while (await this.#step(endMs)) await drained()
    this.#nowMs = endMs
  }

  /** Gives turns and moves time on until something holds. @throws Error where nothing is left that could bring it about */
  async runWhile(isGoingOn: () => boolean, endMs: number): Promise<void> {
    await drained()
    while (isGoingOn()) {
      if (!(await this.#step(endMs))) throw new Error(`something is still under way after ${endMs} ms`)
      await drained()
    }
  }

  async #step(endMs: number): Promise<boolean> {
    if (this.#failure !== null) throw this.#failure.error
    const turn = this.#takeTurn()
    if (turn !== null) {
      this.tell(turn.label)
      turn.go()
      return true
    }
    const timer = this.#takeTimer(endMs)
    if (timer === null) return false
    this.#nowMs = Math.max(this.#nowMs, timer.at)
    timer.fire()
    return true
  }

  #takeTurn(): Turn | null {
    const last = this.#turns.pop()
    if (last === undefined) return null
    const index = this.random.between(0, this.#turns.length)
    const taken = this.#turns[index]
    if (taken === undefined) return last
    this.#turns[index] = last
    return taken
  }

  #takeTimer(endMs: number): Timer | null {
    for (let last = this.#timers.at(-1); last !== undefined && last.at <= endMs; last = this.#timers.at(-1)) {
      this.#timers.pop()
      if (!last.isCancelled) return last
    }
    return null
  }
}

// The next one due is the last: taking it costs nothing.
function insert(timers: Timer[], timer: Timer): void {
  let [low, high] = [0, timers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = timers[middle]
    const isLater = other !== undefined && (other.at > timer.at || (other.at === timer.at && other.tie > timer.tie))
    if (isLater) low = middle + 1
    else high = middle
  }
  timers.splice(low, 0, timer)
}

// Until nothing can go on by itself any more: all that is simulated waits in promises, and Node runs them all to their end
// before it looks at what was left for the next tick.
async function drained(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.nextTick(resolve)
  })
}
