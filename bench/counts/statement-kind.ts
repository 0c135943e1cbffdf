// Which statements work on data, and which only open and end transactions.

/** What a statement is counted as. */
export type StatementKind = 'data' | 'control' | 'commit'

const CONTROL = ['begin', 'start', 'commit', 'end', 'rollback', 'savepoint', 'release', 'set', 'pragma']

export function kindOf(sql: string): StatementKind {
  const text = sql.trim().toLowerCase()
  if (text.startsWith('commit')) return 'commit'
  return CONTROL.some((word) => text.startsWith(word)) ? 'control' : 'data'
}
