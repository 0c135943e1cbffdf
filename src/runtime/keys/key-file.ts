// Key files: made once, added to, and never half written; only their owner can read them.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Keyring } from '../ports.ts'
import { KeyringError, localKeyring, newKeyringText, withNewKey } from './local-keyring.ts'

const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * Makes a key file with a fresh reference key and one fresh key-encryption key. A file that is there is never overwritten:
 * with `keep` it is left as it is, else it is refused.
 * @throws KeyringError
 */
export async function createKeyFile(path: string, options: { readonly keep?: boolean } = {}): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`
  try {
    await write(draft, newKeyringText())
    // Unlike a rename it takes no place that is taken, and unlike writing in place it is whole or not at all.
    await link(draft, path)
    await syncFolderOf(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw unreadable(path, error)
    if (!isExisting(error)) throw new KeyringError(`The key file ${path} cannot be made.`)
    if (options.keep !== true) throw new KeyringError(`The key file ${path} exists; it is not overwritten.`)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Adds a fresh key-encryption key, which is the current one from then on: the first half of a rotation. Every process that
 * uses the file knows it as soon as it needs it; then the stored keys are wrapped anew, and at last the old key may go.
 * @throws KeyringError, also while another process adds one.
 */
export async function addKeyToFile(path: string): Promise<{ readonly version: string }> {
  // Where the name leads: a link must not be replaced by a file.
  const file = await realpath(path).catch(() => path)
  const draft = `${file}.new`
  const refusal = new KeyringError(`The key file ${path} cannot be changed.`)
  try {
    // Made before the keys are read: as long as it is there, nobody else adds one that would be lost.
    await write(draft, '')
  } catch (error) {
    if (!isExisting(error)) throw refusal
    throw new KeyringError(`${draft} exists: somebody else is adding a key, or was interrupted. Remove it if not.`)
  }
  try {
    const { text, version } = withNewKey(await readKeyFile(file))
    await overwrite(draft, text, await stat(file))
    await rename(draft, file)
    await syncFolderOf(file)
    return { version }
  } catch (error) {
    await rm(draft, { force: true })
    throw error instanceof KeyringError ? error : refusal
  }
}

/** The text of a key file. @throws KeyringError when it is missing, empty, no file, or readable for others. */
async function readKeyFile(path: string): Promise<string> {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) throw new KeyringError(`There is a folder in the place of the key file ${path}.`)
    if ((stats.mode & OTHERS) !== 0) {
      throw new KeyringError(`The key file ${path} can be read by others; make its mode 0600.`)
    }
    const text = await readFile(path, 'utf8')
    if (text.trim() !== '') return text
    throw new KeyringError(`The key file ${path} is empty. If it never held keys, remove it and have it made anew.`)
  } catch (error) {
    throw error instanceof KeyringError ? error : unreadable(path, error)
  }
}

/** The keyring that a key file holds. @throws KeyringError, which names the file. */
export async function readKeyringFile(path: string): Promise<Keyring> {
  const text = await readKeyFile(path)
  try {
    return localKeyring(text)
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error
    throw new KeyringError(`The key file ${path} cannot be used. ${error.message}`)
  }
}

/** What changes whenever the file does. @throws KeyringError when it is missing. */
export async function stampOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join('/')
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): KeyringError {
  if (codeOf(error) !== 'ENOENT') return new KeyringError(`The key file ${path} cannot be read.`)
  const folder = dirname(path)
  if (!existsSync(folder)) return new KeyringError(`The folder ${folder} of the key file does not exist.`)
  return new KeyringError(`The key file ${path} is missing; { create: true } makes one with fresh keys.`)
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

// The owner stays who it was, whoever adds the key: otherwise the server could not read its own keys any more.
async function overwrite(
  path: string,
  text: string,
  like: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { uid, gid } = await file.stat()
    if (uid !== like.uid || gid !== like.gid) await file.chown(like.uid, like.gid)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

// A name survives a power cut once its folder is synced; a system that cannot do that keeps names by other means.
async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => null)
  try {
    await folder?.sync().catch(() => {})
  } finally {
    await folder?.close()
  }
}

function isExisting(error: unknown): boolean {
  return codeOf(error) === 'EEXIST'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
