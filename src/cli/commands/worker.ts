// countersign worker: does what waits for nobody but time, for the host's own actions, beside any number of servers and workers.
import process from 'node:process'
import type { Command } from 'commander'
import { define, type CommonOptions } from '../command.ts'
import { DB_OPTION, WITNESS_OPTION } from '../database.ts'
import { STOP_LIMIT_SECONDS_DEFAULT } from '../serve/options.ts'
import type { WorkerCommandOptions } from '../worker/run-worker.ts'

const MORE = `
FILE is the module that \`serve --actions\` serves: its default export is { actions, authenticate?, keyring?, worker?, webhooks? }.
\`worker\` is { principal, roles }, as whom it works: by default { kind: 'service', id: 'worker' } with the role "worker".
Environment: DATABASE_URL, COUNTERSIGN_KEYS (keys as text, instead of the file beside the database), COUNTERSIGN_WITNESS,
LOG_LEVEL.
`

/** Adds the command. Spec: store 4. */
export function addWorker(program: Command): void {
  define(program, 'worker', 'Expire, execute, verify, erase and deliver what is due until a signal says stop.')
    .option('--actions <file>', 'work on the actions of this module')
    .option(...DB_OPTION)
    .option(...WITNESS_OPTION)
    .option(
      '--stop-limit <seconds>',
      `how long what is under way may take to end (default: ${STOP_LIMIT_SECONDS_DEFAULT})`,
    )
    .addHelpText('after', MORE)
    .action(run)
}

async function run(options: WorkerCommandOptions & CommonOptions & { readonly verbose?: boolean }): Promise<void> {
  try {
    const { runWorker } = await import('../worker/run-worker.ts')
    await runWorker(options)
  } catch (error) {
    // Not left to end by itself: a module of the host's own may have begun something that would keep the process alive.
    const { reportError } = await import('../report-error.ts')
    process.exit(reportError(error, { verbose: options.verbose ?? false }))
  }
}
