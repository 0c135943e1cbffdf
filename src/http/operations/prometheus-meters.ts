// Figures for Prometheus: what was answered, what was committed, which host calls hung, and what waits in the store.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, Logger, Standing, Store } from '../../runtime/ports.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import { bearerToken } from '../auth/bearer-token.ts'
import { Unauthenticated } from '../wire/http-refusals.ts'
import type { Meters, RequestFigure } from './meters.ts'
import { type Figures, figuresOf } from './figures.ts'
import { type Gauge, loadPrometheus, type PrometheusLibrary, type Registry } from './prometheus-library.ts'
import { watchedStore } from './watched-store.ts'

/** Who may read the figures, and by which clock the oldest doubt is aged. */
export interface PrometheusMetersOptions {
  /**
   * `/metrics` is answered only to `Authorization: Bearer` with this token, 16 characters or more. Without it, it is
   * answered to whoever reaches the server: then keep the path to the inside, as one does. Figures never name a tenant.
   */
  readonly token?: string
  readonly clock?: Clock
}

/** The meters of an app, and of the parts that its runtime is made of. */
export interface PrometheusMeters extends Meters {
  /** To be handed to the runtime in place of the store: counts attempts, conflicts and receipts, and asks what waits. */
  watchStore(store: Store): Store
  /** To be handed to the runtime in place of the logger: counts calls of actions that failed or hung. */
  watchLogger(logger: Logger): Logger
}

const TOKEN_CHARACTERS_MIN = 16

/**
 * Makes the meters.
 * @throws TypeError for a token that is too short, or where prom-client is missing
 *
 * @example
 * const meters = prometheusMeters()
 * const runtime = await ProposalRuntime.open({ store: meters.watchStore(store), logger: meters.watchLogger(logger), … })
 * const app = createApp({ runtime, authenticate, meters })
 */
export function prometheusMeters(options: PrometheusMetersOptions = {}): PrometheusMeters {
  const { token, clock = systemClock } = options
  if (token !== undefined && token.length < TOKEN_CHARACTERS_MIN) {
    throw new TypeError(`The token of the figures needs ${TOKEN_CHARACTERS_MIN} characters or more.`)
  }
  const library = loadPrometheus()
  const registry = new library.Registry()
  const figures = figuresOf(library, registry)
  const stores: Store[] = []
  let readStanding: (() => Promise<void>) | null = null
  return {
    request: (figure) => countRequest(figures, figure),
    async answer(request) {
      if (token !== undefined) demandToken(token, request)
      await readStanding?.()
      return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } })
    },
    watchStore(store) {
      stores.push(store)
      readStanding ??= standingReading(library, registry, { stores, clock })
      return watchedStore(store, {
        attemptStarted: () => figures.attempts.inc(),
        conflict: (on) => figures.conflicts.inc({ on }),
        receipt: (type) => figures.receipts.inc({ type }),
      })
    },
    watchLogger: (logger) => ({
      info: (fields, message) => logger.info(fields, message),
      warn(fields, message) {
        const { method, trouble } = fields
        if (typeof method === 'string' && typeof trouble === 'string') figures.hostTrouble.inc({ method, trouble })
        logger.warn(fields, message)
      },
      error: (fields, message) => logger.error(fields, message),
    }),
  }
}

function countRequest(
  { requests, outcomes }: Figures,
  { method, route, status, operation, outcome, durationMs }: RequestFigure,
): void {
  requests.observe({ method, route, status }, durationMs / 1_000)
  if (operation !== null && outcome !== null) outcomes.inc({ operation, outcome })
}

// Read when the figures are asked for: a store that does not answer leaves them out, and says so.
function standingReading(
  { Gauge }: PrometheusLibrary,
  registry: Registry,
  { stores, clock }: { readonly stores: readonly Store[]; readonly clock: Clock },
): () => Promise<void> {
  const gauge = (name: string, help: string): Gauge => {
    return new Gauge({ name: `countersign_${name}`, help, registers: [registry] })
  }
  const answers = gauge('store_answers', 'Whether the store answered when these figures were asked for.')
  const waiting = {
    open: gauge('proposals_open', 'Proposals that wait for approval or execution.'),
    inDoubt: gauge('proposals_in_doubt', 'Proposals whose effect may be happening or may have happened.'),
    oldest: gauge('in_doubt_oldest_age_seconds', 'How long ago the oldest attempt of those in doubt was started.'),
    person: gauge('proposals_needing_a_person', 'Proposals that a person must look into.'),
  }
  return async () => {
    const all = await standings(stores)
    answers.set(all === null ? 0 : 1)
    if (all === null) {
      for (const one of Object.values(waiting)) one.remove()
      return
    }
    const since = all.flatMap(({ inDoubtSince }) => (inDoubtSince === null ? [] : [inDoubtSince]))
    waiting.open.set(sum(all.map(({ open }) => open)))
    waiting.inDoubt.set(sum(all.map(({ inDoubt }) => inDoubt)))
    waiting.person.set(sum(all.map(({ needsPerson }) => needsPerson)))
    waiting.oldest.set(since.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...since)) / 1_000)
  }
}

async function standings(stores: readonly Store[]): Promise<readonly Standing[] | null> {
  try {
    const all = await Promise.all(
      stores.map(async (store) => {
        const tenants = await store.tenants()
        return Promise.all(tenants.map((tenant) => store.standing(tenant)))
      }),
    )
    return all.flat()
  } catch {
    return null
  }
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}

function demandToken(token: string, { headers }: Request): void {
  const given = bearerToken(headers)
  if (given === null) throw new Unauthenticated('none')
  if (!timingSafeEqual(digest(given), digest(token))) throw new Unauthenticated('refused')
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest()
}
