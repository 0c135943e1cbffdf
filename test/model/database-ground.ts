// The ground of model runs on a database: opened again and again, and got at with SQL.
import { canonicalText } from '../../src/store/canonical-text.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { type AttackStatement, damaging, overwriting, repairing } from './attacker.ts'
import type { Ground } from './grounds.ts'
import { LET_THROUGH } from './tampering.ts'

/** Kept for many runs, one after the other; the time that it was made with is that of the run that is under way. */
export interface DatabaseGround extends Ground {
  close(): Promise<void>
}

/** What a database is for model runs. */
interface DatabaseParts {
  readonly open: () => Promise<Store>
  /** Runs the statements in one transaction, as far as the guards let them pass, or without the guards. */
  readonly attack: (statements: readonly AttackStatement[], how: 'guarded' | 'unguarded') => Promise<void>
  readonly remove: () => Promise<void>
}

export async function databaseGround({ open, attack, remove }: DatabaseParts): Promise<DatabaseGround> {
  let store = await open()
  let earlier: Store[] = []
  const settlements = new Map<string, string | null>()
  const leave = async (): Promise<void> => {
    for (const one of earlier) await one.close()
    earlier = []
  }
  return {
    store: () => store,
    async reopen() {
      earlier.push(store)
      store = await open()
    },
    leave,
    damage: (live, damage, tampering) =>
      attack(damaging(live, damage), LET_THROUGH.has(tampering) ? 'guarded' : 'unguarded'),
    repair: (live, damage) => attack(repairing(live, damage), 'unguarded'),
    async corrupt(key) {
      const settlement = (await store.effect(key))?.settlement ?? null
      settlements.set(key.reference, settlement === null ? null : canonicalText(settlement))
      await attack(overwriting(key, '{"verdict":'), 'guarded')
    },
    mend: (key) => attack(overwriting(key, settlements.get(key.reference) ?? null), 'guarded'),
    async close() {
      await leave()
      await store.close()
      await remove()
    },
  }
}
