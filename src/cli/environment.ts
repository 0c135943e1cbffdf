// The environment: where a command may be told what does not belong into its arguments.
import process from 'node:process'

/** Where `countersign serve` listens if nothing else is said. */
export const URL_DEFAULT = 'http://127.0.0.1:4000'

/** The value of a variable; null if it is not set, or set to nothing. */
export function environment(name: string): string | null {
  const value = process.env[name] ?? ''
  return value === '' ? null : value
}
