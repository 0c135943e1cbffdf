// The host's own actions: a module that is loaded, and whose default export is looked at before anything is built on it.
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isReference } from '../../effect/reference.ts'
import type { Authenticate } from '../../http/auth/session.ts'
import type { AnyAction } from '../../proposal/action.ts'
import type { Keyring } from '../../runtime/ports.ts'
import type { WorkerOptions } from '../../runtime/worker/worker.ts'
import { Unavailable } from '../errors.ts'
import { isServedWebhooks, type ServedWebhooks } from '../worker/outbox-of.ts'

/** What the default export of such a file is. Spec: http "countersign serve". */
export interface ActionsModule {
  readonly actions: readonly AnyAction[]
  /** Who calls; without it the file is served in development only. */
  readonly authenticate: Authenticate | null
  /** Keys of the host's own; null for those of the environment, or of the file beside the database. */
  readonly keyring: Keyring | null
  /** As whom a worker works. */
  readonly worker: WorkerIdentity
  /** To whom a worker delivers events; null for nobody. */
  readonly webhooks: ServedWebhooks | null
}

/** The principal of a worker, and its roles. */
export type WorkerIdentity = Required<Pick<WorkerOptions, 'principal' | 'roles'>>

/** As whom a worker works where nobody says anything else. */
export const WORKER_DEFAULT: WorkerIdentity = { principal: { kind: 'service', id: 'worker' }, roles: ['worker'] }

const FIELDS = ['actions', 'authenticate', 'keyring', 'worker', 'webhooks'] as const
const METHODS = ['prepare', 'preview', 'resolve', 'execute', 'verify']
/** A module that waits for something this long waits for what will not come. */
const LOAD_LIMIT_MS = 20_000

/**
 * Loads the file, TypeScript included.
 * @throws Unavailable with one sentence that names the file and says what is wrong with it
 */
export async function loadActionsFile(
  path: string,
  { limitMs = LOAD_LIMIT_MS }: { readonly limitMs?: number } = {},
): Promise<ActionsModule> {
  const refused = (sentence: string, cause?: unknown) => new Unavailable(`The file ${path} ${sentence}`, { cause })
  if (!existsSync(path) || !statSync(path).isFile()) throw refused('does not exist.')
  const exported = await imported(path, limitMs, refused)
  if (!isObject(exported)) throw refused('has no default export; it must be an object with "actions".')
  const unknown = Object.keys(exported).filter((name) => !FIELDS.some((field) => field === name))
  if (unknown.length > 0) throw refused(`exports more than ${FIELDS.join(', ')}: ${unknown.join(', ')}.`)
  const {
    actions,
    authenticate,
    keyring,
    worker,
    webhooks,
  }: { readonly [field in (typeof FIELDS)[number]]?: unknown } = exported
  if (!Array.isArray(actions) || actions.length === 0) throw refused('exports no list of actions under "actions".')
  if (!actions.every(isAction)) throw refused('lists something under "actions" that is no action, such as a class.')
  if (authenticate !== undefined && typeof authenticate !== 'function') {
    throw refused('exports an "authenticate" that is no function.')
  }
  if (keyring !== undefined && !isKeyring(keyring)) {
    throw refused('exports a "keyring" that is none; an await may be missing.')
  }
  if (worker !== undefined && !isIdentity(worker)) {
    throw refused('exports a "worker" that is not { principal: { kind: "service", id }, roles }.')
  }
  if (webhooks !== undefined && !isServedWebhooks(webhooks)) {
    throw refused(
      'exports "webhooks" that are not { endpoints: [{ id, url, tenants, secretsFrom: "NAME_IN_THE_ENVIRONMENT" }], … }.',
    )
  }
  return {
    actions,
    authenticate: (authenticate as Authenticate | undefined) ?? null,
    keyring: keyring ?? null,
    worker: worker ?? WORKER_DEFAULT,
    webhooks: webhooks ?? null,
  }
}

async function imported(
  path: string,
  limitMs: number,
  refused: (sentence: string, cause?: unknown) => Unavailable,
): Promise<unknown> {
  const stop = new AbortController()
  const tooLong = delay(limitMs, null, { signal: stop.signal }).then(() => {
    throw refused('did not finish loading: it waits for something at its top level.')
  })
  // Rejects when the load wins, with nobody waiting for it any more.
  tooLong.catch(() => {})
  try {
    const module = (await Promise.race([import(pathToFileURL(resolve(path)).href), tooLong])) as { default?: unknown }
    return module.default
  } catch (error) {
    if (error instanceof Unavailable) throw error
    throw refused(`could not be loaded: ${oneLine(error)}`, error)
  } finally {
    stop.abort()
  }
}

// What a file of the host's own says when it is loaded is for whoever started this, who wrote it.
function oneLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.trim().split('\n', 1)[0] ?? ''
}

function isAction(value: unknown): value is AnyAction {
  if (!isObject(value) || !isObject(Reflect.get(value, 'contract'))) return false
  return METHODS.every((name) => typeof Reflect.get(value, name) === 'function')
}

function isKeyring(value: unknown): value is Keyring {
  return isObject(value) && typeof Reflect.get(value, 'referenceKey') === 'function'
}

function isIdentity(value: unknown): value is WorkerIdentity {
  if (!isObject(value)) return false
  const { principal, roles }: { principal?: unknown; roles?: unknown } = value
  if (!isObject(principal) || Reflect.get(principal, 'kind') !== 'service') return false
  return isReference(Reflect.get(principal, 'id')) && Array.isArray(roles) && roles.every(isReference)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
