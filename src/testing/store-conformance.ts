// The conformance suite of stores: every guarantee of the port, as cases that any store can be held to.
import type { Store } from '../runtime/ports.ts'
import { type ClauseResult, type ConformanceReport, conformanceReport } from './conformance-report.ts'
import { callCases } from './store-conformance/call-cases.ts'
import { callDamageCases } from './store-conformance/call-damage-cases.ts'
import { callOrderCases } from './store-conformance/call-order-cases.ts'
import { changeCases } from './store-conformance/change-cases.ts'
import { deliveryCases } from './store-conformance/delivery-cases.ts'
import { attemptCases, claimCases } from './store-conformance/effect-cases.ts'
import { dueCases } from './store-conformance/due-cases.ts'
import { erasureCases, evidenceCases } from './store-conformance/erasure-cases.ts'
import { corruptionCases, identityCases, schemaCases } from './store-conformance/identity-cases.ts'
import { lifecycleCases, pairingCases } from './store-conformance/lifecycle-cases.ts'
import { keyCases } from './store-conformance/key-cases.ts'
import { openErasureCases } from './store-conformance/open-erasure-cases.ts'
import { proposalCases } from './store-conformance/proposal-cases.ts'
import { attemptRaceCases, nameRaceCases, recordRaceCases, sharedReadCases } from './store-conformance/race-cases.ts'
import { readCases } from './store-conformance/read-cases.ts'
import { recordCases } from './store-conformance/record-cases.ts'
import { tenantCases } from './store-conformance/tenant-cases.ts'
import type { Ability, ConformanceCase, Subject } from './store-conformance/conformance-case.ts'

/** A freshly opened, empty store, and what can be done around it; cases that need what is missing are left out. */
export interface StoreUnderTest {
  readonly store: Store
  /** Another connection to the same data. */
  readonly second?: () => Promise<Store>
  /** Closes the store and opens the same data again. */
  readonly reopen?: () => Promise<Store>
  /** Runs SQL past the store, with every guard of the database in force; throws what the database throws. */
  readonly attack?: (sql: string) => void | Promise<void>
  /** Runs SQL past the store and past the guards, as a damaged disk or a careless repair would. */
  readonly tamper?: (sql: string) => void | Promise<void>
  /** Closes the store and whatever else was opened, and removes the data. */
  readonly close: () => Promise<void>
}

/** The test runner's two functions, and how a store is opened. */
export interface StoreConformanceOptions {
  readonly describe: (title: string, body: () => void) => void
  readonly it: (title: string, body: () => Promise<void>) => void
  /** Opens an empty store; called once for each case. */
  readonly open: () => Promise<StoreUnderTest>
  /** What `open` brings beside the store. */
  readonly abilities: readonly Ability[]
}

/** The guarantees in an order in which each rests on those before it. */
const GUARANTEES: readonly (readonly [title: string, code: string, cases: readonly ConformanceCase[]])[] = [
  ['1: committed writes are read, and a change lands once', 'change', [...changeCases, ...sharedReadCases]],
  [
    '2: one winner per revision; identity, content and authority stay',
    'proposal',
    [...proposalCases, ...nameRaceCases],
  ],
  ['3: one claim per effect', 'claim', claimCases],
  ['4: one open attempt, ended once, under its fence', 'attempt', [...attemptCases, ...attemptRaceCases]],
  [
    '3 and 4, of guarded calls: claimed once, completed once, released unstarted',
    'call',
    [...callCases, ...callOrderCases, ...callDamageCases],
  ],
  ['5: records are only added', 'record', recordCases],
  ['6: the lifecycle table', 'lifecycle', lifecycleCases],
  ['7: no status without its record', 'pairing', pairingCases],
  ['8: nothing is left beside a tombstone', 'erasure', [...erasureCases, ...openErasureCases, ...recordRaceCases]],
  ['9: tenants never see each other', 'tenant', tenantCases],
  [
    '10: who uses the store is remembered, and a foreign schema refused',
    'identity',
    [...identityCases, ...schemaCases],
  ],
  ['11: a corrupt row is told by its address', 'corruption', corruptionCases],
  ['12: evidence can always be appended', 'evidence', evidenceCases],
  ['of keys: wrapped anew in place, and never brought back', 'key', keyCases],
  ['of reads: filters, order and pages', 'read', readCases],
  ['of due work: found when it is due, in its order', 'due', dueCases],
  ['of deliveries: nothing queued is lost, and a queue has one holder', 'delivery', deliveryCases],
]

