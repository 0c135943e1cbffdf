// Residue: whether anything of what is secret lies in any file of a folder, in whatever form it may have been written.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What must not be found, by what it is. */
export type Secrets = Readonly<Record<string, string | Uint8Array>>

/** Shorter ones would be found by accident, and at the edges of base 64 not at all. */
const LENGTH_MIN = 8

/** The names of the secrets that lie in a file beside the database, in the order of `secrets`. */
export function residueBeside(path: string, secrets: Secrets): readonly string[] {
  const folder = dirname(path)
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'))
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = formsOf(typeof secret === 'string' ? Buffer.from(secret, 'utf8') : Buffer.from(secret))
    return files.some((text) => forms.some((form) => text.includes(form))) ? [name] : []
  })
}

// As bytes, as UTF-16 in both orders, as hex, and as base 64 beginning at any of its three places; each as a latin1 text.
function formsOf(secret: Buffer): readonly string[] {
  if (secret.length < LENGTH_MIN) throw new RangeError('a secret of the tests is long enough to be found')
  const wide = Buffer.from(secret.toString('utf8'), 'utf16le')
  const hex = secret.toString('hex')
  return [
    secret.toString('latin1'),
    wide.toString('latin1'),
    Buffer.from(wide).swap16().toString('latin1'),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((shift) => {
      const encoded = Buffer.concat([Buffer.alloc(shift), secret])
      // What stands before and after it reaches into the first and last four characters.
      return [encoded.toString('base64'), encoded.toString('base64url')].map((text) => text.slice(4, -4))
    }),
  ]
}
