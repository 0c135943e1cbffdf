// Retry-After: how long a receiver asks to be left alone.

const SECONDS = /^\d{1,9}$/
/** IMF-fixdate, the one form of HTTP dates that is still to be sent. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** In milliseconds from now; null where nothing is asked, or nothing that can be read. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (SECONDS.test(header)) return Number(header) * 1_000
  const at = DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