/** A store does not hold to a guarantee: `code` says to which, the cause what was seen. */
export class StoreNonconformance extends Error {
  readonly code: string
  constructor(code: string, cause: unknown) {
    super(`${code}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'StoreNonconformance'
    this.code = code
  }
}

/**
 * Registers the cases of all guarantees. Spec: store 2.
 *
 * ```ts
 * storeConformance({ describe, it, abilities: [], open: async () => {
 *   const store = myStore()
 *   return { store, close: () => store.close() }
 * } })
 * ```
 */
export function storeConformance({ describe, it, open, abilities }: StoreConformanceOptions): void {
  for (const [guarantee, fallback, all] of GUARANTEES) {
    const cases = all.filter((one) => missingFor(one, abilities).length === 0)
    if (cases.length === 0) continue
    describe(`guarantee ${guarantee}`, () => {
      for (const one of cases) {
        it(one.title, async () => {
          const failure = await failureOf(one, fallback, open)
          if (failure !== null) throw failure
        })
      }
    })
  }
}

/**
 * The same cases without a test runner. Each guarantee rests on those before it: the report ends with the first case that
 * fails, and says of what comes after it that it was not run. Spec: harness 3.
 */
export async function storeReport(
  subject: string,
  { open, abilities }: Pick<StoreConformanceOptions, 'open' | 'abilities'>,
): Promise<ConformanceReport> {
  const clauses: ClauseResult[] = []
  let failed: string | null = null
  for (const [guarantee, fallback, all] of GUARANTEES) {
    for (const one of all) {
      const clause = `${guarantee.split(':', 1)[0]}: ${one.title}`
      const missing = missingFor(one, abilities)
      if (failed !== null || missing.length > 0) {
        const sentence = failed === null ? `It needs: ${missing.join(', ')}.` : `It rests on what failed: ${failed}.`
        clauses.push({ clause, state: 'not_run', code: null, sentence })
        continue
      }
      const failure = await failureOf(one, fallback, open)
      failed = failure?.code ?? null
      clauses.push(
        failure === null
          ? { clause, state: 'passed', code: null, sentence: `Held: ${one.title}.` }
          : { clause, state: 'failed', code: failure.code, sentence: `Does not hold: ${one.title}.` },
      )
    }
  }
  return conformanceReport({ kit: 'storeConformance', subject, seed: null, clauses })
}

function missingFor({ needs = [] }: ConformanceCase, abilities: readonly Ability[]): readonly Ability[] {
  return needs.filter((ability) => !abilities.includes(ability))
}

async function failureOf(
  { code, run }: ConformanceCase,
  fallback: string,
  open: StoreConformanceOptions['open'],
): Promise<StoreNonconformance | null> {
  const opened = await open()
  try {
    await run(subjectOf(opened))
    return null
  } catch (cause) {
    return new StoreNonconformance(code ?? fallback, cause)
  } finally {
    await opened.close()
  }
}

function subjectOf(opened: StoreUnderTest): Subject {
  const missing = (): never => {
    throw new TypeError('The store under test lacks an ability that was announced')
  }
  return {
    store: opened.store,
    second: opened.second ?? missing,
    reopen: opened.reopen ?? missing,
    attack: opened.attack ?? missing,
    tamper: opened.tamper ?? missing,
  }
}
