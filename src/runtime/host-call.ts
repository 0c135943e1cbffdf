// Calls into the host: every one has a limit and a signal, and ends in one of three ways.
import type { HostCall } from '../proposal/answers/executor-word.ts'
import type { Clock } from './ports.ts'

/**
 * Calls a method of the host and waits no longer than `limitMs`. At the limit the signal fires and the call counts as
 * timed out, whatever it does later. Nothing is thrown. Spec: rules R18.
 */
export async function callHost<T>(
  clock: Clock,
  limitMs: number,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<HostCall<T>> {
  const abort = new AbortController()
  const { promise: limit, resolve: limitReached } = Promise.withResolvers<HostCall<T>>()
  const cancel = clock.timer(limitMs, () => {
    abort.abort(new DOMException('The time limit of the call was reached.', 'TimeoutError'))
    limitReached({ kind: 'timed_out' })
  })
  try {
    return await Promise.race([settled(() => call(abort.signal)), limit])
  } finally {
    cancel()
  }
}

/** How a call ended; a synchronous throw counts like a rejection. */
export async function settled<T>(call: () => T | Promise<T>): Promise<HostCall<T>> {
  try {
    return { kind: 'returned', value: await call() }
  } catch (error) {
    return { kind: 'threw', error }
  }
}
