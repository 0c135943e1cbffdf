// What every operation of the runtime works with, and the few questions that all of them ask.
import type { ClockWatch } from './clock-watch.ts'
import type { OnHostError } from './host-trouble.ts'
import { type ProposalKey, type ProposalKeys } from './keys/sealing.ts'
import type { Registry } from './registry.ts'
import type { StoreClock } from './store-clock.ts'
import type { Ids, LiveProposal, Logger, Store } from './ports.ts'

/** The parts of a runtime. */
export interface Core {
  readonly store: Store
  readonly keys: ProposalKeys
  readonly clock: ClockWatch
  readonly storeClock: StoreClock
  readonly ids: Ids
  readonly registry: Registry
  readonly logger: Logger
  readonly onHostError: OnHostError | undefined
  readonly referenceKey: Uint8Array
  /** Names this instance in verification leases. */
  readonly instance: string
  /** Effects whose verifier this instance is asking right now. */
  readonly verifying: Set<string>
  /** Calls that outlived their lease and are still listened to, by the token of their attempt. */
  readonly hearing: Map<string, Promise<void>>
}

/** Opens the key of a stored proposal, for the length of one operation. */
export async function openKey(core: Core, { proposal, key }: LiveProposal): Promise<ProposalKey> {
  return core.keys.open({ tenant: proposal.tenant, proposal: proposal.ref }, key)
}
