// countersign migrate: brings a database to the schema of this version, shows what that would do, or prints the grants.
import type { Command } from 'commander'
import type { MigrationText } from '../../store/migration-texts.ts'
import { type Answer, give } from '../answer.ts'
import { type CommonOptions, define } from '../command.ts'
import { DB_OPTION, databasePath, isPostgres, shown } from '../database.ts'
import { UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'

interface Options extends CommonOptions {
  readonly db?: string
  readonly dryRun?: boolean
  readonly grants?: boolean
}

/** Adds the command. Spec: store "Migrations", harness 6. */
export function addMigrate(program: Command): void {
  define(program, 'migrate', 'Bring a database to the schema of this version.')
    .option(...DB_OPTION)
    .option('--dry-run', 'print the SQL and change nothing')
    .option('--grants', 'print the SQL that lets separate roles use a PostgreSQL schema')
    .action(async (options: Options) => give(await migrate(options), options))
}

async function migrate({ db, dryRun = false, grants = false }: Options): Promise<Answer> {
  const named = databasePath(db)
  if (grants) return grantsFor(named)
  const migrations = await migrated(named, dryRun)
  const database = shown(named)
  return {
    exit: EXIT.good,
    data: { database, dryRun, migrations },
    lines: dryRun ? migrations.flatMap(asSql) : told(database, migrations),
  }
}

async function migrated(database: string, dryRun: boolean): Promise<readonly MigrationText[]> {
  if (isPostgres(database)) {
    const { migratePostgres } = await import('../../store/postgres-store.ts')
    return (await migratePostgres({ url: database, dryRun })).migrations
  }
  const { migrateSqlite } = await import('../../store/sqlite-store.ts')
  return (await migrateSqlite(database, { dryRun })).migrations
}

// Nothing is asked of the server: the statements are for whoever owns the schema.
async function grantsFor(database: string): Promise<Answer> {
  if (!isPostgres(database)) throw new UsageError('--grants is for a PostgreSQL database: a file has no roles.')
  const { postgresGrants } = await import('../../store/postgres-grants.ts')
  const statements = postgresGrants('countersign')
  return { exit: EXIT.good, data: { statements }, lines: statements.flatMap((sql) => `${sql};`.split('\n')) }
}

function asSql({ name, checksum, statements }: MigrationText): readonly string[] {
  return [`-- ${name}, SHA-256 ${checksum}`, ...statements.flatMap((sql) => `${sql.trim()};`.split('\n')), '']
}

function told(database: string, migrations: readonly MigrationText[]): readonly string[] {
  if (migrations.length === 0) return [`${database} has the schema of this version.`]
  return migrations.map(({ name }) => `${database}: ran ${name}.`)
}
