// Euro amounts as whole cents: the business system's own arithmetic, which shares nothing with the runtime's money.

// Twelve digits before the point: far more than any order, and far inside SQLite's integers.
const form = /^(?:0|[1-9][0-9]{0,11})\.[0-9]{2}$/

/** `10.00` as 1000n; null if it is not written that way. */
export function centsOf(amount: string): bigint | null {
  return form.test(amount) ? BigInt(amount.replace('.', '')) : null
}

/** 1000n as `10.00`. Never negative here. */
export function decimalOf(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
