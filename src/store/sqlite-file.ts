// Looks at a file before SQLite does: for what SQLite would overwrite in silence, or refuse with a code.
import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../proposal/errors.ts'

/** What there is in the place of the database; `unusable` with the sentence that says why. */
export type FileState =
  | { readonly kind: 'missing' | 'present' }
  | { readonly kind: 'unusable'; readonly sentence: string }

const MAGIC = 'SQLite format 3\0'
const SMALLEST_PAGE_BYTES = 512

/**
 * SQLite takes a file shorter than a page for a new database, and throws the write-ahead log of an empty or missing one
 * away with all that was acknowledged into it; so those are found here.
 */
export function fileState(path: string): FileState {
  const folder = dirname(path)
  const folderStats = stats(folder)
  if (folderStats === null) return unusable(`The folder ${folder} does not exist.`)
  if (!folderStats.isDirectory()) return unusable(`${folder} is no folder.`)
  if (!isWritable(folder)) return unusable(`The folder ${folder} cannot be written.`)

  const file = stats(path)
  const hasLog = (stats(`${path}-wal`)?.size ?? 0) > 0
  if (file?.isDirectory() === true) return unusable('There is a folder in the place of the database file.')
  if (file !== null && !file.isFile()) return unusable('What is in the place of the database is no regular file.')
  if (file === null || file.size === 0) {
    if (!hasLog) return { kind: 'missing' }
    return unusable('The database file is empty or gone, but its write-ahead log is still there.')
  }
  if (!isWritable(path)) return unusable('The database file cannot be read and written.')
  if (!hasMagic(path)) return unusable('The file is not a SQLite database.')
  return file.size < SMALLEST_PAGE_BYTES ? unusable('The database file is damaged or truncated.') : { kind: 'present' }
}

/**
 * Remembers which file is at the path. What it answers throws from the moment at which it is gone, or another one in its
 * place: SQLite would go on writing into what nobody finds any more, and acknowledge it.
 * @throws StoreUnavailable
 */
export function keptInPlace(path: string): () => void {
  const { dev, ino } = statSync(path, { bigint: true })
  return () => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (now?.ino === ino && now.dev === dev) return
    throw new StoreUnavailable('The database file is gone, or another one is in its place; nothing is written to it.')
  }
}

function unusable(sentence: string): FileState {
  return { kind: 'unusable', sentence }
}

function stats(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

function hasMagic(path: string): boolean {
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(MAGIC.length)
    const length = readSync(descriptor, head, 0, head.length, 0)
    return head.toString('latin1', 0, length) === MAGIC
  } finally {
    closeSync(descriptor)
  }
}
