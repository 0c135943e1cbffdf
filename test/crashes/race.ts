// The race: processes behind a start barrier that execute the same proposals at the same moment, batch after batch.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { define } from '../../src/proposal/definition/definition.ts'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { postgresStore } from '../../src/postgres.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { TestAction } from '../runtime/refund.ts'
import { faultsIn } from './audit.ts'
import { startBooks } from './books.ts'
import { Racer, type RacerSetup, shares } from './racers.ts'
import { readLogs } from './written-log.ts'

/** How one process differs from the others. */
export type Entrant = Partial<Pick<RacerSetup, 'contract' | 'offsetMs'>>

export interface RaceOptions {
  /** The address of a PostgreSQL database; a SQLite file of its own where there is none. */
  readonly url: string | null
  readonly schema: string
  readonly entrants: readonly Entrant[]
  readonly effects: number
}

/** What a race has come to. */
export interface Race {
  /** How many effects have an owner, how many calls there were, and how many bookings. */
  readonly claims: number
  readonly calls: number
  readonly bookings: number
  /** Calls by the process that made them. */
  readonly callsOf: readonly number[]
  /** Effects for which two processes or more had found the way free, so that only the store could decide. */
  readonly contended: number
  /** What the processes were told, by the word. */
  readonly told: ReadonlyMap<string, number>
  /** Calls for a proposal that a process with another definition had prepared. */
  readonly foreign: number
  readonly faults: readonly string[]
}

const BATCH = 100
/** Of every so many effects one has two proposals, of which either may claim it. */
const TWINS_EVERY = 4

export async function race({ url, schema, entrants, effects }: RaceOptions): Promise<Race> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-crash-race-'))
  const [books, keys] = [await startBooks(), newKeyringText()]
  const database = url ?? join(folder, 'store.db')
  const store: Store = url === null ? await sqliteStore(database) : await postgresStore({ url, schema })
  const racers: Racer[] = []
  try {
    const setups = entrants.map(({ contract = {}, offsetMs = 0 }, at) => {
      const log = join(folder, `calls-${at}`)
      return { database, schema, keys, books: books.url, log, contract, offsetMs, stopAt: null }
    })
    racers.push(...(await Promise.all(setups.map(async (setup) => Racer.start(setup)))))

    const names = Array.from({ length: effects }, (_, at) => `effect ${at}`)
    const twins = names.filter((_, at) => at % TWINS_EVERY === 0).map((name) => `${name}#2`)
    const [own, more] = [shares(names, racers.length), shares(twins, racers.length)]
    // The second proposal of an effect is prepared by the next process, which may have another definition.
    const orders = racers.map((_, at) => [...(own[at] ?? []), ...(more.at(at - 1) ?? [])])
    const prepared = await Promise.all(
      racers.map(async (racer, at) => racer.tell({ act: 'prepare', names: orders[at] ?? [] })),
    )
    const authors = new Map(prepared.flatMap((refs, at) => refs.map((ref) => [ref, at] as const)))
    const refOf = new Map(orders.flatMap((order, at) => order.map((name, nth) => [name, prepared[at]?.[nth] ?? ''])))
    const order = names.flatMap((name) => [name, `${name}#2`].flatMap((one) => refOf.get(one) ?? []))

    const told = new Map<string, number>()
    const hear = (all: readonly (readonly string[])[]): void => {
      for (const one of all.flat()) told.set(one, (told.get(one) ?? 0) + 1)
    }
    for (let at = 0; at < order.length; at += BATCH) {
      const batch = { act: 'execute', names: order.slice(at, at + BATCH) } as const
      for (const racer of racers) racer.say(batch)
      hear(await Promise.all(racers.map(async (racer) => racer.told())))
    }
    hear(
      await Promise.all(racers.map(async (racer, at) => racer.tell({ act: 'reconcile', names: prepared[at] ?? [] }))),
    )
    for (const racer of racers.splice(0)) await racer.end()

    const logs = setups.map((setup) => readLogs([setup.log]))
    const definitions = entrants.map(({ contract = {} }) => define(new TestAction({ contract, now: () => 0 })))
    const booked = await books.counts()
    const log = readLogs(setups.map((setup) => setup.log))
    const keyring = localKeyring(keys)
    const isApart = entrants.some(({ offsetMs = 0 }) => offsetMs !== 0)
    const remains = { store, keyring, log, definitions, booked, acknowledged: [], isSettled: false, isApart }
    const finders = new Map<string, Set<number>>()
    for (const [at, { resolved }] of logs.entries()) {
      for (const { input } of resolved) {
        const { proposal } = input.context
        finders.set(proposal, (finders.get(proposal) ?? new Set()).add(at))
      }
    }
    const digestOf = (at: number | undefined): string | undefined => definitions[at ?? -1]?.digest
    return {
      claims: new Set(log.executed.map(({ input }) => input.semanticEffectReference)).size,
      calls: log.executed.length,
      bookings: [...booked.values()].reduce((sum, times) => sum + times, 0),
      callsOf: logs.map(({ executed }) => executed.length),
      contended: [...finders.values()].filter((processes) => processes.size > 1).length,
      told,
      foreign: logs.flatMap(({ executed }, at) =>
        executed.filter(({ input }) => digestOf(authors.get(input.context.proposal)) !== digestOf(at)),
      ).length,
      faults: await faultsIn(remains),
    }
  } finally {
    for (const racer of racers) await racer.end()
    await store.close()
    await books.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
