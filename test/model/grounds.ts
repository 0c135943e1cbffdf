// The stores that model runs are carried out on: one in memory for each run, one database file for many.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { LiveProposal, Store } from '../../src/runtime/ports.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { canonicalText } from '../../src/store/canonical-text.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { damageRows, overwriteSettlement, repairRows } from './sqlite-attacker.ts'
import { type Damage, LET_THROUGH, TamperedStore, type Tampering } from './tampering.ts'

/** What tells a store the time; it stands still between runs. */
export interface Time {
  now(): number
}

/** A store that runs are carried out on, and what an attacker can do to it. */
export interface Ground {
  readonly kind: 'memory' | 'sqlite'
  store(): Store
  /** Opens the store once more, as a new process would; whoever has it open keeps it. */
  reopen(): Promise<void>
  /** Closes what nobody has open any more once a run is over. */
  leave(): Promise<void>
  /** Puts damaged rows in place of those of a proposal. */
  damage(live: LiveProposal, damage: Damage, tampering: Tampering): void
  repair(live: LiveProposal, damage: Damage): void
  /** Makes an effect unreadable, and readable again; each raises its version by one. */
  corrupt(key: EffectKey): Promise<void>
  mend(key: EffectKey): Promise<void>
}

/** A store in memory, behind whoever tampers with it. */
export function memoryGround(time: Time): Ground {
  const bare = memoryStore({ clock: time })
  const store = new TamperedStore(bare)
  return {
    kind: 'memory',
    store: () => store,
    async reopen() {},
    async leave() {},
    damage: ({ proposal }, damage) => store.damage(proposal.ref, damage, proposal),
    repair: ({ proposal }) => store.repair(proposal.ref),
    async corrupt(key) {
      await raiseVersion(bare, key)
      store.corrupt(key)
    },
    async mend(key) {
      await raiseVersion(bare, key)
      store.mend(key)
    },
  }
}

/** A database file in a folder of its own; `time` is the clock of the run that is under way. */
export interface SqliteGround extends Ground {
  close(): Promise<void>
}

export async function sqliteGround(time: Time): Promise<SqliteGround> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-model-'))
  const path = join(folder, 'store.db')
  let store = await sqliteStore(path, { clock: time })
  let earlier: Store[] = []
  const settlements = new Map<string, string | null>()
  const leave = async (): Promise<void> => {
    for (const one of earlier) await one.close()
    earlier = []
  }
  return {
    kind: 'sqlite',
    store: () => store,
    async reopen() {
      earlier.push(store)
      store = await sqliteStore(path, { clock: time })
    },
    leave,
    damage: (live, damage, tampering) => {
      damageRows(path, live, damage, LET_THROUGH.has(tampering) ? 'guarded' : 'unguarded')
    },
    repair: (live, damage) => repairRows(path, live, damage),
    async corrupt(key) {
      const settlement = (await store.effect(key))?.settlement ?? null
      settlements.set(key.reference, settlement === null ? null : canonicalText(settlement))
      overwriteSettlement(path, key, '{"verdict":')
    },
    async mend(key) {
      overwriteSettlement(path, key, settlements.get(key.reference) ?? null)
    },
    async close() {
      await leave()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function raiseVersion(store: Store, key: EffectKey): Promise<void> {
  const effect = await store.effect(key)
  if (effect === null) throw new Error('only a claimed effect has a row')
  const { attempts: _attempts, observations: _observations, ...row } = effect
  const answer = await store.commit({
    changeId: `raised-${key.reference}-${effect.version}`,
    tenant: key.tenant,
    notAfter: null,
    notBefore: null,
    proposals: [],
    effect: {
      row: { ...row, version: row.version + 1 },
      expect: row.version,
      formerKeys: [],
      opened: null,
      ended: null,
      observed: null,
    },
    call: null,
    approvals: [],
    receipts: [],
    events: [],
  })
  if (answer.kind !== 'committed') throw new Error('nobody else writes here')
}
