// What a look-up by keys proves: that every request asked for is over, and none of them can be booked any more.
import type { LookUp } from './wire.ts'

/** Whether the books were read, and every key asked for is finished without effect. */
export function isTerminal({ state, requests }: LookUp, idempotencyKeys: readonly string[]): boolean {
  const finished = new Set(
    requests.filter((request) => request.state === 'finished_without_effect').map((request) => request.idempotencyKey),
  )
  return state === 'complete' && idempotencyKeys.every((key) => finished.has(key))
}
