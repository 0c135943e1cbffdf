// The keys of a server: those of the host, of the environment, or of a file beside the database that is made when needed.
import { existsSync, rmSync } from 'node:fs'
import { ReferenceKeyChanged } from '../../proposal/errors.ts'
import { keyringFile } from '../../runtime/keys/keyring-file.ts'
import type { Keyring } from '../../runtime/ports.ts'
import { isPostgres, keysBeside } from '../database.ts'
import { Unavailable, UsageError } from '../errors.ts'

/** A server of databases has no place beside it for a file of keys. */
export const KEYS_NEEDED =
  'COUNTERSIGN_KEYS: It must hold the keys of a PostgreSQL database, unless the actions bring a keyring.'

/** A keyring, and the file that it is in. */
export interface ServerKeys {
  readonly keyring: Keyring
  readonly file: string | null
  /** What to throw when the database turns out to have been used with other keys. */
  refusal(error: unknown): unknown
}

/** The keys, from the first source that has any. @throws KeyringError */
export async function serverKeys(database: string, given: Keyring | null): Promise<ServerKeys> {
  if (given !== null) return { keyring: given, file: null, refusal: (error) => error }
  if (isPostgres(database)) {
    throw new UsageError(KEYS_NEEDED)
  }
  const file = keysBeside(database)
  const isNew = !existsSync(file)
  const keyring = await keyringFile(file, { create: true })
  return {
    keyring,
    file,
    refusal: (error) => {
      if (!isNew || !(error instanceof ReferenceKeyChanged)) return error
      // Nothing can have been sealed under keys that the store refused; left there they would look like the lost ones.
      rmSync(file)
      return new Unavailable(
        `The key file ${file} is missing, and the database ${database} has been used with its keys.`,
      )
    },
  }
}
