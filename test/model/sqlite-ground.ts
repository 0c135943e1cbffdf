// One database file for many model runs, each in a tenant of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import type { AttackStatement } from './attacker.ts'
import { type DatabaseGround, databaseGround } from './database-ground.ts'
import type { Time } from './grounds.ts'

/** The guards that stand in the way of changing what may not change. */
const GUARDS = ['proposals_content', 'proposals_revision', 'proposals_receipt', 'approvals_not_deleted']

export async function sqliteGround(time: Time): Promise<DatabaseGround> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-model-'))
  const path = join(folder, 'store.db')
  return databaseGround({
    open: () => sqliteStore(path, { clock: time }),
    attack: async (statements, how) => attack(path, statements, how),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  })
}

function attack(path: string, statements: readonly AttackStatement[], how: 'guarded' | 'unguarded'): void {
  const database = new Database(path)
  try {
    const names = GUARDS.map((name) => `'${name}'`).join(', ')
    const guards = database
      .prepare<[], { name: string; sql: string }>(`select name, sql from sqlite_schema where name in (${names})`)
      .all()
    database.exec('begin immediate')
    if (how === 'unguarded') for (const { name } of guards) database.exec(`drop trigger "${name}"`)
    for (const { sql, values } of statements) database.prepare(sql).run(...values)
    if (how === 'unguarded') for (const guard of guards) database.exec(guard.sql)
    database.exec('commit')
  } finally {
    database.close()
  }
}
