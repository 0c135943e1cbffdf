// Opens the runtime of a process: its keys, its store, and the actions on them.
import { errorFields } from '../../http/wire/error-fields.ts'
import type { AnyAction } from '../../proposal/action.ts'
import type { Clock, Keyring, Logger, Store } from '../../runtime/ports.ts'
import { ProposalRuntime } from '../../runtime/runtime.ts'
import { isPostgres } from '../database.ts'
import { Unavailable } from '../errors.ts'
import { serverKeys } from './keys.ts'
import { needed } from './needed.ts'

/** What a runtime is opened with. */
export interface RuntimeParts {
  readonly database: string
  /** The file that remembers the database outside it; null where nothing does. */
  readonly witness: string | null
  /** Keys of the host or the environment; null for those of the file beside the database. */
  readonly keyring: Keyring | null
  readonly actions: readonly AnyAction[]
  readonly log: Logger
  readonly clock: Clock
  /** Stands around the store. */
  readonly watchStore?: (store: Store) => Store
}

/** A runtime with what it stands on. */
export interface OpenedRuntime {
  readonly runtime: ProposalRuntime
  readonly store: Store
  readonly keyring: Keyring
  /** Where the keys are; null if they are in no file of this process's. */
  readonly keyFile: string | null
}

/** @throws the errors of keys, store, definitions and missing packages */
export async function openRuntime({ database, witness, log, clock, ...parts }: RuntimeParts): Promise<OpenedRuntime> {
  const { openStore } = await needed(async () => import('./open-store.ts'))
  if (witness === null) await demandWitness(database, parts.actions)
  const keys = await serverKeys(database, parts.keyring)
  const store = await openStore(database, {
    clock,
    witness,
    onCorruptRow: ({ code }) => log.error({ code }, 'a stored row cannot be read, and is left out of a list'),
  })
  const runtime = await ProposalRuntime.open({
    store: parts.watchStore?.(store) ?? store,
    keyring: keys.keyring,
    actions: parts.actions,
    clock,
    logger: log,
    onHostError: (error, { method, proposal }) =>
      log.warn({ method, proposal, ...errorFields(error) }, 'an action threw, or hung'),
  }).catch((error: unknown) => {
    throw keys.refusal(error)
  })
  return { runtime, store, keyring: keys.keyring, keyFile: keys.file }
}

// Nobody asks before a proposal that was executed is executed again where it is only approved as yet (trace S14).
async function demandWitness(database: string, actions: readonly AnyAction[]): Promise<void> {
  if (!isPostgres(database) || actions.every(({ contract }) => contract.execution !== 'when_approved')) return
  const { hasAsynchronousReplicas } = await needed(async () => import('../../store/postgres-replicas.ts'))
  if (!(await hasAsynchronousReplicas(database))) return
  throw new Unavailable(
    'Actions are executed when they are approved, and the server has replicas that commits do not wait for: one that takes over may not know what was executed. --witness FILE, or COUNTERSIGN_WITNESS, finds that out.',
  )
}
