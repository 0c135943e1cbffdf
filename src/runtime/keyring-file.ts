// The key file: a keyring text in a file that only its owner can read.
import { open, readFile, stat } from 'node:fs/promises'
import { KeyringError, localKeyring, newKeyringText } from './local-keyring.ts'
import type { Keyring } from './ports.ts'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * The keyring of a file. With `create`, a file that is missing is made with fresh keys; it is never overwritten. Keep it
 * apart from the database's backups: together they open everything.
 * @throws KeyringError when the file is missing, readable for others, or not a keyring.
 */
export async function keyringFile(path: string, options: { readonly create?: boolean } = {}): Promise<Keyring> {
  if (options.create === true) await createIfMissing(path)
  return localKeyring(await ownText(path))
}

async function ownText(path: string): Promise<string> {
  try {
    const { mode } = await stat(path)
    if ((mode & OTHERS) !== 0) throw new KeyringError(`The key file ${path} can be read by others; make its mode 0600.`)
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof KeyringError) throw cause
    throw new KeyringError(`The key file ${path} cannot be read.`)
  }
}

async function createIfMissing(path: string): Promise<void> {
  try {
    const file = await open(path, 'wx', OWNER_ONLY)
    try {
      await file.writeFile(newKeyringText())
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!isExisting(error)) throw new KeyringError(`The key file ${path} cannot be made.`)
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
