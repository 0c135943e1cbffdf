// The schema of the PostgreSQL store: made by migrations that never change, the same on every server, and judged before use.
import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresMigrations } from '../../src/store/migrations/postgres-migrations.ts'
import { postgresMigrationTexts } from '../../src/store/postgres-migrate.ts'
import { madeObjects, SCHEMA_DIGESTS, schemaDigest } from '../../src/store/postgres-schema.ts'
import { openings } from '../../src/store/postgres-settings.ts'
import { PostgresTransaction } from '../../src/store/postgres-transaction.ts'
import { MAJORS, type Major } from '../postgres/server.ts'
import { openPostgres } from './postgres-fixture.ts'

async function objectsOn(major: Major): Promise<readonly string[]> {
  const { url, schema, close } = await openPostgres({}, major)
  const pool = new Pool({ connectionString: url })
  pool.on('error', () => {})
  const transaction = await PostgresTransaction.begin(pool, openings(schema, 'on').read)
  try {
    return await madeObjects(transaction, schema)
  } finally {
    await transaction.rollback()
    transaction.end()
    await pool.end()
    await close()
  }
}

describe('the PostgreSQL schema', () => {
  it('is made by migrations that do not change any more', async () => {
    const texts = await postgresMigrationTexts(postgresMigrations)

    expect(Object.fromEntries(texts.map(({ name, checksum }) => [name, checksum]))).toEqual({
      '0001_initial': 'e6edb5dbf97d71d67bd9de9153f81bc32a19a8a844ca481875e14f73cd98af89',
    })
  })

  it.each(MAJORS)('is what the digest says on PostgreSQL %s', async (major) => {
    const objects = await objectsOn(major)

    expect(schemaDigest(objects)).toBe(SCHEMA_DIGESTS['0001_initial'])
    expect(objects).toContain('column events.position bigint not null  ')
    expect(objects.filter((object) => object.startsWith('trigger '))).toHaveLength(62)
  })
})
