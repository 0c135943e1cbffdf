// A real fault of a real process: killed, or refused by its disk, at the n-th call of a kind; then recovered from.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Figures } from '../figures.ts'
import { entriesIn, Ledger } from '../ledger.ts'
import { lookAt, recover } from '../recovery.ts'
import { diskCallsIn } from './disk-calls.ts'
import { databaseFiles, demandRebuilt, performanceIn } from './recorded-run.ts'
import { type Performance, performUnderStrace, perform } from './strace.ts'

/** What happens to the process. */
export type Fault =
  | { readonly kind: 'kill'; readonly call: string; readonly nth: number }
  /** `isLasting`: from then on every time. */
  | {
      readonly kind: 'error'
      readonly call: string
      readonly code: string
      readonly nth: number
      readonly isLasting: boolean
    }
  /** No file may become longer. */
  | { readonly kind: 'file_limit'; readonly blocks: number }

/**
 * What an operation may be told if its disk is at fault: that nothing was stored, or that nobody knows; and of what is
 * marked for erasure, whose files could not be cleaned, that there is nothing.
 */
const HONEST: ReadonlySet<string> = new Set(['store_unavailable', 'persistence_outcome_unknown', 'not_found'])

function faultName(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return `killed at ${fault.call} ${fault.nth}`
    case 'error':
      return `${fault.code} at ${fault.call} ${fault.nth}${fault.isLasting ? ' and every one after it' : ''}`
    case 'file_limit':
      return `no file longer than ${fault.blocks} blocks`
  }
}

/** Plays the script under the fault and recovers. A fault that was not reached is told as broken. */
export async function suffer(
  fault: Fault,
  { folder, figures }: { readonly folder: string; readonly figures: Figures },
): Promise<void> {
  const performance = performanceIn(folder, 1)
  const where = faultName(fault)
  try {
    if (await isReached(fault, performance, join(folder, 'log'))) figures.reach(placeOf(fault))
    else figures.blame(where, ['the fault was not reached'])
    await recoverFrom(performance, where, figures)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function recoverFrom({ database, book, keys }: Performance, where: string, figures: Figures): Promise<void> {
  const entries = entriesIn(readFileSync(book, 'utf8'))
  figures.blame(where, dishonestIn(entries))
  figures.blame(where, lookAt(database).broken)
  figures.recovered(where, await recover({ database, keys, ledger: new Ledger(null, entries) }))
}

async function isReached(fault: Fault, performance: Performance, log: string): Promise<boolean> {
  switch (fault.kind) {
    case 'kill': {
      const inject = `${fault.call}:signal=KILL:when=${fault.nth}`
      const { signal } = await performUnderStrace(performance, { inject, log })
      const calls = diskCallsIn(readFileSync(log, 'latin1'))
      demandRebuilt(databaseFiles(performance), calls)
      return signal === 'SIGKILL' && calls.filter(({ name }) => name === fault.call).length === fault.nth
    }
    case 'error': {
      const inject = `${fault.call}:error=${fault.code}:when=${fault.nth}${fault.isLasting ? '+' : ''}`
      const { code } = await performUnderStrace(performance, { inject, log })
      return code === 0 && readFileSync(log, 'latin1').includes('(INJECTED)')
    }
    case 'file_limit': {
      const { code } = await perform(performance, fault.blocks)
      return code === 0 && entriesIn(readFileSync(performance.book, 'utf8')).some(({ kind }) => kind === 'refused')
    }
  }
}

function placeOf(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return fault.call
    case 'error':
      return `${fault.call} ${fault.code}${fault.isLasting ? ' from then on' : ' once'}`
    case 'file_limit':
      return 'file limit'
  }
}

// A disk that fails may be told of, and nothing else may be: neither a refusal of another kind nor an error without a code.
function dishonestIn(entries: ReturnType<typeof entriesIn>): readonly string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'refused' && !HONEST.has(entry.code) ? [`${entry.step} was told ${entry.code}`] : [],
  )
}
