// Serves the HTTP API from one process: starts what the settings ask for, says where it is, and stops when told.
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { swaggerFolder } from '../../http/openapi/swagger-assets.ts'
import type { Clock, Logger } from '../../runtime/ports.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import type { Worker } from '../../runtime/worker/worker.ts'
import { give } from '../answer.ts'
import { shown } from '../database.ts'
import { EXIT } from '../exit-codes.ts'
import { greetingData, greetingLines } from './greeting.ts'
import { type Listening, listen } from './listen.ts'
import { serviceLog } from './log.ts'
import { offerOf } from './offer.ts'
import { OpenWork } from './open-work.ts'
import type { ServeOptions } from './options.ts'
import { openService, type ServedApp } from './service.ts'
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
    log.warn({ open: server.work.count }, 'the limit is over; what is open will be verified, not repeated')
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
  readonly worker: Worker | null
  readonly close: () => Promise<void>
}

async function start({ settings, log, clock }: Surroundings, { json = false }: ServeOptions): Promise<Running> {
  const offer = await offerOf(settings)
  const { actions, business } = offer
  const service = await openService({ settings, offer, log, clock })
  const work = new OpenWork()
  // Browsers are told where they are: the address is known once the port is.
  let app: ServedApp | null = null
  const listening = await listen(
    work.counted((request) => app?.answer(request) ?? new Response(null, { status: 503 })),
    settings,
  )
  app = service.at(listening.url)
  const served = {
    url: listening.url,
    description: swaggerFolder() === null ? ('/openapi.json' as const) : ('/docs' as const),
    inbox: app.inbox,
    provider: business?.url ?? null,
    actions: actions.map(({ contract }) => contract.type),
    tokens: service.tokens,
    files: {
      database: shown(settings.database),
      ...(settings.witness === null ? {} : { witness: settings.witness }),
      ...(service.keyFile === null ? {} : { keys: service.keyFile }),
      ...(business === null ? {} : { 'business system': business.file }),
    },
  }
  give({ exit: EXIT.good, data: greetingData(served), lines: greetingLines(served) }, { json })
  log.info({ url: listening.url }, 'listening')
  service.worker?.start()
  return {
    listening,
    work,
    worker: service.worker,
    close: async () => {
      listening.close()
      await business?.stop()
      await service.close()
    },
  }
}

/** Takes nothing new, and waits until what is open is settled and answered; false if that takes longer than the limit. */
async function settled({ listening, work, worker }: Running, limitMs: number): Promise<boolean> {
  const isDone = worker?.stop({ limitMs }) ?? true
  const everything = Promise.all([isDone, listening.stopAccepting(), work.settled()]).then(([done]) => done)
  return Promise.race([everything, delay(limitMs, false)])
}
