// The world of an action under test: what the kit may do around the adapter, and the only thing that it believes.
import type { Command } from '../../proposal/action.ts'
import type { Contract } from '../../proposal/contract.ts'

/**
 * What may go wrong with the next request that a fault of this kind can meet. `commit_then_drop`: the effect happens, its
 * answer is lost. `drop_before_commit`: nothing happens, and the answer is lost likewise. `lagging_reads`: the next look-up
 * answers in good health from before. `truncated`: the answer of the next look-up is cut off. `outage`: nothing can be
 * reached until `heal`.
 */
export type WorldFault = 'commit_then_drop' | 'drop_before_commit' | 'lagging_reads' | 'truncated' | 'outage'

/** A command of an action whose contract is not known here. */
export type AnyCommand = Command<Contract>

/** Something done to the business state behind the adapter's back. */
export type WorldChange<C extends Contract = Contract> = (command: Command<C>) => Promise<void>

/**
 * The business around an action, in the hands of the kit: it changes state, counts effects and sets faults, past the
 * adapter. Everything that the kit says about effects it has counted here. What is left out is reported as not run.
 * Spec: harness 3.
 */
export interface ActionWorld<C extends Contract = Contract> {
  /** A command whose effect has not happened and can; each answer is for another effect. */
  command(): Promise<Command<C>>
  /** How many effects stand at the target for what the command acts on, under whatever identity. */
  effects(command: Command<C>): Promise<number>
  /** How many requests to write the target has seen, also those that it refused. */
  writes(): Promise<number>
  /**
   * By name, changes of all that a decision rests on, what is only pending included. The command can be prepared again
   * after each.
   */
  readonly changes: Readonly<Record<string, WorldChange<C>>>
  /** Likewise of what the contract declares immaterial. */
  readonly immaterialChanges?: Readonly<Record<string, WorldChange<C>>>
  /** Lets `act` happen once when the next write is on its way and before the target takes it; null forgets it. */
  beforeNextWrite(act: (() => Promise<void>) | null): void
  readonly faults: { readonly [F in WorldFault]?: () => Promise<void> }
  /** Ends an outage. */
  heal(): Promise<void>
  /** Makes the effect of this key happen a second time, under the same identity. */
  duplicate?(command: Command<C>, idempotencyKey: string): Promise<void>
  /** Alters the effect of this key at the target, so that a declared fact of it is another. */
  alter?(command: Command<C>, idempotencyKey: string): Promise<void>
  /** Whether the effect is that something is gone. Then "not there" is what the verifier must not mistake for ours. */
  readonly removes: boolean
  /** For an action that removes: lets somebody else remove the thing. */
  removeElsewhere?(command: Command<C>): Promise<void>
  /** Strings seeded into commands and private state that no preview and no error may carry. */
  readonly secrets: readonly string[]
}
