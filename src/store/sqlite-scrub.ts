// Takes out of a SQLite file and its log every byte of what has been deleted.
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteCode } from './sqlite-errors.ts'

/** Long enough for whoever reads a moment, and no longer: meanwhile this process does nothing else, and it can be asked again. */
const WAIT_MS = 250

/**
 * `secure_delete` overwrites what is deleted where it lies; it does not reach the copies that stay behind in the unused
 * part of a page when rows move to another one. Only a file that is written anew holds nothing but what is there. The log
 * keeps the old pages until it is emptied, which needs that no connection still reads from it. Spec: reliability F20.
 */
export function scrubbed(connection: SqliteConnection): 'done' | 'busy' {
  const timeoutMs = Number(connection.pragma('busy_timeout'))
  connection.pragma(`busy_timeout = ${Math.min(timeoutMs, WAIT_MS)}`)
  try {
    // A reader that is in the way now would be so afterwards, too: it is not worth writing the file.
    const isDone = isLogEmptied(connection) && isRewritten(connection) && isLogEmptied(connection)
    return isDone ? 'done' : 'busy'
  } finally {
    connection.pragma(`busy_timeout = ${timeoutMs}`)
  }
}

function isLogEmptied(connection: SqliteConnection): boolean {
  const { rows } = connection.run({ sql: 'pragma wal_checkpoint(truncate)', parameters: [] })
  const [answer] = rows as readonly { readonly busy: number }[]
  return answer?.busy === 0
}

function isRewritten(connection: SqliteConnection): boolean {
  try {
    connection.run({ sql: 'vacuum', parameters: [] })
    return true
  } catch (error) {
    // Somebody else writes.
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') === true) return false
    throw error
  }
}
