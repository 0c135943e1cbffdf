// The stores that model runs are carried out on, and the one in memory, which is made anew for each run.
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { LiveProposal, Store } from '../../src/runtime/ports.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { type Damage, TamperedStore, type Tampering } from './tampering.ts'

/** What tells a store the time; it stands still between runs. */
export interface Time {
  now(): number
}

/** A store that runs are carried out on, and what an attacker can do to it. */
export interface Ground {
  store(): Store
  /** Opens the store once more, as a new process would; whoever has it open keeps it. */
  reopen(): Promise<void>
  /** Closes what nobody has open any more once a run is over. */
  leave(): Promise<void>
  /** Puts damaged rows in place of those of a proposal. */
  damage(live: LiveProposal, damage: Damage, tampering: Tampering): Promise<void>
  repair(live: LiveProposal, damage: Damage): Promise<void>
  /** Makes an effect unreadable, and readable again; each raises its version by one. */
  corrupt(key: EffectKey): Promise<void>
  mend(key: EffectKey): Promise<void>
}

/** A store in memory, behind whoever tampers with it. */
export function memoryGround(time: Time): Ground {
  const bare = memoryStore({ clock: time })
  const store = new TamperedStore(bare)
  return {
    store: () => store,
    async reopen() {},
    async leave() {},
    damage: async ({ proposal }, damage) => store.damage(proposal.ref, damage, proposal),
    repair: async ({ proposal }) => store.repair(proposal.ref),
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
