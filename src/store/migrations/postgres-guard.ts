// Guards in PostgreSQL: one function and one trigger for those that look at the same statement.
import { type Kysely, sql } from 'kysely'
import type { Guard } from './guard.ts'

const EVENTS = { insert: sql`insert`, update: sql`update`, delete: sql`delete` }

/**
 * Creates the functions and triggers of guards. A function looks for tables in the schema in which it was made and
 * nowhere else, so that no temporary table can stand in for one. What it raises is the violation of a constraint.
 */
export async function createPostgresGuards(db: Kysely<unknown>, guards: readonly Guard[]): Promise<void> {
  const groups = Map.groupBy(guards, ({ on, before }) => `${before} ${on}`)
  for (const group of groups.values()) {
    const [{ name, on, before } = missing()] = group
    const rules = group.map(({ when = sql`true`, rule }) => {
      return sql`  if (${when}) then
    raise exception using errcode = 'integrity_constraint_violation', message = ${sql.lit(rule)};
  end if;`
    })
    await sql`create function ${sql.id(name)}() returns trigger language plpgsql set search_path from current as $guard$
begin
${sql.join(rules, sql`\n`)}
  return ${before === 'delete' ? sql`old` : sql`new`};
end
$guard$`.execute(db)
    await sql`create trigger ${sql.id(name)} before ${EVENTS[before]} on ${sql.table(on)}
for each row execute function ${sql.id(name)}()`.execute(db)
  }
}

function missing(): never {
  throw new Error('A group has a member')
}
