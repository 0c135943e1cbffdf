// The conformance suite of stores: every guarantee of the port, as cases that any store can be held to.
import type { Store } from '../runtime/ports.ts'
import { changeCases } from './store-conformance/change-cases.ts'
import { attemptCases, claimCases } from './store-conformance/effect-cases.ts'
import { erasureCases, evidenceCases } from './store-conformance/erasure-cases.ts'
import { corruptionCases, identityCases } from './store-conformance/identity-cases.ts'
import { lifecycleCases, pairingCases } from './store-conformance/lifecycle-cases.ts'
import { keyCases } from './store-conformance/key-cases.ts'
import { openErasureCases } from './store-conformance/open-erasure-cases.ts'
import { proposalCases } from './store-conformance/proposal-cases.ts'
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
  readonly attack?: (sql: string) => void
  /** Runs SQL past the store and past the guards, as a damaged disk or a careless repair would. */
  readonly tamper?: (sql: string) => void
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

const GUARANTEES: readonly (readonly [title: string, cases: readonly ConformanceCase[]])[] = [
  ['1: committed writes are read, and a change lands once', changeCases],
  ['2: one winner per revision; identity, content and authority stay', proposalCases],
  ['3: one claim per effect', claimCases],
  ['4: one open attempt, ended once, under its fence', attemptCases],
  ['5: records are only added', recordCases],
  ['6: the lifecycle table', lifecycleCases],
  ['7: no status without its record', pairingCases],
  ['8: nothing is left beside a tombstone', [...erasureCases, ...openErasureCases]],
  ['9: tenants never see each other', tenantCases],
  ['10: who uses the store is remembered', identityCases],
  ['11: a corrupt row is told by its address', corruptionCases],
  ['12: evidence can always be appended', evidenceCases],
  ['of keys: wrapped anew in place, and never brought back', keyCases],
  ['of reads: filters, order and pages', readCases],
]

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
  for (const [guarantee, all] of GUARANTEES) {
    const cases = all.filter(({ needs = [] }) => needs.every((ability) => abilities.includes(ability)))
    if (cases.length === 0) continue
    describe(`guarantee ${guarantee}`, () => {
      for (const { title, run } of cases) {
        it(title, async () => {
          const opened = await open()
          try {
            await run(subjectOf(opened))
          } finally {
            await opened.close()
          }
        })
      }
    })
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
