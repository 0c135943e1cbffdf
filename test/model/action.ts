// The action of a model run: it reads and writes the business through fake targets, as the scripts of the moment say.
import { Action, DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import type {
  Caller,
  Execute,
  Executed,
  Prepare,
  Prepared,
  Preview,
  Resolve,
  Resolved,
  Snapshot,
  Stop,
  Stopped,
  Verified,
  Verify,
} from '../../src/proposal/action.ts'
import type { Act } from '../../src/proposal/contract.ts'
import { isInDoubt } from '../../src/proposal/status.ts'
import type { Clock } from '../../src/runtime/ports.ts'
import type { Book, CallEnd, Called, Looked, ResolvedState } from './book.ts'
import type { Person } from './cast.ts'
import { answerLook } from './look-answers.ts'
import { EXECUTE_TIMEOUT_MS, type Payment } from './payment.ts'
import type { CallScript, Scripts } from './scripts.ts'
import { type Arrival, type Business, preconditionOf, type Request, type Target } from './target.ts'
import { aborted, after } from './waiting.ts'

/** What the actions of a run share; the commands change it. */
export interface Surroundings {
  readonly clock: Clock
  readonly book: Book
  readonly business: Business
  readonly scripts: Scripts
  /** Who has lost the right to decide, and whether anybody can be asked at all. */
  readonly directory: { readonly barred: Set<Person>; isDown: boolean }
  /** What was prepared for a proposal, or offered as its replacement; references are known a little later than content. */
  readonly prepared: Map<string, Snapshot<Payment>>
  readonly offered: Snapshot<Payment>[]
  /** Ends the calls that would never end by themselves. */
  readonly release: Set<() => void>
}

/** What an action is made of. */
export interface ModelActionParts {
  readonly contract: Payment
  readonly target: Target
  readonly around: Surroundings
  /** Which runtime it serves. */
  readonly instance: number
}

export class ModelAction extends Action<Payment> {
  readonly contract: Payment
  readonly #target: Target
  readonly #around: Surroundings
  readonly #instance: number

  constructor({ contract, target, around, instance }: ModelActionParts) {
    super()
    this.contract = contract
    this.#target = target
    this.#around = around
    this.#instance = instance
  }

  override async can(act: Act, caller: Caller): Promise<boolean> {
    const { directory } = this.#around
    if (directory.isDown && act === 'decide') throw new Error('the directory does not answer')
    if (act === 'decide' && [...directory.barred].some((person) => person === caller.principal.id)) return false
    return super.can(act, caller, { proposal: null, command: null, snapshot: null })
  }

  async prepare({ command, context, effect }: Prepare<Payment>): Promise<Prepared<Payment>> {
    const { version, paid, note } = this.#around.business
    const { order, intent, amount } = command
    const snapshot = { order, orderVersion: version, paid, amount: { ...amount }, customer: 'Carla Customer', note }
    this.#around.prepared.set(context.proposal, structuredClone(snapshot))
    return {
      snapshot,
      effectReference: effect.derive('payment', order, intent),
      subject: effect.derive('order', order),
    }
  }

  preview({ order, amount, paid }: Snapshot<Payment>): Preview<Payment> {
    return { order, amount, alreadyPaid: paid }
  }

  async resolve({ snapshot, context, signal }: Resolve<Payment>): Promise<Resolved<Payment>> {
    const { book, clock, scripts, business, offered } = this.#around
    const entry: ResolvedState = book.add({
      kind: 'resolved',
      order: book.next(),
      proposal: context.proposal,
      ended: null,
    })
    const script = scripts.resolve
    if (script === 'hanging') await aborted(signal)
    if (script === 'slow') await after(clock, 2_000)
    if (script === 'threw') throw new Error('the business system does not answer')
    const { version, paid, note, isGone } = business
    const current = { ...snapshot, orderVersion: version, paid, note }
    const replacement = script === 'offers_nonsense' ? { ...current, orderVersion: 0.5 } : current
    if (script === 'offers_replacement') offered.push(structuredClone(current))
    const answer: Resolved<Payment> = {
      current: isGone ? null : current,
      precondition: preconditionOf(business),
      ...(script === 'reports_drift' ? { materiallyDrifted: true } : {}),
      ...(script === 'offers_replacement' || script === 'offers_nonsense' ? { replacement } : {}),
    }
    entry.ended = { order: book.next(), answer }
    if (script === 'overtaken') business.version += 1
    return answer
  }

  async execute(input: Execute<Payment>): Promise<Executed<Payment>> {
    const { book, clock, scripts } = this.#around
    const held = book.proposals.get(input.context.proposal)
    if (held === undefined) throw new Error('nothing is called for a proposal that was never stored')
    const called: Called = book.add({
      kind: 'called',
      order: book.next(),
      at: clock.now(),
      atMs: clock.monotonic(),
      input,
      action: this.contract.type,
      held,
      effect: [...book.effects.values()].find(({ key }) => key.reference === input.semanticEffectReference) ?? null,
      instance: this.#instance,
      hasMarkedSending: false,
      ended: null,
    })
    try {
      const answer = await this.#carryOut(input, called, scripts.call)
      called.ended = this.#ended(answer.status)
      return answer
    } catch (error) {
      called.ended = this.#ended(
        error instanceof DefinitiveFailure ? 'failed_known' : error instanceof NotSent ? 'not_sent' : null,
      )
      throw error
    }
  }

  async verify(input: Verify<Payment>): Promise<Verified<Payment>> {
    const { book, clock, scripts } = this.#around
    const looked: Looked = book.add({
      kind: 'looked',
      order: book.next(),
      at: clock.now(),
      isInDoubt: isInDoubt(book.proposals.get(input.context.proposal)?.proposal.status ?? 'approved'),
      input,
      action: this.contract.type,
      instance: this.#instance,
      ended: null,
    })
    const { look } = scripts
    // What a slow read answers is what it saw when it began.
    const answer = answerLook(look, input, this.#target)
    try {
      if (look.kind === 'hanging') await aborted(input.signal)
      if (look.kind === 'slow') await after(clock, 8_000)
    } finally {
      looked.ended = { order: book.next(), answer }
    }
    if (answer === null) throw new Error('the target does not answer')
    return answer
  }

  /** What the action shares with its world; for the actions that can do more. */
  protected get around(): Surroundings {
    return this.#around
  }

  protected get target(): Target {
    return this.#target
  }

  async #carryOut(input: Execute<Payment>, called: Called, script: CallScript): Promise<Executed<Payment>> {
    const { clock } = this.#around
    const { landsAfterMs, saysAfterMs, heedsSignal, isSentTwice } = script
    const request = requestOf(input)
    let arrival: Arrival | null = null
    if (landsAfterMs !== null || script.says === 'not_sent_after_sending') {
      input.markSending()
      called.hasMarkedSending = true
    }
    if (landsAfterMs === 0) arrival = this.#target.arrive(request, false)
    else if (landsAfterMs !== null) this.#target.arriveIn(landsAfterMs, request, false)
    if (landsAfterMs !== null && isSentTwice) this.#target.arriveIn(landsAfterMs + 1_000, request, true)

    const waited =
      saysAfterMs === null ? this.#released() : saysAfterMs === 0 ? Promise.resolve() : after(clock, saysAfterMs)
    await (heedsSignal ? Promise.race([waited, aborted(input.signal)]) : waited)
    const isLate = clock.monotonic() - called.atMs >= EXECUTE_TIMEOUT_MS
    return say(script, arrival, isLate, input)
  }

  async #released(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#around.release.add(resolve)
    })
  }

  #ended(word: CallEnd['word']): CallEnd {
    const { book, clock } = this.#around
    return { order: book.next(), atMs: clock.monotonic(), word }
  }
}

