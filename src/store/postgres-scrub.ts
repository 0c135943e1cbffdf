// Takes out of the tables of a PostgreSQL schema every byte of what has been deleted; not out of its log and its copies.
import { DatabaseFailure } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-library.ts'
import { quoted } from './postgres-settings.ts'
import { postgresTypes } from './postgres-types.ts'

/** The tables of which erasure takes something. */
const TABLES = ['keys', 'approvals', 'proposals', 'receipts', 'attempts', 'observations', 'effects'] as const

const LOCK_LIMIT_MS = 250
const ANSWER_LIMIT_MS = 3_600_000

/**
 * A row that is deleted or changed stays in its page until the page is written anew, also after a plain VACUUM; so each
 * table is rewritten, alone and under a lock, which needs its owner. Rows that an older transaction could still see are
 * taken along: whether there were any is told by how far the new table is frozen. The write-ahead log, its archives,
 * replicas and backups keep what they have until they are recycled: `done` says nothing of them. Spec: reliability F20.
 */
export async function scrubbedSchema(pool: PostgresPool, schema: string): Promise<'done' | 'busy'> {
  const client = await pool.connect()
  const unheard = (): void => {}
  client.on('error', unheard)
  let isSound = false
  const ask = async (text: string, values?: unknown[]): Promise<readonly unknown[]> => {
    const request = { text, types: postgresTypes, query_timeout: ANSWER_LIMIT_MS }
    return (await client.query(values === undefined ? request : { ...request, values })).rows
  }
  try {
    const [now] = (await ask('select pg_current_xact_id()::xid::text as xid')) as readonly { readonly xid: string }[]
    for (const table of TABLES) {
      const name = `${quoted(schema)}.${table}`
      if (!(await isFree(ask, name))) {
        isSound = true
        return 'busy'
      }
      await ask(`vacuum (full) ${name}`)
      // The age of a transaction is how many have begun since: a table that is frozen up to ours holds nothing older.
      const frozen = await ask(
        `select age(relfrozenxid) <= age($1::text::xid) as "isDone" from pg_catalog.pg_class where oid = $2::text::regclass`,
        [now?.xid, name],
      )
      if ((frozen[0] as { readonly isDone?: boolean } | undefined)?.isDone !== true) {
        isSound = true
        return 'busy'
      }
    }
    isSound = true
    return 'done'
  } catch (error) {
    throw new DatabaseFailure(error)
  } finally {
    // A connection that is thrown away may still fail, and nobody is left to be told.
    if (isSound) client.removeListener('error', unheard)
    client.release(!isSound)
  }
}

// VACUUM waits for whoever uses the table, and everybody else then waits behind it; so the lock is tried first.
async function isFree(ask: (text: string) => Promise<unknown>, name: string): Promise<boolean> {
  try {
    await ask(`begin;\nset local lock_timeout to ${LOCK_LIMIT_MS};\nlock table ${name} in access exclusive mode`)
    return true
  } catch (error) {
    if (new DatabaseFailure(error).sqlState !== '55P03') throw error
    return false
  } finally {
    await ask('rollback')
  }
}
