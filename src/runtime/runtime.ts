// The runtime of proposals: one class whose methods are the operations of the lifecycle.
import process from 'node:process'
import type { AnyAction } from '../proposal/action.ts'
import type { EvidenceBundle } from '../proposal/receipts/evidence-bundle.ts'
import { parseSession, type Session } from '../proposal/session.ts'
import { type ActionView, actions } from './actions.ts'
import { adopt } from './adopt.ts'
import { check, type CheckInput, type CheckResult } from './check.ts'
import { ClockWatch } from './clock-watch.ts'
import type { Core } from './core.ts'
import { demandInput, demandOptions } from './demand-shape.ts'
import { approve, type DecisionInput, reject, revokeApproval } from './decide.ts'
import { eraseDue } from './erase/erase-due.ts'
import { erase, type EraseInput, type ErasureResult } from './erase/erase.ts'
import { replayErasures } from './erase/replay.ts'
import { events, type EventsInput, type EventsPage } from './events.ts'
import { execute, type ExecuteInput } from './execute/execute.ts'
import { expireDue, type ExpiredDue, type ExpireDueInput } from './expire-due.ts'
import { exportEvidence } from './export-evidence.ts'
import type { OnHostError } from './host-trouble.ts'
import { list, type ListInput, type ListPage } from './list.ts'
import { type ObservationResult, observe, type ObserveInput } from './operate/observe.ts'
import { resume, type ResumeInput, settle, type SettleInput } from './operate/operate.ts'
import type { Clock, Ids, Keyring, Logger, Store } from './ports.ts'
import { prepare, type PrepareInput } from './prepare/prepare.ts'
import { type ErasedView, type ProposalView, read, type ReadInput } from './read.ts'
import { receipts, type ReceiptsView } from './receipts.ts'
import { reconcile, type ReconcileInput } from './verify/reconcile.ts'
import { refuseMoved } from './refuse-moved.ts'
import { Registry } from './registry.ts'
import type { OperationResult } from './result.ts'
import { ProposalKeys } from './keys/sealing.ts'
import { SILENT } from './silent-logger.ts'
import { standing, type Standing } from './standing.ts'
import { assertSuitableNode } from './suitable-node.ts'
import { StoreClock } from './store-clock.ts'
import { systemClock } from './system-clock.ts'
import { systemIds } from './system-ids.ts'
import { type Work, workOf } from './worker/work.ts'
import { withdraw, type WithdrawInput } from './withdraw.ts'

/** What a runtime is made of. */
export interface RuntimeOptions {
  readonly store: Store
  readonly keyring: Keyring
  readonly actions: readonly AnyAction[]
  /** Default: this machine's. */
  readonly clock?: Clock
  readonly ids?: Ids
  /** Default: silent. */
  readonly logger?: Logger
  /**
   * Receives what a method of an action threw, or an error that says that it took too long or answered something
   * malformed. The host gets its own error: the library never logs it, shows it or stores it in clear. An error that this
   * throws is ignored.
   */
  readonly onHostError?: OnHostError
}

/**
 * Drives proposals from prepare to verified. Every operation takes its caller's session and answers an outcome, or
 * throws a refusal with a stable code; a refusal has changed nothing. Spec: lifecycle.
 *
 * @example
 * const runtime = await ProposalRuntime.open({ store, keyring, actions: [new RefundAction()] })
 */
export class ProposalRuntime {
  readonly #core: Core

  private constructor(core: Core) {
    this.#core = core
  }

  /**
   * Registers the actions and ties them to the store, which remembers the reference key and every effect domain. Erasures
   * that a restore of the store has undone are carried out again before this resolves (rules R19).
   * @throws DefinitionError for an action that cannot be safe, or whose effects the store knows under another domain.
   * @throws TypeError for options that are none.
   * @throws ReferenceKeyChanged when the store was used with another reference key.
   * @throws StoreUnavailable for a store that has moved to another database (store 5).
   */
  static async open(options: RuntimeOptions): Promise<ProposalRuntime> {
    assertSuitableNode(process.versions.node)
    demandOptions(options)
    const logger = options.logger ?? SILENT
    const clock = new ClockWatch(options.clock ?? systemClock, (byMs) => {
      storeClock.jumped(byMs)
      logger.warn(
        { byMs },
        'the wall clock jumped: until what was under way is settled nothing is admitted or given up',
      )
    })
    const storeClock = new StoreClock(clock)
    const ids = options.ids ?? systemIds()
    const registry = new Registry(options.actions)
    const keys = new ProposalKeys(options.keyring, clock)
    const referenceKey = await keys.referenceKey()
    await refuseMoved(options.store)
    await adopt(options.store, registry, referenceKey)
    const askedAt = clock.now()
    storeClock.hear(await options.store.now(), askedAt)
    const core: Core = {
      store: options.store,
      keys,
      clock,
      storeClock,
      ids,
      registry,
      referenceKey,
      logger,
      onHostError: options.onHostError,
      instance: ids.token(),
      verifying: new Set(),
      hearing: new Map(),
    }
    await replayErasures(core)
    return new ProposalRuntime(core)
  }

  /** What it goes by. Whoever tells somebody when something is due goes by the same one. */
  get clock(): Clock {
    return this.#core.clock
  }

  /** Where its ids come from. */
  get ids(): Ids {
    return this.#core.ids
  }

