// The wall time of a store that was given no clock; the only place of this room that reads one.
import type { Clock } from '../runtime/ports.ts'

/** What a store asks of a clock: the instant against which it judges `notAfter` and `notBefore`, and stamps a change (design D11). */
export type StoreTime = Pick<Clock, 'now'>

/** The machine's wall clock. */
export const systemStoreTime: StoreTime = { now: () => Date.now() }
