// The figures that are counted: their names, what they say, and the labels, whose values are codes of this library and patterns.
import type { Counter, Histogram, PrometheusLibrary, Registry } from './prometheus-library.ts'

/** Counted as it happens. No label names a tenant, a person or a proposal. */
export interface Figures {
  readonly requests: Histogram<'method' | 'route' | 'status'>
  readonly outcomes: Counter<'operation' | 'outcome'>
  readonly attempts: Counter<never>
  readonly conflicts: Counter<'on'>
  readonly receipts: Counter<'type'>
  readonly hostTrouble: Counter<'method' | 'trouble'>
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30]

/** Makes the figures in a registry of their own. */
export function figuresOf(
  { Counter: CounterOf, Histogram: HistogramOf }: PrometheusLibrary,
  registry: Registry,
): Figures {
  const registers = [registry]
  return {
    requests: new HistogramOf({
      name: 'countersign_http_request_duration_seconds',
      help: 'How long requests took, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers,
    }),
    outcomes: new CounterOf({
      name: 'countersign_outcomes_total',
      help: 'What operations ended in: outcomes, or the codes of refusals.',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    attempts: new CounterOf({
      name: 'countersign_attempts_total',
      help: 'Attempts that were started; each is at most one call of an executor.',
      registers,
    }),
    conflicts: new CounterOf({
      name: 'countersign_conflicts_total',
      help: 'Changes that the store refused since something else was there first.',
      labelNames: ['on'],
      registers,
    }),
    receipts: new CounterOf({
      name: 'countersign_receipts_total',
      help: 'Receipts by type; execution.drift_refused are executions that drift stopped.',
      labelNames: ['type'],
      registers,
    }),
    hostTrouble: new CounterOf({
      name: 'countersign_host_trouble_total',
      help: 'Calls of actions that went wrong; timed_out are those that hung.',
      labelNames: ['method', 'trouble'],
      registers,
    }),
  }
}