// In time, an executor speaks of failure only where it knows; what it says too late may be anything.
function say(
  { says, landsAfterMs }: CallScript,
  arrival: Arrival | null,
  isLate: boolean,
  input: Execute<Payment>,
): Executed<Payment> {
  const mayFail = landsAfterMs === null || isLate
  if (arrival?.kind === 'stale' && says === 'accepted') return { status: 'stale_no_effect', reason: 'version_moved' }
  if (arrival?.kind === 'refused' && says === 'accepted') throw new DefinitiveFailure('key_refused')
  switch (says) {
    case 'accepted': {
      const id = arrival !== null && 'booking' in arrival ? arrival.booking.id : `ack-${input.attempt}`
      return { status: 'accepted', externalReference: id, result: { paymentId: id } }
    }
    case 'failed_known':
      if (!mayFail) throw new Error('the connection was lost')
      return { status: 'failed_known', reason: 'refused' }
    case 'definitive':
      throw mayFail ? new DefinitiveFailure('refused') : new Error('the connection was lost')
    case 'not_sent':
    case 'not_sent_after_sending':
      throw mayFail ? new NotSent('no_connection') : new Error('the connection was lost')
    case 'failed_unknown':
      return { status: 'failed_unknown', reason: 'no_answer' }
    case 'garbage':
      // What a host returns is not checked by a compiler.
      return { status: 'done' } as object as Executed<Payment>
    case 'threw':
      throw new Error('DefinitiveFailure: the payment was refused')
  }
}

function requestOf(input: Execute<Payment>): Request {
  const { snapshot, precondition, idempotencyKey, semanticEffectReference, epoch } = input
  return {
    key: idempotencyKey,
    reference: semanticEffectReference,
    order: snapshot.order,
    amount: { ...snapshot.amount },
    precondition,
    epoch,
  }
}

/** An action whose target can be told to refuse what is below a fence, and to drop whatever is on its way. */
export class StoppingAction extends ModelAction {
  override async fence({ idempotencyKeys, epoch }: Stop<Payment>): Promise<Stopped> {
    if (!this.around.scripts.acknowledges) return { acknowledged: false }
    this.target.fence(idempotencyKeys, epoch)
    return { acknowledged: true }
  }

  override async cancel({ idempotencyKeys }: Stop<Payment>): Promise<Stopped> {
    if (!this.around.scripts.acknowledges) return { acknowledged: false }
    this.target.refuse(idempotencyKeys)
    return { acknowledged: true }
  }
}
