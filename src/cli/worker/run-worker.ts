// Runs a worker in a process of its own until a signal says stop: the actions of a host, on the database that its servers use.
import process from 'node:process'
import type { Clock } from '../../runtime/ports.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import { Worker } from '../../runtime/worker/worker.ts'
import { give } from '../answer.ts'
import { shown } from '../database.ts'
import { UsageError } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { loadActionsFile } from '../serve/actions-file.ts'
import { serviceLog } from '../serve/log.ts'
import type { ServeOptions } from '../serve/options.ts'
import { openRuntime } from '../serve/open-runtime.ts'
import { readSettings } from '../serve/settings.ts'
import { firstStopSignal } from '../serve/stop-signals.ts'
import { outboxOf } from './outbox-of.ts'

/** What `worker` is told on its command line. */
export type WorkerCommandOptions = Pick<ServeOptions, 'actions' | 'db' | 'witness' | 'stopLimit' | 'json'>

/**
 * Works until a signal says stop; then what is under way ends, within a limit. A second signal ends the process at once.
 * Spec: store 4.
 * @throws UsageError, Unavailable, and the errors of keys, store and definitions
 */
export async function runWorker(options: WorkerCommandOptions, clock: Clock = systemClock): Promise<never> {
  const stopAsked = firstStopSignal()
  if (options.actions === undefined) {
    throw new UsageError(
      '--actions: It must name the module whose actions are worked on; the example has `serve --worker`.',
    )
  }
  const settings = readSettings(options)
  const log = await serviceLog(settings.logLevel)
  const { actions, keyring, worker: identity, webhooks } = await loadActionsFile(options.actions)
  const { runtime, store } = await openRuntime({
    database: settings.database,
    witness: settings.witness,
    keyring: keyring ?? settings.keyring,
    actions,
    log,
    clock,
  })
  const worker = new Worker({ runtime, ...identity, ...outboxOf(webhooks, { store, clock, log }), logger: log })
  worker.start()
  const types = actions.map(({ contract }) => contract.type)
  const database = shown(settings.database)
  const lines = [
    `Countersign works on ${database} for ${types.join(', ')}.`,
    'Ctrl-C stops it when what is under way has ended; pressed twice it ends at once.',
  ]
  give({ exit: EXIT.good, data: { database, actions: types }, lines }, { json: options.json ?? false })
  const signal = await stopAsked
  log.info({ signal }, 'stopping')
  const isDone = await worker.stop({ limitMs: settings.stopLimitMs })
  if (!isDone) log.warn({}, 'the limit is over; what is open will be verified, not repeated')
  await store.close()
  log.info({}, 'stopped')
  process.exit(EXIT.good)
}
