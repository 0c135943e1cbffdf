// A job of the crash proofs: one refund from prepare to erasure and one guarded call, each step tried as often as it takes.
import type { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import { isInDoubt } from '../../src/proposal/status.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { finance1, privacy, requester, service } from '../runtime/sessions.ts'
import { refund } from '../runtime/refund.ts'
import { type Acknowledged, acknowledgedOf } from './acknowledged.ts'
import { book, callVerifier } from './books.ts'

/** The steps of a job, in their order. */
export const STEPS = ['prepare', 'approve', 'execute', 'reconcile', 'call', 'erase'] as const
export type Step = (typeof STEPS)[number]

/** The name under which the guarded calls are made. */
export const CALL_NAME = 'charge_customer'

/** Those who work on a job: the same runtime and runner, or others on the same store. */
export interface Hands {
  readonly runtime: ProposalRuntime
  readonly runner: ActionRunner
  readonly books: string
  /** Lets time pass until an instant of the store's clock. */
  readonly waitUntil: (at: number) => Promise<void>
}

/** A job by its name: from the name follow the request key, the effect and the guarded call, whoever takes it up. */
export class Job {
  readonly name: string
  readonly #acknowledge: (answer: Acknowledged) => void
  #seen: OperationResult | null = null

  constructor(name: string, acknowledge: (answer: Acknowledged) => void) {
    this.name = name
    this.#acknowledge = acknowledge
  }

  /** Does a step, or finds that it is done. Throws what the runtime throws; then it may be tried again, by anybody. */
  async take(step: Step, hands: Hands): Promise<void> {
    switch (step) {
      case 'prepare':
        this.#told(step, await this.#prepare(hands))
        return
      case 'approve': {
        const { proposal, commitment, status } = await this.#prepare(hands)
        if (status !== 'awaiting_approval') return
        this.#told(step, await hands.runtime.approve(finance1, proposal, { commitment }))
        return
      }
      case 'execute':
        this.#told(step, await hands.runtime.execute(requester, (await this.#known(hands)).proposal))
        return
      case 'reconcile':
        await this.#reconcile(hands)
        return
      case 'call':
        await this.#call(hands)
        return
      case 'erase': {
        const { proposal } = await this.#known(hands)
        const erased = await hands.runtime.erase(privacy, proposal, { reason: 'asked_by_subject' })
        if (erased.outcome === 'erased') this.#acknowledge({ kind: 'erased', proposal })
      }
    }
  }

  /** Takes every step but the erasure, until nothing is in doubt any more. */
  async settle(hands: Hands): Promise<void> {
    for (const step of ['prepare', 'approve'] as const) await this.take(step, hands)
    for (let tries = 0; tries < 20; tries += 1) {
      const { status, proposal } = await this.#prepare(hands)
      if (status === 'approved') this.#told('execute', await hands.runtime.execute(requester, proposal))
      else if (isInDoubt(status)) await this.#reconcile(hands)
      else break
    }
    await this.#call(hands)
  }

  async #prepare({ runtime }: Hands): Promise<OperationResult> {
    const command = {
      orderReference: 'ORD-1001',
      intent: `damaged item, ${this.name}`,
      amount: { amount: '10.00', currency: 'EUR' },
    }
    this.#seen = await runtime.prepare(requester, {
      action: refund.type,
      command,
      requestKey: `job-${this.name}`,
    })
    return this.#seen
  }

  async #known(hands: Hands): Promise<OperationResult> {
    return this.#seen ?? this.#prepare(hands)
  }

  async #reconcile(hands: Hands): Promise<void> {
    const { proposal, waitUntil } = await this.#prepare(hands)
    if (waitUntil !== null) await hands.waitUntil(waitUntil)
    this.#told('reconcile', await hands.runtime.reconcile(service, proposal))
  }

  async #call({ runner, books, waitUntil }: Hands): Promise<void> {
    const key = `call-${this.name}`
    const verifier = callVerifier(books)
    const execute = async (): Promise<string> => {
      const { status } = await runner.execute(
        CALL_NAME,
        ({ providerReference, request, signal }) => book(books, providerReference ?? '', request, signal),
        { request: { amountCents: 2_500 }, idempotencyKey: key, providerReference: key, verifier },
      )
      return status
    }
    const receipt = await runner.find(CALL_NAME, key)
    if (receipt?.state !== 'PENDING') {
      this.#called(key, await execute())
      return
    }
    // Whoever claimed it is gone, or has given up.
    await waitUntil(Number.POSITIVE_INFINITY)
    if (receipt.attempts.length === 0) {
      await runner.releaseUnstarted(receipt.actionId)
      this.#called(key, await execute())
      return
    }
    const { status } = await runner.recoverPending(receipt.actionId, verifier)
    this.#called(key, status)
  }

  // What is UNKNOWN may be found out later, and is no promise.
  #called(key: string, status: string): void {
    if (status !== 'UNKNOWN') this.#acknowledge({ kind: 'call', key, status })
  }

  #told(step: Step, answer: Pick<OperationResult, 'proposal' | 'status' | 'revision' | 'outcome'>): void {
    this.#acknowledge(acknowledgedOf(step, answer))
  }
}
