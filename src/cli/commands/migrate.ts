// countersign migrate: brings a database file to the schema of this version, or shows what that would do.
import type { Command } from 'commander'
import type { MigrationText } from '../../store/migration-texts.ts'
import { type Answer, give } from '../answer.ts'
import { type CommonOptions, define } from '../command.ts'
import { DB_OPTION, databasePath } from '../database.ts'
import { EXIT } from '../exit-codes.ts'

interface Options extends CommonOptions {
  readonly db?: string
  readonly dryRun?: boolean
}

/** Adds the command. Spec: store "Migrations", harness 6. */
export function addMigrate(program: Command): void {
  define(program, 'migrate', 'Bring a database file to the schema of this version.')
    .option(...DB_OPTION)
    .option('--dry-run', 'print the SQL and change nothing')
    .action(async (options: Options) => give(await migrate(options), options))
}

async function migrate({ db, dryRun = false }: Options): Promise<Answer> {
  const { migrateSqlite } = await import('../../store/sqlite-store.ts')
  const database = databasePath(db)
  const { migrations } = await migrateSqlite(database, { dryRun })
  return {
    exit: EXIT.good,
    data: { database, dryRun, migrations },
    lines: dryRun ? migrations.flatMap(asSql) : told(database, migrations),
  }
}

function asSql({ name, checksum, statements }: MigrationText): readonly string[] {
  return [`-- ${name}, SHA-256 ${checksum}`, ...statements.flatMap((sql) => `${sql.trim()};`.split('\n')), '']
}

function told(database: string, migrations: readonly MigrationText[]): readonly string[] {
  if (migrations.length === 0) return [`${database} has the schema of this version.`]
  return migrations.map(({ name }) => `${database}: ran ${name}.`)
}
