// One schema of a PostgreSQL database for many model runs, each in a tenant of its own.
import { Client, escapeIdentifier } from 'pg'
import { postgresStore } from '../../src/store/postgres-store.ts'
import type { AttackStatement } from './attacker.ts'
import { type DatabaseGround, databaseGround } from './database-ground.ts'
import type { Time } from './grounds.ts'

/** In a schema that is new; the database is the caller's, and nobody else may use it: see {@link postgresStore}'s scrub. */
export async function postgresGround(url: string, schema: string, time: Time): Promise<DatabaseGround> {
  const attacker = new Client({ connectionString: url })
  attacker.on('error', () => {})
  await attacker.connect()
  await attacker.query(`set search_path to ${escapeIdentifier(schema)}`)
  return databaseGround({
    open: () => postgresStore({ url, schema, connectionsMax: 4, clock: time }),
    attack: (statements, how) => attack(attacker, statements, how),
    async remove() {
      await attacker.query(`drop schema ${escapeIdentifier(schema)} cascade`)
      await attacker.end()
    },
  })
}

async function attack(
  client: Client,
  statements: readonly AttackStatement[],
  how: 'guarded' | 'unguarded',
): Promise<void> {
  await client.query('begin')
  try {
    if (how === 'unguarded') await client.query('set local session_replication_role to replica')
    for (const { sql, values } of statements) {
      let place = 0
      const text = sql.replaceAll('?', () => {
        place += 1
        return `$${place}`
      })
      await client.query(text, [...values])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
