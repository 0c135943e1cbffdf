// Fills a PostgreSQL schema.
import assert from 'node:assert/strict'
import { Client, escapeLiteral } from 'pg'
import { migratePostgres } from 'countersign/postgres'
import { SCHEMA } from '../loops/written.ts'
import { type Dialect, fillStatements } from './fill.ts'
import type { Template } from './templates.ts'

const DIALECT: Dialect = {
  numbers: (count) => `select n from generate_series(1::bigint, ${count}) as n`,
  text: escapeLiteral,
  bytes: (value) => String.raw`'\x${Buffer.from(value).toString('hex')}'::bytea`,
  digits: (expression, width) => `lpad((${expression})::text, ${width}, '0')`,
  hex: (expression, width) => `lpad(to_hex(${expression}), ${width}, '0')`,
  position: `nextval('events_positions')`,
}

/** Makes a store in a new database that holds so many proposals. */
export async function fillPostgres(url: string, templates: readonly Template[], size: number): Promise<void> {
  await migratePostgres({ url, schema: SCHEMA })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // Triggers and foreign keys are off for this session alone.
    await client.query(
      `set search_path to ${SCHEMA}; set session_replication_role to replica; set synchronous_commit to off`,
    )
    for (const statement of fillStatements(templates, size, DIALECT)) await client.query(statement)
    // What autovacuum would have done long before.
    await client.query('vacuum analyze')
    await client.query('checkpoint')
    const { rows } = await client.query<{ count: string }>('select count(*) as count from proposals')
    assert.equal(Number(rows[0]?.count), size)
  } finally {
    await client.end()
  }
}
