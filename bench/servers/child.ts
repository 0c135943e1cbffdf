// A process of the bench's own, which answers one message after the other.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A question to a process, and what it answers. */
interface Exchange {
  readonly id: number
  readonly value: unknown
}

/** A process that was started from a file of this folder. */
export class Child {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0

  private constructor(process: ChildProcess) {
    this.#process = process
    process.on('message', ({ id, value }: Exchange) => {
      this.#waiting.get(id)?.resolve(value)
      this.#waiting.delete(id)
    })
    process.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The process ended before it answered'))
    })
  }

  /** Starts it, and waits until it says that it is ready; answers what it says then, too. */
  static async start(
    file: string,
    args: readonly string[],
  ): Promise<{ readonly child: Child; readonly ready: unknown }> {
    const process = fork(fileURLToPath(new URL(file, import.meta.url)), args)
    const ended = once(process, 'exit').then(() => {
      throw new Error(`${file} ended before it was ready`)
    })
    const [ready] = (await Promise.race([once(process, 'message'), ended])) as [Exchange]
    // From now on whoever waits for an answer is told if it ends.
    ended.catch(() => {})
    return { child: new Child(process), ready: ready.value }
  }

  async ask(question: unknown): Promise<unknown> {
    this.#asked += 1
    const id = this.#asked
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    this.#process.send({ id, value: question })
    return answer.promise
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.disconnect()
    await ended
  }
}
