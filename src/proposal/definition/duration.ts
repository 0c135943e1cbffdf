// Durations in words: `10m`, `24h`, read into milliseconds.

/** A positive whole number and a unit: milliseconds, seconds, minutes, hours or days of 24 hours. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** What a text says in milliseconds, or null if it is no duration or too long to be an exact number. */
export function durationMs(text: unknown): number | null {
  const [, digits, unit] = typeof text === 'string' ? (/^([1-9][0-9]*)(ms|s|m|h|d)$/.exec(text) ?? []) : []
  const factor = unit === undefined ? undefined : unitMs.get(unit)
  if (factor === undefined) return null
  const total = Number(digits) * factor
  return Number.isSafeInteger(total) ? total : null
}

/**
 * A duration in milliseconds.
 *
 * @throws TypeError if the text is not a positive whole number followed by its unit.
 */
export function parseDuration(text: Duration): number {
  const total = durationMs(text)
  if (total !== null) return total
  throw new TypeError(
    `a duration is a positive whole number and a unit, such as '500ms', '30s', '10m', '24h' or '7d'; got ${JSON.stringify(text)}`,
  )
}
