// Waiting in a model run: for the virtual clock, for a signal, or for ever.
import type { Clock } from '../../src/runtime/ports.ts'

/** Until the clock has moved on by so much. */
export async function after(clock: Pick<Clock, 'timer'>, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    clock.timer(ms, resolve)
  })
}

/** Until the signal fires; then it fails, as a call does that was given up. */
export async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new Error('the call was given up'))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

export async function never(): Promise<never> {
  return new Promise(() => {})
}
