// The stores that a suite is held to, each opened anew with a clock that the test moves.
import type { Store } from '../../src/runtime/ports.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import type { PatientClock } from './patient-clock.ts'
import { openPostgres } from './postgres-fixture.ts'
import { openSqlite } from './sqlite-fixture.ts'

/** For `describe.each(EVERY_STORE)('… on %s', (store) => …)`. */
export const EVERY_STORE = ['memory', 'sqlite', 'postgres'] as const
export type StoreName = (typeof EVERY_STORE)[number]

/** A store in which nothing is. */
export interface FreshStore {
  readonly store: Store
  /** The database file, where it is one. */
  readonly path: string | null
  /** Closes it and removes what it kept. */
  readonly close: () => Promise<void>
}

export async function openFresh(name: StoreName, clock: PatientClock): Promise<FreshStore> {
  switch (name) {
    case 'memory': {
      const store = memoryStore({ clock })
      return { store, path: null, close: () => store.close() }
    }
    case 'sqlite': {
      const { store, path, close } = await openSqlite({ clock })
      return { store: clock.over(store), path, close }
    }
    case 'postgres': {
      const { store, close } = await openPostgres({ clock })
      return { store: clock.over(store), path: null, close }
    }
  }
}
