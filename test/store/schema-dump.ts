// The schema of a database as text, object by object, for comparison with the dump that is committed.
import { rawRows } from './sqlite-fixture.ts'

/** Every statement of the schema, in the order of kind and name, each clause on a line of its own. */
export function schemaDump(path: string): string {
  const objects = rawRows<{ type: string; name: string; sql: string }>(
    path,
    `select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%'
      order by case type when 'table' then 1 when 'index' then 2 else 3 end, name`,
  )
  return `${objects.map(({ sql }) => `${layOut(sql)};`).join('\n\n')}\n`
}

// Only line breaks are added: a space after a comma of the outermost brackets of a table becomes one.
function layOut(sql: string): string {
  if (!sql.startsWith('CREATE TABLE')) return sql
  let depth = 0
  let text = ''
  for (const character of sql) {
    if (character === ')') depth -= 1
    if (depth === 0 && character === ')') text += '\n'
    text += character
    if (depth === 0 && character === '(') text += '\n  '
    if (character === '(') depth += 1
    if (depth === 1 && character === ',') text += '\n '
  }
  return text
}
