// Amounts and times as people read them: thousands apart, the currency as its code, every time with its zone.
import type { Money } from '../../../proposal/money.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `1,250.00 EUR`. The digits are those of the value; none is rounded or left out. */
export function shownMoney({ amount, currency }: Money): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ',')
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/** `1 Dec 2026, 14:05:00 UTC`. */
export function shownInstant(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'long',
    timeZone,
  }).format(new Date(at))
}

/** `Tuesday, 1 December 2026` for `2026-12-01`; null for what is no such date. */
export function shownDate(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const at = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text)) return null
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(at))
}

/** The instant that a text names with its offset from UTC; null for what is none. */
export function instantOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** `3 d 4 h`, `2 h 5 min`, `7 min`: never more time than there is. */
export function shownDuration(ms: number): string {
  if (ms < MINUTE_MS) return 'less than a minute'
  const [days, hours] = [Math.floor(ms / DAY_MS), Math.floor((ms % DAY_MS) / HOUR_MS)]
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  const words =
    days > 0
      ? [`${days} d`, hours > 0 ? `${hours} h` : '']
      : [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : '']
  return words.filter((word) => word !== '').join(' ')
}
