// What a part found: figures, what they are held against, and the verdicts; printed as tables and kept as JSON.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Noise } from './noise.ts'
import type { Options } from './options.ts'
import { median, spread } from './statistics.ts'
import type { Figures } from './slices.ts'

/** A measure held against its bar of the specification (performance 3). */
export interface Judged {
  readonly measure: string
  readonly value: number
  /** Zero where it is a count. */
  readonly spread: number
  readonly bar: { readonly kind: 'at least' | 'at most'; readonly value: number }
  /** Counts do not swing with the machine; ratios and times do. */
  readonly isCount: boolean
}

/** What one thing takes: the median of the rounds. */
interface Timed {
  readonly name: string
  readonly unit: string
  readonly value: number
  readonly spread: number
}

/** What one part found. */
export interface Found {
  readonly figures: readonly Figures[]
  readonly judged: readonly Judged[]
  /** What single things take. */
  readonly times?: readonly Timed[]
  /** Figures of other kinds, each by its name. */
  readonly values: Readonly<Record<string, number | string | null>>
  /** Null where nothing that was measured swings with the machine. */
  readonly noise: Noise | null
}

/** A part of the bench. */
export interface Part {
  readonly name: string
  readonly run: (options: Options) => Promise<Found>
}

/** How many times one contender is as fast as another, round by round. */
export function ratio(
  figures: readonly Figures[],
  [of, against]: readonly [string, string],
  inFlight: number,
  againstInFlight: number = inFlight,
): { readonly value: number; readonly spread: number } | null {
  const one = figures.find(({ name, inFlight: at }) => name === of && at === inFlight)
  const other = figures.find(({ name, inFlight: at }) => name === against && at === againstInFlight)
  if (one === undefined || other === undefined) return null
  const rounds = one.slices.map((perSecond, round) => perSecond / (other.slices[round] ?? Number.NaN))
  return { value: median(rounds), spread: spread(rounds) }
}

/** How many times as long as another one a contender takes for its median unit, round by round. */
export function timesRatio(
  figures: readonly Figures[],
  [of, against]: readonly [string, string],
): { readonly value: number; readonly spread: number } | null {
  const one = figures.find(({ name }) => name === of)
  const other = figures.find(({ name }) => name === against)
  if (one === undefined || other === undefined) return null
  const rounds = one.p50s.map((ms, round) => ms / (other.p50s[round] ?? Number.NaN))
  return { value: median(rounds), spread: spread(rounds) }
}

/** A ratio held against its bar; none where a contender was not there. */
export function judgedRatio(
  figures: readonly Figures[],
  pair: readonly [string, string],
  bar: number,
  inFlight: number,
  againstInFlight: number = inFlight,
): readonly Judged[] {
  const found = ratio(figures, pair, inFlight, againstInFlight)
  if (found === null) return []
  const measure = `${pair[0]} at ${inFlight} over ${pair[1]} at ${againstInFlight}`
  return [{ measure, ...found, bar: { kind: 'at least', value: bar }, isCount: false }]
}

type Verdict = 'met' | 'missed' | 'inconclusive'

/** What the bar says to a measure. */
function verdictOf({ value, bar, isCount }: Judged, noise: Noise | null): Verdict {
  if (!isCount && noise !== null && !noise.isQuiet) return 'inconclusive'
  return (bar.kind === 'at least' ? value >= bar.value : value <= bar.value) ? 'met' : 'missed'
}

/** Prints what a part found as tables; the figures of a noisy machine only if they were asked for. */
export function printed(found: Found, evenIfNoisy: boolean): string {
  const isShown = evenIfNoisy || found.noise === null || found.noise.isQuiet
  const shown = (text: string): string => (isShown ? text : 'inconclusive')
  const tables = [ratesTable(found, shown), timesTable(found, shown), judgedTable(found, shown), notes(found)]
  return tables
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

type Shown = (text: string) => string

function ratesTable({ figures }: Found, shown: Shown): readonly string[] {
  const rows = figures.map((one) => {
    const rate = shown(`${digits(one.perSecond)} ± ${digits(one.spread)}`)
    const times = [one.p50Ms, one.p99Ms, one.cpuMsPerUnit].map((ms) => shown(ms.toFixed(2)))
    return [one.name, one.inFlight, rate, ...times]
  })
  return table(['', 'in flight', 'per second', 'p50 ms', 'p99 ms', 'cpu ms'], rows)
}

function timesTable({ times = [] }: Found, shown: Shown): readonly string[] {
  return table(
    ['', 'takes'],
    times.map(({ name, unit, value, spread }) => {
      return [name, shown(`${digits(value)} ± ${digits(spread)} ${unit}`)]
    }),
  )
}

function judgedTable({ judged, noise }: Found, shown: Shown): readonly string[] {
  const rows = judged.map((one) => {
    const value = one.isCount ? digits(one.value) : shown(`${digits(one.value)} ± ${digits(one.spread)}`)
    return [one.measure, value, `${one.bar.kind} ${one.bar.value}`, verdictOf(one, noise)]
  })
  return table(['measure', 'found', 'bar', ''], rows)
}

function notes({ values, noise }: Found): readonly string[] {
  const lines = Object.entries(values).map(([name, value]) => {
    return `- ${name}: ${typeof value === 'number' ? digits(value) : (value ?? 'not counted on this machine')}`
  })
  if (noise === null) return lines
  const { syncMs, syncSpread, idle, isQuiet } = noise
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`
  const sync = `a sync took ${syncMs.toFixed(2)} ms ± ${percent(syncSpread)}`
  const verdict = isQuiet ? 'quiet enough' : 'too noisy for a figure'
  return [...lines, `- ${sync}, ${percent(idle)} of the processors were idle: ${verdict}`]
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] {
  if (rows.length === 0) return []
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** A file of results, as it is kept. */
export interface Kept {
  readonly part: string
  readonly at: string
  readonly versions: Readonly<Record<string, string>>
  readonly machine: Readonly<Record<string, string | number>>
  readonly options: Options
  readonly found: Found
}

/** Keeps what a part found, with versions and machine. */
export function keep(part: string, options: Options, found: Found): void {
  const kept: Kept = {
    part,
    at: new Date().toISOString(),
    versions: versions(),
    machine: machine(),
    options: { ...options, out: '' },
    found,
  }
  mkdirSync(options.out, { recursive: true })
  writeFileSync(join(options.out, `${part}.json`), `${JSON.stringify(kept, null, 2)}\n`)
}

function versions(): Kept['versions'] {
  const require = createRequire(import.meta.url)
  const version = (file: string): string => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  return {
    node: process.versions.node,
    countersign: version(require.resolve('../package.json')),
    'better-sqlite3': version(require.resolve('better-sqlite3/package.json')),
    pg: version(require.resolve('pg/package.json')),
  }
}

function machine(): Kept['machine'] {
  const [first] = cpus()
  const [load = 0] = loadavg()
  return {
    platform: `${process.platform} ${process.arch}`,
    processors: cpus().length,
    model: first?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    load: Number(load.toFixed(2)),
  }
}
