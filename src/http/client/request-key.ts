// Request keys that a client makes: 128 random bits, from what every platform has.

/** A fresh key. It says nothing; whoever wants to find it again keeps one of its own. */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
