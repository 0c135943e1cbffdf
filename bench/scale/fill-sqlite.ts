// Fills a SQLite file.
import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { migrateSqlite } from 'countersign/sqlite'
import { type Dialect, fillStatements } from './fill.ts'
import type { Template } from './templates.ts'

const DIALECT: Dialect = {
  numbers: (count) =>
    `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${count}) select n from counted where n <= ${count}`,
  text: (value) => `'${value.replaceAll(`'`, `''`)}'`,
  bytes: (value) => `x'${Buffer.from(value).toString('hex')}'`,
  digits: (expression, width) => `printf('%0${width}d', ${expression})`,
  hex: (expression, width) => `printf('%0${width}x', ${expression})`,
  position: null,
}

/** Makes a store in a new file that holds so many proposals; its triggers are as they were. */
export async function fillSqlite(file: string, templates: readonly Template[], size: number): Promise<void> {
  await migrateSqlite(file)
  const db = new Database(file)
  // Only while it is filled: nobody loses anything by it.
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'foreign_keys = off', 'cache_size = -1000000'])
    db.pragma(pragma)
  const triggers = db.prepare(`select name, sql from sqlite_schema where type = 'trigger'`).all() as {
    readonly name: string
    readonly sql: string
  }[]
  for (const { name } of triggers) db.exec(`drop trigger "${name}"`)
  db.exec('begin')
  for (const statement of fillStatements(templates, size, DIALECT)) db.exec(statement)
  for (const { sql } of triggers) db.exec(sql)
  db.exec('commit')
  assert.deepEqual(db.pragma('foreign_key_check'), [])
  db.pragma('journal_mode = wal')
  assert.equal(db.prepare('select count(*) from proposals').pluck().get(), size)
  db.close()
}
