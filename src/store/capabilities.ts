// What differs between database engines, each difference by its name.
import type { Expression, Kysely, RawBuilder } from 'kysely'
import type { Guard } from './migrations/guard.ts'

/** How an engine spells and does what the shared statements and migrations leave open. Spec: store 3. */
export interface Capabilities {
  /** The column type of text that is compared and ordered byte by byte. */
  readonly text: 'text' | RawBuilder<string>
  /** The column type of sealed bytes. */
  readonly bytes: 'blob' | 'bytea'
  /** The column type of instants and counters: safe integers, so 53 bits or more. */
  readonly integer: 'integer' | 'bigint'
  /** Whether column types must be asked for, since the engine would take any value otherwise. */
  readonly strictTables: boolean
  /** Whether a foreign key may name a table that is made later. */
  readonly refersForward: boolean
  /** Whether a foreign key may stand on a column that is computed when it is read. */
  readonly computesWhenRead: boolean
  /** Whether rows are numbered under a lock that is held until the commit, so that none is seen before a lower one. */
  readonly numbersRows: boolean
  /** Whether others write at the same time, so that what a change is judged by must be locked. */
  readonly locksRows: boolean
  /**
   * Waits for whoever has asked for the same name, until they have committed; null where a writer has everything to itself. A
   * row that is not there yet can be locked in no other way.
   */
  readonly lockName: ((name: Expression<string>) => RawBuilder<unknown>) | null
  /** The comparison that takes null for a value. */
  readonly differsFrom: RawBuilder<unknown>
  /** All values of a column, with commas between them. */
  readonly joined: (column: RawBuilder<unknown>) => RawBuilder<string>
  /** Bytes where no column says that they are bytes, as where they are selected and not stored at once. */
  readonly asBytes: <Value>(value: Value) => RawBuilder<Value>
  /** 32 random characters, drawn by the database. */
  readonly randomId: RawBuilder<string>
  /** Which server this is, on which timeline, and which tables: what another one differs in; null for a file. */
  readonly place: RawBuilder<string | null>
  readonly createGuards: (db: Kysely<unknown>, guards: readonly Guard[]) => Promise<void>
  /** Creates the triggers that do something: those of erasure, and what else this engine needs. */
  readonly createActingTriggers: (db: Kysely<unknown>) => Promise<void>
}
