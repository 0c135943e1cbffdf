// The witness in a file: a small SQLite database of its own, which any number of processes of one machine share.
import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseReference } from '../effect/reference.ts'
import { furthest, type Witnessed } from '../effect/witness.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { ErasedRef, Witness } from '../runtime/ports.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { definiteFailure } from './sqlite-errors.ts'
import { fileState, keptInPlace } from './sqlite-file.ts'
import { loadSqlite } from './sqlite-library.ts'
import { demandFilePath } from './sqlite-path.ts'

const OWNER_ONLY = 0o600
const BUSY_TIMEOUT_MS = 5_000
/** "cswt": no database of anybody else is taken for a witness. */
const APPLICATION_ID = 0x63_73_77_74

const SCHEMA = [
  `create table if not exists witness (id integer primary key check (id = 1), store_id text not null, place text,
    restores integer not null, admissions integer not null, erasures integer not null) strict`,
  `create table if not exists erased (position integer primary key autoincrement, tenant text not null,
    proposal text not null, unique (tenant, proposal)) strict`,
]

/**
 * A witness in the file at `path`, which is made when it is first used. Keep it on another disk than the store, and out of
 * the store's backups: a witness that is put back with the store agrees with it. Every record is synced. Needs the
 * package better-sqlite3, for a store on PostgreSQL too. Spec: rules R15.
 *
 * ```ts
 * const store = await sqliteStore('countersign.db', { witness: witnessFile('/var/lib/witness/countersign') })
 * ```
 *
 * @throws TypeError for what is no path of a file
 */
export function witnessFile(path: string): Witness {
  demandFilePath(path, 'A witness')
  return new WitnessFile(resolve(path))
}

interface WitnessRow {
  readonly store_id: string
  readonly place: string | null
  readonly restores: number
  readonly admissions: number
  readonly erasures: number
}

class WitnessFile implements Witness {
  readonly #path: string
  #open: { readonly connection: SqliteConnection; readonly demandInPlace: () => void } | null = null

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<Witnessed | null> {
    return this.#within('deferred', known)
  }

  async record(next: Witnessed): Promise<void> {
    this.#within('immediate', (connection) => {
      const { storeId, place, restores, admissions, erasures } = furthest(next, known(connection))
      connection.run({
        sql: 'insert or replace into witness values (1, ?, ?, ?, ?, ?)',
        parameters: [storeId, place, restores, admissions, erasures],
      })
    })
  }

  async recordErasures(erased: readonly ErasedRef[]): Promise<void> {
    this.#within('immediate', (connection) => {
      for (const { tenant, proposal } of erased) {
        const sql = 'insert into erased (tenant, proposal) values (?, ?) on conflict do nothing'
        connection.run({ sql, parameters: [tenant, proposal] })
      }
    })
  }

  async erasures(after: number, limit: number): ReturnType<Witness['erasures']> {
    return this.#within('deferred', (connection) => {
      const sql = 'select position, tenant, proposal from erased where position > ? order by position limit ?'
      const { rows } = connection.run({ sql, parameters: [after, limit] })
      return (rows as readonly { position: number; tenant: string; proposal: string }[]).map((row) => ({
        position: row.position,
        tenant: parseReference(row.tenant, '/tenant'),
        proposal: parseReference(row.proposal, '/proposal'),
      }))
    })
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = null
    open?.connection.close()
  }

  #within<Result>(mode: 'immediate' | 'deferred', act: (connection: SqliteConnection) => Result): Result {
    try {
      this.#open ??= { connection: opened(this.#path), demandInPlace: keptInPlace(this.#path) }
      const { connection, demandInPlace } = this.#open
      demandInPlace()
      connection.begin(mode)
      try {
        const result = act(connection)
        connection.commit()
        return result
      } catch (error) {
        connection.rollback()
        throw error
      }
    } catch (error) {
      // Opened anew the next time: what became of a commit that failed is not known to this connection.
      this.#forget()
      const failure = definiteFailure(error)
      const sentence = failure instanceof Error ? failure.message : ''
      throw new StoreUnavailable(`The witness cannot be used. ${sentence} File: ${this.#path}`, { cause: failure })
    }
  }

  #forget(): void {
    const open = this.#open
    this.#open = null
    try {
      open?.connection.close()
    } catch {
      // It is of no more use.
    }
  }
}

function known(connection: SqliteConnection): Witnessed | null {
  const { rows } = connection.run({ sql: 'select * from witness', parameters: [] })
  const [row] = rows as readonly WitnessRow[]
  if (row === undefined) return null
  const { store_id: storeId, place, restores, admissions, erasures } = row
  return { storeId, place, restores, admissions, erasures }
}

function opened(path: string): SqliteConnection {
  const state = fileState(path)
  if (state.kind === 'unusable') throw new StoreUnavailable(state.sentence)
  const library = loadSqlite()
  // Made here, so that it is its owner's alone.
  if (state.kind === 'missing') closeSync(openSync(path, 'a', OWNER_ONLY))
  const connection = new SqliteConnection(new library(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true }))
  try {
    const { rows } = connection.run({ sql: 'select count(*) as tables from sqlite_schema', parameters: [] })
    const isNew = (rows as readonly { tables: number }[])[0]?.tables === 0
    if (!isNew && connection.pragma('application_id') !== APPLICATION_ID) {
      throw new StoreUnavailable('The file is a database of something else.')
    }
    connection.pragma('journal_mode = wal')
    connection.pragma('synchronous = full')
    connection.begin('immediate')
    for (const sql of SCHEMA) connection.run({ sql, parameters: [] })
    connection.pragma(`application_id = ${APPLICATION_ID}`)
    connection.commit()
    if (Number(connection.pragma('synchronous')) < 2)
      throw new StoreUnavailable('The file does not keep synchronous=FULL.')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
