// Bank account numbers: the business system's own check of an IBAN, which shares nothing with the runtime's.

const form = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/

/** Whether the form and the check digits are those of an IBAN, written without blanks. */
export function isIban(text: string): boolean {
  return form.test(text) && remainder(text.slice(4) + text.slice(0, 4)) === 1n
}

/** The IBAN of an account within a country. */
export function ibanOf(country: string, account: string): string {
  const digits = 98n - remainder(`${account}${country}00`)
  return `${country}${digits.toString().padStart(2, '0')}${account}`
}

// ISO 7064: letters count from 10, and the whole is taken modulo 97.
function remainder(text: string): bigint {
  return BigInt([...text].map((character) => Number.parseInt(character, 36)).join('')) % 97n
}
