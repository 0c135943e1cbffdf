// Open work: the requests that are still being answered, whether or not anybody waits for the answer any more.

/**
 * Counts handlers and not connections: a caller who hangs up ends his connection, and the attempt that he started goes
 * on. Spec: http "Graceful stop", case C004.
 */
export class OpenWork {
  readonly #open = new Set<Promise<unknown>>()

  get count(): number {
    return this.#open.size
  }

  /** The same handler, counted while it runs. */
  counted<Request, Response>(
    handler: (request: Request) => Response | Promise<Response>,
  ): (request: Request) => Promise<Response> {
    return async (request) => {
      const work = (async () => handler(request))()
      this.#open.add(work)
      try {
        return await work
      } finally {
        this.#open.delete(work)
      }
    }
  }

  /** Waits until nothing is open. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open)
  }
}
