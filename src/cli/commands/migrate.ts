// countersign migrate: brings a database to the schema of this version, shows what that would do, or prints the grants.
import type { Command } from 'commander'
import type { Store, Witness } from '../../runtime/ports.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import type { MigrationText } from '../../store/migration-texts.ts'
import { type Answer, give } from '../answer.ts'
import { type CommonOptions, define } from '../command.ts'
import { DB_OPTION, databasePath, isPostgres, shown, WITNESS_OPTION, witnessOf } from '../database.ts'
import { Unavailable, UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'

interface Options extends CommonOptions {
  readonly db?: string
  readonly dryRun?: boolean
  readonly grants?: boolean
  readonly from?: string
  readonly to?: string
  readonly witness?: string
}

/** Adds the command. Spec: store "Migrations", harness 6. */
export function addMigrate(program: Command): void {
  define(program, 'migrate', 'Bring a database to the schema of this version.')
    .option(...DB_OPTION)
    .option('--dry-run', 'print the SQL and change nothing')
    .option('--grants', 'print the SQL that lets separate roles use a PostgreSQL schema')
    .option('--from <file>', 'move the store in this file …')
    .option('--to <url>', '… to this postgres:// address, and close the file to admissions')
    .option(...WITNESS_OPTION)
    .action(async (options: Options) => give(await migrate(options), options))
}

async function migrate({ db, dryRun = false, grants = false, from, to, witness }: Options): Promise<Answer> {
  if (from !== undefined || to !== undefined)
    return move({ from, to, witness, others: dryRun || grants || db !== undefined })
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

async function move({
  from,
  to,
  witness: named,
  others,
}: {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly witness: string | undefined
  readonly others: boolean
}): Promise<Answer> {
  if (from === undefined || to === undefined || others || isPostgres(from) || !isPostgres(databasePath(to)))
    throw new UsageError('A store is moved with --from FILE and --to postgres://…, and no other option than --witness.')
  const { lookThrough } = await import('../doctor/look-through.ts')
  const counted = { proposals: 0, tenants: 0 }
  const examine = async (store: Store): Promise<void> => {
    const { findings, proposals, tenants } = await lookThrough(store, systemClock.now())
    if (findings.length > 0) {
      throw new Unavailable(`Chains or evidence have problems: ${findings.length}; "countersign doctor" names them.`)
    }
    Object.assign(counted, { proposals, tenants })
  }
  const source = databasePath(from)
  const witness = await witnessOf(named, source)
  const { tables, again } = await moved(source, to, witness, examine)
  const target = shown(to)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return {
    exit: EXIT.good,
    data: { from, to: target, again, ...counted, tables },
    lines: [
      again ? `${target} has it already, row for row.` : `Moved to ${target}: ${rows} rows of ${tables.length} tables.`,
      `Looked through on both sides: every chain and all evidence of ${counted.proposals} proposals, tenants: ${counted.tenants}.`,
      `${from} is not used any more. Go on with the same keys${witness === null ? '' : ' and the same witness'}.`,
    ],
  }
}

async function moved(from: string, url: string, witness: Witness | null, examine: (store: Store) => Promise<void>) {
  const { moveSqliteToPostgres } = await import('../../store/postgres-store.ts')
  try {
    return await moveSqliteToPostgres({ from, url, witness, examine })
  } finally {
    await witness?.close()
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
