// What differs between database engines, each difference by its name.

/** How an engine spells and does what the shared statements and migrations leave open. Spec: store 3. */
export interface Capabilities {
  /** The column type of sealed bytes. */
  readonly bytes: 'blob'
  /** The column type of instants and counters: safe integers, so 53 bits or more. */
  readonly integer: 'integer'
  /** Whether column types must be asked for, since the engine would take any value otherwise. */
  readonly strictTables: boolean
}

/** SQLite 3.37 or newer. */
export const sqliteCapabilities: Capabilities = {
  bytes: 'blob',
  integer: 'integer',
  strictTables: true,
}
