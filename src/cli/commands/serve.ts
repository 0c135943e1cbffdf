// countersign serve: the HTTP API on a local SQLite file, with the host's own actions or an example that needs nothing.
import process from 'node:process'
import type { Command } from 'commander'
import { define, type CommonOptions } from '../command.ts'
import { DB_OPTION, WITNESS_OPTION } from '../database.ts'
import { HOST_DEFAULT, PORT_DEFAULT, type ServeOptions, STOP_LIMIT_SECONDS_DEFAULT } from '../serve/options.ts'

const MORE = `
Without --actions an example is served: refunds and invoices of a business system that comes with it, and a development
token for everybody who takes part. What is needed beside the database is made beside it and named.
FILE is a module whose default export is { actions, authenticate?, keyring?, worker?, webhooks? }; TypeScript is fine.
Environment: PORT, DATABASE_URL, COUNTERSIGN_KEYS (keys as text, instead of the file beside the database), COUNTERSIGN_WITNESS,
LOG_LEVEL.
`

/** Adds the command. Spec: http "countersign serve". */
export function addServe(program: Command): void {
  define(program, 'serve', 'Serve the HTTP API until a signal says stop.')
    .option('--actions <file>', 'serve the actions of this module instead of the example')
    .option(...DB_OPTION)
    .option(...WITNESS_OPTION)
    .option('--host <host>', `the address to listen on (default: ${HOST_DEFAULT})`)
    .option('--port <port>', `the port; 0 is any free one (default: PORT, else ${PORT_DEFAULT})`)
    .option('--dev', 'serve --actions that bring no authentication, to this machine, with development tokens')
    .option('--expose', 'let the development tokens of the example be used from other machines')
    .option('--worker', 'also expire, execute, verify and erase what is due')
    .option('--stop-limit <seconds>', `how long open attempts may settle (default: ${STOP_LIMIT_SECONDS_DEFAULT})`)
    .addHelpText('after', MORE)
    .action(run)
}

async function run(options: ServeOptions & CommonOptions & { readonly verbose?: boolean }): Promise<void> {
  try {
    const { serve } = await import('../serve/serve.ts')
    await serve(options)
  } catch (error) {
    // Not left to end by itself: a module of the host's own may have begun something that would keep the process alive.
    const { reportError } = await import('../report-error.ts')
    process.exit(reportError(error, { verbose: options.verbose ?? false }))
  }
}