  /** What waits here for nobody but time, for a `Worker`: references, behind no right, so they are for nobody else. */
  get work(): Work {
    return workOf(this.#core)
  }

  /** @throws StoreUnavailable unless the store answers. */
  async health(): Promise<void> {
    await this.#core.store.health()
  }

  /** Every registered action, and what the caller may do with it. Spec: http "GET /v1/actions". */
  async actions(session: Session): Promise<readonly ActionView[]> {
    return actions(this.#core, parseSession(session))
  }

  /** Stores a proposal: what would happen, shown and committed to, waiting for authority. Spec: lifecycle 4. */
  async prepare(session: Session, input: PrepareInput): Promise<OperationResult> {
    demandInput(input, '/action')
    return prepare(this.#core, parseSession(session), input)
  }

  /** Records an approval of exactly what the commitment stands for. Spec: lifecycle 5. */
  async approve(session: Session, proposal: string, input: DecisionInput): Promise<OperationResult> {
    demandInput(input, '/commitment')
    return approve(this.#core, parseSession(session), proposal, input)
  }

  /** Closes the proposal by a decision. Spec: lifecycle 5. */
  async reject(session: Session, proposal: string, input: DecisionInput): Promise<OperationResult> {
    demandInput(input, '/commitment')
    return reject(this.#core, parseSession(session), proposal, input)
  }

  /** Takes back an approval of one's own, before admission. Spec: lifecycle 5. */
  async revokeApproval(
    session: Session,
    proposal: string,
    approvalId: string,
    input?: { readonly ifRevision?: number },
  ): Promise<OperationResult> {
    return revokeApproval(this.#core, parseSession(session), proposal, approvalId, input)
  }

  /** Takes an open proposal back. Spec: lifecycle 5. */
  async withdraw(session: Session, proposal: string, input?: WithdrawInput): Promise<OperationResult> {
    return withdraw(this.#core, parseSession(session), proposal, input)
  }

  /** Says whether the proposal would still stand; writes nothing. Spec: lifecycle 8. */
  async check(session: Session, proposal: string, input?: CheckInput): Promise<CheckResult> {
    return check(this.#core, parseSession(session), proposal, input)
  }

  /** Looks at everything again and calls the executor, at most once. Spec: lifecycle 6. */
  async execute(session: Session, proposal: string, input?: ExecuteInput): Promise<OperationResult> {
    return execute(this.#core, parseSession(session), proposal, input)
  }

  /** Finds out by reading what became of an effect, if that is due. Never calls the executor. Spec: lifecycle 7. */
  async reconcile(session: Session, proposal: string, input?: ReconcileInput): Promise<OperationResult> {
    return reconcile(this.#core, parseSession(session), proposal, input)
  }

  /** Has an effect that waits for a person verified again, with fresh budgets. Spec: lifecycle 7. */
  async resume(session: Session, proposal: string, input: ResumeInput): Promise<OperationResult> {
    demandInput(input, '/reason')
    return resume(this.#core, parseSession(session), proposal, input)
  }

  /** Records what a person found out about an effect, beside its evidence. Spec: rules R8. */
  async settle(session: Session, proposal: string, input: SettleInput): Promise<OperationResult> {
    demandInput(input, '/verdict')
    return settle(this.#core, parseSession(session), proposal, input)
  }

  /** Takes a provider's announcement: a look at the target is due now, and nothing else. Spec: rules R7. */
  async observe(session: Session, input: ObserveInput): Promise<ObservationResult> {
    demandInput(input, '/eventId')
    return observe(this.#core, parseSession(session), input)
  }

  /** Removes all content of a proposal, at once or when its effect is settled. Spec: policy-and-protection 5. */
  async erase(session: Session, proposal: string, input: EraseInput): Promise<ErasureResult> {
    demandInput(input, '/reason')
    return erase(this.#core, parseSession(session), proposal, input)
  }

  /**
   * Carries out erasures that were deferred or interrupted, and those of what was kept for as long as its contract says, up
   * to so many. Spec: rules R19, lifecycle 3.
   */
  async eraseDue(session: Session, input?: { readonly limit?: number }): Promise<readonly ErasureResult[]> {
    return eraseDue(this.#core, parseSession(session), input)
  }

  /** The chain and the evidence of a proposal, to be checked anywhere with `verifyEvidence`. Spec: lifecycle 10. */
  async exportEvidence(session: Session, proposal: string): Promise<EvidenceBundle> {
    return exportEvidence(this.#core, parseSession(session), proposal)
  }

  /** Everything that may be shown of a proposal. Spec: lifecycle 8. */
  async read(session: Session, proposal: string, input?: ReadInput): Promise<ProposalView | ErasedView> {
    return read(this.#core, parseSession(session), proposal, input)
  }

  /** What the caller may do with one proposal now, and what an approval of theirs would be worth. */
  async standing(session: Session, proposal: string): Promise<Standing> {
    return standing(this.#core, parseSession(session), proposal)
  }

  /** The proposals that the caller may see, newest first. Spec: lifecycle 8. */
  async list(session: Session, input?: ListInput): Promise<ListPage> {
    return list(this.#core, parseSession(session), input)
  }

  /** The outbox, by position, as far as the caller may have events. Spec: http "GET /v1/events". */
  async events(session: Session, input?: EventsInput): Promise<EventsPage> {
    return events(this.#core, parseSession(session), input)
  }

  /** The receipts of a proposal, and whether their chain is whole. Spec: lifecycle 10. */
  async receipts(session: Session, proposal: string): Promise<ReceiptsView> {
    return receipts(this.#core, parseSession(session), proposal)
  }

  /** Closes what has expired and nobody touched, or one of it. Spec: lifecycle 8. */
  async expireDue(session: Session, input?: ExpireDueInput): Promise<ExpiredDue> {
    return expireDue(this.#core, parseSession(session), input)
  }
}
