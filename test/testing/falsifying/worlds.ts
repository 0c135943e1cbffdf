// Two worlds of a falsifying case: the same script in each, what its caller was told, and what really happened.
import type { ChargeFaultName, LookUpFaultName } from '../../../src/testing/faults.ts'
import { CallCast } from '../../../src/testing/safety/calls/call-cast.ts'
import { ProposalCast } from '../../../src/testing/safety/proposals/proposal-cast.ts'
import { Stage } from '../../../src/testing/safety/stage.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'

export const MINUTE_MS = 60_000
export const DAY_MS: number = 24 * 60 * MINUTE_MS

/** What a world is like. */
export interface WorldFaults {
  readonly charge?: readonly ChargeFaultName[]
  readonly lookUp?: readonly LookUpFaultName[]
}

/** What the script answered, and what the provider counted. */
export interface World<Told> {
  readonly told: Told
  readonly calls: number
  readonly effects: number
}

/** Plays the script of a guarded call in a world. */
export async function ofCall<Told>(
  faults: WorldFaults,
  script: (cast: CallCast, stage: Stage) => Promise<Told>,
): Promise<World<Told>> {
  const stage = await stageOf(faults)
  return played(stage, script(new CallCast(stage), stage))
}

/** Plays the script of a proposal in a world. */
export async function ofProposal<Told>(
  faults: WorldFaults,
  script: (cast: ProposalCast, stage: Stage) => Promise<Told>,
): Promise<World<Told>> {
  const stage = await stageOf(faults)
  return played(stage, script(await ProposalCast.open(stage), stage))
}

export async function stageOf({ charge = [], lookUp = [] }: WorldFaults = {}): Promise<Stage> {
  return Stage.open({
    seed: 15,
    openStore: (clock) => memoryStore({ clock }),
    chargeFaults: charge,
    lookUpFaults: lookUp,
  })
}

async function played<Told>(stage: Stage, script: Promise<Told>): Promise<World<Told>> {
  const told = await stage.play(script)
  const { calls, effects } = stage.counted()
  return { told, calls, effects }
}
