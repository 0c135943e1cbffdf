// Serves the HTTP API from one process: builds everything from the settings, says where it is, and stops when told.
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { ProposalRuntime } from '../../runtime/runtime.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import type { Clock, Keyring, Logger } from '../../runtime/ports.ts'
import type { Authenticate } from '../../http/auth/session.ts'
import { give } from '../answer.ts'
import { EXIT } from '../exit-codes.ts'
import { developmentTokens, withSessions } from './development-tokens.ts'
import { greetingData, greetingLines } from './greeting.ts'
import { serverKeys } from './keys.ts'
import { type Listening, listen } from './listen.ts'
import { serviceLog } from './log.ts'
import { needed } from './needed.ts'
import { type Offer, offerOf } from './offer.ts'
import { OpenWork } from './open-work.ts'
import type { ServeOptions } from './options.ts'
import { readSettings, type Settings } from './settings.ts'
import { firstStopSignal } from './stop-signals.ts'

/**
 * Serves until a signal says stop; then open attempts settle, within a limit. Ends the process.
 * Spec: http "countersign serve", "Graceful stop".
 * @throws UsageError, Unavailable, and the errors of keys, store and definitions; nothing listens then
 */
export async function serve(options: ServeOptions, clock: Clock = systemClock): Promise<never> {
  const stopAsked = firstStopSignal()
  const settings = readSettings(options)
  const log = await serviceLog(settings.logLevel)
  const server = await start({ settings, log, clock }, options)
  const signal = await stopAsked
  log.info({ signal, open: server.work.count }, 'stopping')
  const isSettled = await settled(server, settings.stopLimitMs)
  if (!isSettled)
    log.warn({ open: server.work.count }, 'the limit is over; what is still open will be verified, not repeated')
  await server.close()
  log.info({}, 'stopped')
  process.exit(EXIT.good)
}

/** What a server does not make itself. */
interface Surroundings {
  readonly settings: Settings
  readonly log: Logger
  readonly clock: Clock
}

interface Running {
  readonly listening: Listening
  readonly work: OpenWork
  close(): Promise<void>
}

async function start({ settings, log, clock }: Surroundings, { json = false }: ServeOptions): Promise<Running> {
  const { database } = settings
  const offer = await offerOf(settings)
  const { actions, business } = offer
  const keys = await serverKeys(database, offer.keyring ?? settings.keyring)
  const { sqliteStore } = await import('../../store/sqlite-store.ts')
  const store = await sqliteStore(database, {
    clock,
    onCorruptRow: ({ code }) => log.error({ code }, 'a stored row cannot be read, and is left out of a list'),
  })
  const onHostError = (
    error: unknown,
    { method, proposal }: { readonly method: string; readonly proposal: string | null },
  ) => log.warn({ method, proposal, error: error instanceof Error ? error.name : typeof error }, 'an action failed')
  const runtime = await ProposalRuntime.open({
    store,
    keyring: keys.keyring,
    actions,
    clock,
    logger: log,
    onHostError,
  }).catch((error: unknown) => {
    throw keys.refusal(error)
  })
  const { authenticate, tokens } = await callers(offer, keys.keyring, settings)
  const { createApp } = await needed(async () => import('../../http/app.ts'))
  const app = createApp({ runtime, authenticate, logger: log })
  const work = new OpenWork()
  const listening = await listen(work.counted(app.fetch), settings)
  const served = {
    url: listening.url,
    provider: business?.url ?? null,
    actions: actions.map(({ contract }) => contract.type),
    tokens,
    files: {
      database,
      ...(keys.file === null ? {} : { keys: keys.file }),
      ...(business === null ? {} : { 'business system': business.file }),
    },
  }
  give({ exit: EXIT.good, data: greetingData(served), lines: greetingLines(served) }, { json })
  log.info({ url: listening.url }, 'listening')
  return {
    listening,
    work,
    close: async () => {
      listening.close()
      await business?.stop()
      await store.close()
    },
  }
}

/** How callers are known, and the tokens that were made for it. */
async function callers(
  offer: Offer,
  keyring: Keyring,
  { host, isExposed }: Settings,
): Promise<{ readonly authenticate: Authenticate; readonly tokens: Readonly<Record<string, string>> }> {
  const { demandSuitableAddress, staticTokens } = await import('../../http/auth/static-tokens.ts')
  if (offer.authenticate !== null) {
    demandSuitableAddress(offer.authenticate, host)
    return { authenticate: offer.authenticate, tokens: {} }
  }
  const tokens = await developmentTokens(keyring, offer.cast)
  const sessions = withSessions(tokens, offer.cast)
  return { authenticate: staticTokens(sessions, { listeningOn: host, beyondLoopback: isExposed }), tokens }
}

/** Takes nothing new, and waits until what is open is settled and answered; false if that takes longer than the limit. */
async function settled({ listening, work }: Running, limitMs: number): Promise<boolean> {
  const everything = Promise.all([listening.stopAccepting(), work.settled()]).then(() => true)
  return Promise.race([everything, delay(limitMs, false)])
}
