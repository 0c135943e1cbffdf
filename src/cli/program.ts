// The program: every command by one line; what a command needs to work is loaded only when it runs.
import { Command } from 'commander'
import { VERSION } from '../runtime/version.ts'
import { addCrashtest } from './commands/crashtest.ts'
import { addDoctor } from './commands/doctor.ts'
import { addKeys } from './commands/keys.ts'
import { addMigrate } from './commands/migrate.ts'
import { addProposals } from './commands/proposals.ts'
import { addReceipts } from './commands/receipts.ts'
import { addRestore } from './commands/restore.ts'
import { addServe } from './commands/serve.ts'
import { addTest } from './commands/test.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { addWorker } from './commands/worker.ts'

const EXIT_CODES = `
Exit codes: 0 good; 1 a check, an outcome or a refusal says no; 2 something could not be loaded or reached; 64 usage.
Environment: COUNTERSIGN_URL and COUNTERSIGN_TOKEN for commands that ask a running server, NO_COLOR for plain text.
`

/** The whole command line. Its errors are thrown and not printed: whoever runs it reports them. */
export function program(): Command {
  const countersign = new Command('countersign')
    .description('Approve one exact proposal, run it at most once, and prove what became of it.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('--help', 'show what a command takes')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
  addServe(countersign)
  addWorker(countersign)
  addMigrate(countersign)
  addDoctor(countersign)
  addKeys(countersign)
  addProposals(countersign)
  addReceipts(countersign)
  addRestore(countersign)
  addWebhooks(countersign)
  addTest(countersign)
  addCrashtest(countersign)
  return countersign
}
