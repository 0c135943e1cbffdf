// An IBAN and its check digits: a mistyped account number is refused before anybody is asked to approve it.

/** Whether the text is an IBAN without blanks, with the check digits of ISO 7064. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text)) return false
  const rearranged = text.slice(4) + text.slice(0, 4)
  const digits = [...rearranged].map((character) => Number.parseInt(character, 36)).join('')
  return BigInt(digits) % 97n === 1n
}
