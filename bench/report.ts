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

/** What one part found. */
export interface Found {
  readonly figures: readonly Figures[]
  readonly judged: readonly Judged[]
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
export function printed({ figures, judged, values, noise }: Found, evenIfNoisy: boolean): string {
  const isShown = evenIfNoisy || noise === null || noise.isQuiet
  const shown = (text: string): string => (isShown ? text : 'inconclusive')
  const lines: string[] = []
  if (figures.length > 0) {
    lines.push('| | in flight | per second | p50 ms | p99 ms | cpu ms |', '| --- | --- | --- | --- | --- | --- |')
    for (const one of figures) {
      const rate = shown(`${digits(one.perSecond)} ± ${digits(one.spread)}`)
      const times = [one.p50Ms, one.p99Ms, one.cpuMsPerUnit].map((ms) => shown(ms.toFixed(2)))
      lines.push(`| ${[one.name, one.inFlight, rate, ...times].join(' | ')} |`)
    }
    lines.push('')
  }
  if (judged.length > 0) {
    lines.push('| measure | found | bar | |', '| --- | --- | --- | --- |')
    for (const one of judged) {
      const found = one.isCount ? digits(one.value) : shown(`${digits(one.value)} ± ${digits(one.spread)}`)
      const bar = `${one.bar.kind} ${one.bar.value}`
      lines.push(`| ${[one.measure, found, bar, verdictOf(one, noise)].join(' | ')} |`)
    }
    lines.push('')
  }
  for (const [name, value] of Object.entries(values)) {
    lines.push(`- ${name}: ${typeof value === 'number' ? digits(value) : (value ?? 'not counted on this machine')}`)
  }
  if (noise !== null) {
    const { syncMs, syncSpread, idle, isQuiet } = noise
    const percent = (share: number): string => `${(share * 100).toFixed(0)} %`
    lines.push(
      `- a sync took ${syncMs.toFixed(2)} ms ± ${percent(syncSpread)}, ${percent(idle)} of the processors were idle: ${isQuiet ? 'quiet enough' : 'too noisy for a figure'}`,
    )
  }
  return lines.join('\n')
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
    options,
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
