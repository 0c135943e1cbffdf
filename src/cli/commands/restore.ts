// countersign restore: shows why a database admits nothing, and acknowledges it.
import type { Command } from 'commander'
import type { Restore } from '../../runtime/ports.ts'
import { type Answer, give } from '../answer.ts'
import { type CommonOptions, define, defineGroup } from '../command.ts'
import { DB_OPTION, databasePath, openDatabase, WITNESS_OPTION, witnessPath } from '../database.ts'
import { EXIT } from '../exit-codes.ts'

interface ShowOptions extends CommonOptions {
  readonly db?: string
  readonly witness?: string
}

interface AcknowledgeOptions extends ShowOptions {
  readonly by: string
  readonly reason: string
}

const MORE = `
Before you acknowledge: stop whoever still uses the database from before, and tell those whose approvals, revocations and
withdrawals are gone with it. Then every proposal that is open is looked for at its target before it is called.
`

/** Adds the commands. Spec: rules R15. */
export function addRestore(program: Command): void {
  const restore = defineGroup(program, 'restore', 'Show or acknowledge that a database was put back or has moved.')
  define(restore, 'show', 'Compare the database with its witness, and show what must be acknowledged.')
    .option(...DB_OPTION)
    .option(...WITNESS_OPTION)
    .action(async (options: ShowOptions) => give(await show(options), options))
  define(restore, 'acknowledge', 'Let the database admit again; who and why is kept in it.')
    .requiredOption('--by <name>', 'who acknowledges, such as user:olga')
    .requiredOption('--reason <code>', 'why, as a code: a-z, 0-9, _ . -')
    .option(...DB_OPTION)
    .option(...WITNESS_OPTION)
    .addHelpText('after', MORE)
    .action(async (options: AcknowledgeOptions) => give(await acknowledge(options), options))
}

async function show(options: ShowOptions): Promise<Answer> {
  const store = await opened(options)
  try {
    const { open, last } = await store.restore()
    if (open !== null) return { exit: EXIT.failed, data: { open, last }, lines: [`Nothing is admitted: ${told(open)}`] }
    const before = last === null ? [] : [`The last acknowledged one: ${told(last)}`]
    return { exit: EXIT.good, data: { open, last }, lines: ['Nothing is to be acknowledged.', ...before] }
  } finally {
    await store.close()
  }
}

async function acknowledge(options: AcknowledgeOptions): Promise<Answer> {
  const { acknowledgeRestore } = await import('../../runtime/acknowledge-restore.ts')
  const store = await opened(options)
  try {
    const acknowledged = await acknowledgeRestore({ store, by: options.by, reason: options.reason })
    const line = acknowledged === null ? 'Nothing is to be acknowledged.' : `Acknowledged: ${told(acknowledged)}`
    return { exit: EXIT.good, data: { acknowledged }, lines: [line] }
  } finally {
    await store.close()
  }
}

async function opened({ db, witness }: ShowOptions) {
  const { witnessFile } = await import('../../store/witness-file.ts')
  const database = databasePath(db)
  const file = witnessPath(witness, database)
  return openDatabase(database, file === null ? null : witnessFile(file))
}

function told({ number, finding, foundAt, admissions, witnessed, acknowledged }: Restore): string {
  const known = witnessed === null ? 'nothing' : `${witnessed} admissions`
  const found = `${finding}, found ${new Date(foundAt).toISOString()}; the store knows of ${admissions} admissions, its witness of ${known}`
  if (acknowledged === null) return `number ${number}, ${found}.`
  return `number ${number}, ${found}; by ${acknowledged.by}, ${acknowledged.reason}.`
}
