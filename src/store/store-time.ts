// Where a store has its time from: a clock that it is handed, the machine's, or that of the database itself.
import type { Clock } from '../runtime/ports.ts'
import type { Operation } from './operation.ts'

/** What a store asks of a clock: the instant against which it judges `notAfter` and `notBefore`, and stamps a change (design D11). */
export type StoreTime = Pick<Clock, 'now'>

/** The machine's wall clock. */
export const systemStoreTime: StoreTime = { now: () => Date.now() }

/** Reads the time inside the transaction that is judged by it. */
export type ReadTime = () => Operation<number>

/** The time of a clock of this process. */
export function clockTime(clock: StoreTime): ReadTime {
  // oxlint-disable-next-line require-yield -- an operation that needs no statement
  return function* now() {
    return clock.now()
  }
}
