// What is served: the example, or actions of the host's own.
import { businessBeside } from '../database.ts'
import type { Authenticate } from '../../http/auth/session.ts'
import type { AnyAction } from '../../proposal/action.ts'
import type { Keyring } from '../../runtime/ports.ts'
import type { BusinessSystem } from '../../testing/business-system/start.ts'
import { Unavailable } from '../errors.ts'
import type { ServedWebhooks } from '../worker/outbox-of.ts'
import { loadActionsFile, WORKER_DEFAULT, type WorkerIdentity } from './actions-file.ts'
import type { Cast } from './development-tokens.ts'
import { roleCast } from './role-cast.ts'
import type { Settings } from './settings.ts'

/** Actions, and how their callers are known: by the host's authentication, or as a cast that gets development tokens. */
export type Offer = {
  readonly actions: readonly AnyAction[]
  /** Keys of the host's own. */
  readonly keyring: Keyring | null
  /** As whom a worker works. */
  readonly worker: WorkerIdentity
  /** To whom it delivers events. */
  readonly webhooks: ServedWebhooks | null
  /** The example's business system, which is to be stopped in the end. */
  readonly business: BusinessSystem | null
} & (
  | { readonly authenticate: Authenticate; readonly cast: null }
  | { readonly authenticate: null; readonly cast: Cast }
)

/** @throws Unavailable for a file that cannot be used, or an example that does not start */
export async function offerOf(settings: Settings): Promise<Offer> {
  const { actionsFile } = settings
  return actionsFile === null ? exampleOffer(settings) : ownOffer(actionsFile, settings)
}

async function exampleOffer({ database, port }: Settings): Promise<Offer> {
  const [{ startExample }, { exampleCast }] = await Promise.all([
    import('./example/start-example.ts'),
    import('./example/example-cast.ts'),
  ])
  const { actions, business } = await startExample(businessBeside(database), { serverPort: port })
  return {
    actions,
    business,
    keyring: null,
    worker: WORKER_DEFAULT,
    webhooks: null,
    authenticate: null,
    cast: exampleCast,
  }
}

async function ownOffer(path: string, { isDevelopment }: Settings): Promise<Offer> {
  const { actions, authenticate, keyring, worker, webhooks } = await loadActionsFile(path)
  const rest = { actions, keyring, worker, webhooks, business: null }
  if (authenticate !== null) return { ...rest, authenticate, cast: null }
  if (isDevelopment) return { ...rest, authenticate, cast: roleCast(actions) }
  throw new Unavailable(
    `The file ${path} exports no "authenticate", so nobody could be told from anybody else; --dev serves it to this machine with development tokens.`,
  )
}
