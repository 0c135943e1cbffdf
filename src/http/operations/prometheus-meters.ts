// Figures for Prometheus: what was answered, what was committed, which host calls hung, and what waits in the store.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, Logger, Store } from '../../runtime/ports.ts'
import { systemClock } from '../../runtime/system-clock.ts'
import { bearerToken } from '../auth/bearer-token.ts'
import { Unauthenticated } from '../wire/http-refusals.ts'
import type { Meters, RequestFigure } from './meters.ts'
import { loadPrometheus, type PrometheusLibrary } from './prometheus-library.ts'
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
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30]

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
  return {
    request: (figure) => countRequest(figures, figure),
    async answer(request) {
      if (token !== undefined) demandToken(token, request)
      return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } })
    },
    watchStore(store) {
      standingGauges(library, registry, { store, clock })
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

type Figures = ReturnType<typeof figuresOf>

function figuresOf({ Counter, Histogram }: PrometheusLibrary, registry: InstanceType<PrometheusLibrary['Registry']>) {
  const registers = [registry]
  return {
    requests: new Histogram({
      name: 'countersign_http_request_duration_seconds',
      help: 'How long requests took, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers,
    }),
    outcomes: new Counter({
      name: 'countersign_outcomes_total',
      help: 'What operations ended in: outcomes, or the codes of refusals.',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    attempts: new Counter({
      name: 'countersign_attempts_total',
      help: 'Attempts that were started; each is at most one call of an executor.',
      registers,
    }),
    conflicts: new Counter({
      name: 'countersign_conflicts_total',
      help: 'Changes that the store refused since something else was there first.',
      labelNames: ['on'],
      registers,
    }),
    receipts: new Counter({
      name: 'countersign_receipts_total',
      help: 'Receipts by type; execution.drift_refused are executions that drift stopped.',
      labelNames: ['type'],
      registers,
    }),
    hostTrouble: new Counter({
      name: 'countersign_host_trouble_total',
      help: 'Calls of actions that went wrong; timed_out are those that hung.',
      labelNames: ['method', 'trouble'],
      registers,
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

// Asked when the figures are: a store that does not answer leaves them out, and says so.
function standingGauges(
  { Gauge }: PrometheusLibrary,
  registry: InstanceType<PrometheusLibrary['Registry']>,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): void {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name: `countersign_${name}`, help, registers })
  const open = gauge('proposals_open', 'Proposals that wait for approval or execution.')
  const inDoubt = gauge('proposals_in_doubt', 'Proposals whose effect may be happening or may have happened.')
  const oldest = gauge('in_doubt_oldest_age_seconds', 'How long ago the oldest attempt of those in doubt was started.')
  const person = gauge('proposals_needing_a_person', 'Proposals that a person must look into.')
  new Gauge({
    name: 'countersign_store_answers',
    help: 'Whether the store answered when these figures were asked for.',
    registers,
    async collect() {
      const all = await standings(store)
      this.set(all === null ? 0 : 1)
      if (all === null) {
        for (const one of [open, inDoubt, oldest, person]) one.reset()
        return
      }
      const since = all.flatMap(({ inDoubtSince }) => (inDoubtSince === null ? [] : [inDoubtSince]))
      open.set(sum(all.map((one) => one.open)))
      inDoubt.set(sum(all.map((one) => one.inDoubt)))
      person.set(sum(all.map(({ needsPerson }) => needsPerson)))
      oldest.set(since.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...since)) / 1_000)
    },
  })
}

async function standings(store: Store): Promise<readonly Awaited<ReturnType<Store['standing']>>[] | null> {
  try {
    const tenants = await store.tenants()
    return await Promise.all(tenants.map((tenant) => store.standing(tenant)))
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
