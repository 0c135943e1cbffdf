// The noise gate: whether the machine was quiet enough for a figure to mean something.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { median, relativeSpread } from './statistics.ts'

const SYNCS = 21
const IDLE_MS = 200
/** Between the quartiles of the sync times, as a share of their median. */
const SYNC_SPREAD_MAX = 0.5
/** Of all processors, while the bench does nothing. */
const IDLE_MIN = 0.8

/** What the machine was like while a part was measured. */
export interface Noise {
  /** Milliseconds of a durable sync that overwrites 4 KiB: the median, and its relative spread over the rounds. */
  readonly syncMs: number
  readonly syncSpread: number
  /** Share of the processors that nobody used while the bench did nothing. */
  readonly idle: number
  readonly isQuiet: boolean
}

/** Looks at the machine once before every round, and says at the end what it was like. */
export class NoiseGate {
  readonly #file: string
  readonly #syncs: number[] = []
  readonly #idle: number[] = []

  /** `folder` is on the disk that is measured. */
  constructor(folder: string) {
    this.#file = join(folder, 'noise-gate')
  }

  async look(): Promise<void> {
    this.#syncs.push(medianSyncMs(this.#file))
    this.#idle.push(await idleShare())
  }

  result(): Noise {
    const syncSpread = relativeSpread(this.#syncs)
    const idle = median(this.#idle)
    const isQuiet = syncSpread <= SYNC_SPREAD_MAX && idle >= IDLE_MIN
    return { syncMs: median(this.#syncs), syncSpread, idle, isQuiet }
  }
}

function medianSyncMs(file: string): number {
  const descriptor = openSync(file, 'w')
  const page = Buffer.alloc(4_096, 1)
  const times: number[] = []
  // The first one grows the file.
  for (let sync = 0; sync <= SYNCS; sync += 1) {
    const began = performance.now()
    writeSync(descriptor, page, 0, page.length, 0)
    fdatasyncSync(descriptor)
    if (sync > 0) times.push(performance.now() - began)
  }
  closeSync(descriptor)
  return median(times)
}

async function idleShare(): Promise<number> {
  const before = processorTimes()
  await pause(IDLE_MS)
  const after = processorTimes()
  return (after.idle - before.idle) / (after.all - before.all)
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map(({ times }) => times)
  const all = times.flatMap(({ user, nice, sys, idle, irq }) => [user, nice, sys, idle, irq])
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all: all.reduce((sum, one) => sum + one, 0) }
}
