// Replicas that commits do not wait for: a server that takes over from one may lack what was acknowledged.
import { definiteFailure } from './postgres-errors.ts'
import { openPool } from './postgres-library.ts'
import { openings } from './postgres-settings.ts'
import { PostgresTransaction } from './postgres-transaction.ts'

/**
 * Whether anybody follows the server without its commits waiting for them. Which of several they wait for is shown to
 * privileged roles alone; for others it counts whether they wait for any. Spec: trace S14.
 * @throws StoreUnavailable
 */
export async function hasAsynchronousReplicas(url: string): Promise<boolean> {
  const pool = openPool(url, 1)
  pool.on('error', () => {})
  try {
    const transaction = await PostgresTransaction.begin(pool, openings('pg_catalog', 'on').read)
    try {
      const sql = `select exists (
        select 1 from pg_catalog.pg_stat_replication where coalesce(
          sync_state = 'async', current_setting('synchronous_standby_names') = '')) as "isFollowed"`
      const { rows } = await transaction.run({ sql, parameters: [] })
      return (rows as readonly { readonly isFollowed: boolean }[])[0]?.isFollowed ?? false
    } finally {
      await transaction.rollback()
      transaction.end()
    }
  } catch (error) {
    throw definiteFailure(error)
  } finally {
    await pool.end()
  }
}
