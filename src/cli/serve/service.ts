// The service: store, keys, runtime and app, put together from the settings and from what is offered.
import { isLoopback } from '../../http/auth/loopback.ts'
import type { Authenticate } from '../../http/auth/session.ts'
import type { InboxOptions } from '../../http/inbox/inbox.ts'
import { SignInLinks } from '../../http/inbox/session/sign-in-links.ts'
import type { Clock, Keyring, Logger } from '../../runtime/ports.ts'
import { Worker } from '../../runtime/worker/worker.ts'
import { UsageError } from '../errors.ts'
import { outboxOf } from '../worker/outbox-of.ts'
import { developmentTokens, withSessions } from './development-tokens.ts'
import { needed } from './needed.ts'
import type { Offer } from './offer.ts'
import { openRuntime } from './open-runtime.ts'
import type { Settings } from './settings.ts'

/** What a service is made of. */
export interface Parts {
  readonly settings: Settings
  readonly offer: Offer
  readonly log: Logger
  readonly clock: Clock
}

/** A service that can answer requests. */
export interface Service {
  /** The app, for browsers that reach it at this origin. */
  readonly at: (origin: string) => ServedApp
  /** Development tokens by name; none if the host authenticates. */
  readonly tokens: Readonly<Record<string, string>>
  /** Where the keys are; null if they are in no file of this server's. */
  readonly keyFile: string | null
  /** Does what is due, once it is started; null where others do. */
  readonly worker: Worker | null
  /** Closes the store, in which everything is that was acknowledged. */
  readonly close: () => Promise<void>
}

/** The app at its address. */
export interface ServedApp {
  readonly answer: (request: Request) => Response | Promise<Response>
  /** The inbox, or the link that signs in to it once; null where there is none. */
  readonly inbox: string | null
}

/** @throws the errors of keys, store, definitions and missing packages */
export async function openService({ settings, offer, log, clock }: Parts): Promise<Service> {
  const { database, witness } = settings
  const [{ createApp }, { prometheusMeters }] = await needed(async () =>
    Promise.all([import('../../http/app.ts'), import('../../http/operations/prometheus-meters.ts')]),
  )
  const meters = await needed(async () => prometheusMeters({ clock }))
  const { runtime, store, keyring, keyFile } = await openRuntime({
    database,
    witness,
    keyring: offer.keyring ?? settings.keyring,
    actions: offer.actions,
    log: meters.watchLogger(log),
    clock,
    watchStore: (opened) => meters.watchStore(opened),
  })
  const { authenticate, tokens } = await callers(offer, keyring, settings)
  const at = (origin: string): ServedApp => {
    const { inbox, link } = inboxAt(origin, offer, { authenticate, clock })
    const app = createApp({ runtime, authenticate, meters, logger: log, ...(inbox === null ? {} : { inbox }) })
    return { answer: (request) => app.fetch(request), inbox: link }
  }
  const delivering = outboxOf(settings.hasWorker ? offer.webhooks : null, { store, clock, log })
  const worker = settings.hasWorker ? new Worker({ runtime, ...offer.worker, ...delivering, logger: log }) : null
  return { at, tokens, keyFile, worker, close: async () => store.close() }
}

/** The inbox where browsers may reach it without TLS, which is on loopback; the cast signs in by a printed link. */
function inboxAt(
  origin: string,
  { cast }: Offer,
  { authenticate, clock }: { readonly authenticate: Authenticate; readonly clock: Clock },
): { readonly inbox: InboxOptions | null; readonly link: string | null } {
  if (!isLoopback(new URL(origin).hostname)) return { inbox: null, link: null }
  if (cast === null) return { inbox: { origin, session: authenticate }, link: `${origin}/inbox` }
  const signIn = new SignInLinks({ people: cast, clock })
  return { inbox: { origin, signIn }, link: `${origin}/inbox/sign-in/${signIn.issue()}` }
}

/** How callers are known, and the tokens that were made for it. */
async function callers(
  offer: Offer,
  keyring: Keyring,
  { host, isExposed }: Settings,
): Promise<{ readonly authenticate: Authenticate; readonly tokens: Readonly<Record<string, string>> }> {
  const { demandSuitableAddress, staticTokens } = await import('../../http/auth/static-tokens.ts')
  if (offer.authenticate !== null) {
    try {
      demandSuitableAddress(offer.authenticate, host)
    } catch (cause) {
      throw new UsageError(`--host: ${cause instanceof Error ? cause.message : ''}`, { cause })
    }
    return { authenticate: offer.authenticate, tokens: {} }
  }
  const tokens = await developmentTokens(keyring, offer.cast)
  const sessions = withSessions(tokens, offer.cast)
  return { authenticate: staticTokens(sessions, { listeningOn: host, beyondLoopback: isExposed }), tokens }
}
