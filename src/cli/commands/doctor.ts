// countersign doctor: says whether installation, database, keys, clock and everything on record are as they must be.
import type { Command } from 'commander'
import { give } from '../answer.ts'
import { type CommonOptions, define } from '../command.ts'
import { DB_OPTION, databasePath, KEYS_OPTION, WITNESS_OPTION, witnessPath } from '../database.ts'

interface Options extends CommonOptions {
  readonly db?: string
  readonly keys?: string
  readonly witness?: string
}

/** Adds the command. Spec: harness 6. */
export function addDoctor(program: Command): void {
  define(program, 'doctor', 'Look at installation, database, keys and clock, and at everything on record.')
    .option(...DB_OPTION)
    .option(...KEYS_OPTION)
    .option(...WITNESS_OPTION)
    .action(async (options: Options) => {
      const { doctor } = await import('../doctor/doctor.ts')
      const database = databasePath(options.db)
      const files = { keys: options.keys, witness: witnessPath(options.witness, database) }
      give(await doctor(database, files), options)
    })
}
