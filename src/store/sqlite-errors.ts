// What SQLite's errors mean to whoever asked: a sentence each, with the first error as the cause.
import { StoreUnavailable } from '../proposal/errors.ts'
import { BrokenInvariant } from './broken-invariant.ts'

/** The sentences, by the start of SQLite's extended code; the first that fits is taken. */
const SENTENCES: readonly (readonly [start: string, sentence: string])[] = [
  ['SQLITE_BUSY', 'Another process holds the lock of the database longer than the busy timeout.'],
  ['SQLITE_LOCKED', 'Another connection holds the lock of the database.'],
  ['SQLITE_FULL', 'The disk that holds the database is full.'],
  ['SQLITE_READONLY', 'The database file or its folder cannot be written.'],
  ['SQLITE_CANTOPEN', 'The database file cannot be opened.'],
  ['SQLITE_NOTADB', 'The file is not a SQLite database.'],
  ['SQLITE_CORRUPT', 'The database file is damaged or truncated.'],
  ['SQLITE_IOERR', 'The disk that holds the database could not be read or written.'],
  ['SQLITE_PERM', 'The database file may not be accessed.'],
]

/** SQLite's own error code, or null for any other error. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : null
}

/**
 * The error to be thrown when nothing was stored. A constraint or trigger that refuses is a broken invariant: every
 * conflict that a race can bring about was looked for before. What is no error of SQLite stays what it is.
 */
export function definiteFailure(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === null || !(error instanceof Error)) return error
  if (code.startsWith('SQLITE_CONSTRAINT')) return new BrokenInvariant(error.message, { cause: error })
  const sentence = SENTENCES.find(([start]) => code.startsWith(start))?.[1]
  return new StoreUnavailable(sentence ?? 'The database failed.', { cause: error })
}
