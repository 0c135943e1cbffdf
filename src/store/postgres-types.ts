// How PostgreSQL's values are read: by our own rules, whatever the host has told its driver.

const BOOL = 16
const BYTEA = 17
const INT8 = 20
const INT2 = 21
const INT4 = 23

/**
 * A 64-bit integer comes as text, and texts compare wrongly; one that is no safe integer stays text, which no row reader
 * takes for a number. Spec: reliability F19.
 */
function integer(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  [BYTEA, (text) => new Uint8Array(Buffer.from(text.slice(String.raw`\x`.length), 'hex'))],
  [INT2, integer],
  [INT4, integer],
  [INT8, integer],
])

/** For the `types` of a query; what is not listed stays text. Bytes come in hex: each transaction says so. */
export const postgresTypes: { getTypeParser(oid: number): (text: string) => unknown } = {
  getTypeParser: (oid) => PARSERS.get(oid) ?? ((text) => text),
}
