// Loads prom-client, or says in one sentence what is missing.
import { createRequire } from 'node:module'
import type * as promClient from 'prom-client'

/** What figures are kept in. */
export type Registry = promClient.Registry
export type Gauge = promClient.Gauge
export type Counter<Label extends string> = promClient.Counter<Label>
export type Histogram<Label extends string> = promClient.Histogram<Label>

/** What is used of the library. */
export type PrometheusLibrary = Pick<typeof promClient, 'Counter' | 'Gauge' | 'Histogram' | 'Registry'>

/**
 * Loaded at the first use and not by an import: it is an optional peer.
 * @throws TypeError with a sentence for whoever installs
 */
export function loadPrometheus(): PrometheusLibrary {
  try {
    return createRequire(import.meta.url)('prom-client') as PrometheusLibrary
  } catch (cause) {
    throw new TypeError('Metrics need the package prom-client: npm install prom-client@15.', { cause })
  }
}
