// The client: every operation of the API as a method of the same name as the runtime's, with the same inputs and answers.
import { isReference } from '../../effect/reference.ts'
import { MalformedReference, NotFound, RevisionMismatch } from '../../proposal/errors.ts'
import type { EvidenceBundle } from '../../proposal/receipts/evidence-bundle.ts'
import type { ActionView } from '../../runtime/actions.ts'
import type { CheckInput, CheckResult } from '../../runtime/check.ts'
import type { DecisionInput } from '../../runtime/decide.ts'
import type { EraseInput, ErasureResult } from '../../runtime/erase/erase.ts'
import type { EventsInput, EventsPage } from '../../runtime/events.ts'
import type { ExecuteInput } from '../../runtime/execute/execute.ts'
import type { ListInput, ListPage } from '../../runtime/list.ts'
import type { ObservationResult, ObserveInput } from '../../runtime/operate/observe.ts'
import type { ResumeInput, SettleInput } from '../../runtime/operate/operate.ts'
import type { PrepareInput } from '../../runtime/prepare/prepare.ts'
import type { ErasedView, ProposalView, ReadInput } from '../../runtime/read.ts'
import type { ReceiptsView } from '../../runtime/receipts.ts'
import type { OperationResult } from '../../runtime/result.ts'
import type { ReconcileInput } from '../../runtime/verify/reconcile.ts'
import type { WithdrawInput } from '../../runtime/withdraw.ts'
import { etagOf } from '../wire/etag.ts'
import { resultOfExecution } from './after-lost-execution.ts'
import { type Answers, fitting } from './answers.ts'
import { ask } from './ask.ts'
import { AnswerLost, ServerFault } from './client-errors.ts'
import type { ApiRequest } from './exchange.ts'
import { type ClientOptions, type ReadOptions, readOptions } from './options.ts'
import { newRequestKey } from './request-key.ts'
import { eventsQuery, listQuery } from './query.ts'

/** What may be said with every call. */
export interface CallOptions {
  /** Ends the waiting; what was sent may be carried out all the same. */
  readonly signal?: AbortSignal
}

/**
 * Asks a server. Outcomes are values; refusals are thrown as the runtime's own error classes; what keeps an answer from
 * being one is `Unreachable`, `AnswerLost` or `MalformedAnswer`.
 *
 * A request whose answer is lost is sent again by itself, since every operation but one does nothing more when it is
 * repeated: a preparation under its key finds the first proposal, a decision under its commitment is `replayed`, the
 * others find what they left. The one is `execute`: a proposal may be open again after an attempt, so that a repetition
 * could be a second one. Spec: http "Endpoints", lifecycle 6 and 9.
 *
 * @example
 * const client = new CountersignClient({ url: 'https://approvals.example.test', token })
 * const { proposal } = await client.prepare({ action: 'example.payments/refund@1', command })
 */
export class CountersignClient {
  readonly #options: ReadOptions

  /** @throws TypeError for options that are none */
  constructor(options: ClientOptions) {
    this.#options = readOptions(options)
  }

  /** The registered actions. */
  async actions(call: CallOptions = {}): Promise<readonly ActionView[]> {
    return (await this.#get('actions', '/v1/actions', call)).items
  }

  /**
   * Stores a proposal. Without a `requestKey` one is made, once for all repetitions; keep one of your own where the
   * process may end in between. Its form is that of the API: 1 to 255 visible characters without a comma.
   */
  async prepare(input: PrepareInput, call: CallOptions = {}): Promise<OperationResult> {
    const { requestKey = newRequestKey(), ...body } = input
    const headers = { 'Idempotency-Key': quoted(requestKey) }
    try {
      return await this.#post('result', '/v1/proposals', { body, headers }, call)
    } catch (error) {
      throw error instanceof AnswerLost ? new AnswerLost({ requestKey, cause: error.cause }) : error
    }
  }

  /** A page of the proposals that the caller may see, newest first; `next` goes into `after`. */
  async list(input: ListInput = {}, call: CallOptions = {}): Promise<ListPage> {
    return this.#get('page', `/v1/proposals${listQuery(input)}`, call)
  }

  /** Everything that may be shown of a proposal. */
  async read(proposal: string, input: ReadInput = {}, call: CallOptions = {}): Promise<ProposalView | ErasedView> {
    return this.#get('view', pathOf(proposal), call, ifMatch(input))
  }

  /** Approves exactly what the commitment stands for. */
  async approve(proposal: string, input: DecisionInput, call: CallOptions = {}): Promise<OperationResult> {
    return this.#post('result', pathOf(proposal, 'approve'), conditional(input), call)
  }

  /** Closes the proposal by a decision. */
  async reject(proposal: string, input: DecisionInput, call: CallOptions = {}): Promise<OperationResult> {
    return this.#post('result', pathOf(proposal, 'reject'), conditional(input), call)
  }

  /** Takes back an approval of one's own, before admission. */
  async revokeApproval(
    proposal: string,
    approvalId: string,
    input: { readonly ifRevision?: number } = {},
    call: CallOptions = {},
  ): Promise<OperationResult> {
    const path = pathOf(proposal, `approvals/${segment(approvalId)}/revoke`)
    return this.#post('result', path, conditional(input), call)
  }

  /** Takes an open proposal back. */
  async withdraw(proposal: string, input: WithdrawInput = {}, call: CallOptions = {}): Promise<OperationResult> {
    return this.#post('result', pathOf(proposal, 'withdraw'), conditional(input), call)
  }

  /** Says whether the proposal would still stand; writes nothing. */
  async check(proposal: string, input: CheckInput = {}, call: CallOptions = {}): Promise<CheckResult> {
    return this.#post('check', pathOf(proposal, 'check'), conditional(input), call)
  }

  /**
   * Has everything looked at again and the executor called, at most once. It is not sent again when its answer is lost:
   * the proposal is read instead, and what it says is the answer, `in_progress` while the call goes on. Where it is still
   * open, only `ifRevision` tells whether anything happened: at that revision nothing did, and the request is sent again
   * under the same condition; else `AnswerLost` carries the proposal as it was read.
   */
  async execute(proposal: string, input: ExecuteInput = {}, call: CallOptions = {}): Promise<OperationResult> {
    const path = pathOf(proposal, 'execute')
    for (let repetition = 0; ; repetition++) {
      try {
        return await this.#post('result', path, conditional(input), call, 'executing')
      } catch (error) {
        // An earlier request may have come through after all, and be what has moved the revision.
        const isOwnDoing = error instanceof RevisionMismatch && repetition > 0
        if (!(isOwnDoing || error instanceof AnswerLost || error instanceof ServerFault)) throw error
        const latest = await this.read(proposal, {}, call).catch(() => null)
        const result = latest?.kind === 'proposal' ? resultOfExecution(latest) : null
        if (result !== null) return result
        const isUntouched = latest?.kind === 'proposal' && latest.revision === input.ifRevision
        if (!isUntouched || repetition >= this.#options.patience.repeats) throw new AnswerLost({ latest, cause: error })
      }
    }
  }

  /** Finds out by reading what became of an effect, if that is due. Never calls the executor. */
  async reconcile(proposal: string, input: ReconcileInput = {}, call: CallOptions = {}): Promise<OperationResult> {
    return this.#post('result', pathOf(proposal, 'reconcile'), conditional(input), call, 'reconciling')
  }

  /** Has an effect that waits for a person verified again, with fresh budgets. */
  async resume(proposal: string, input: ResumeInput, call: CallOptions = {}): Promise<OperationResult> {
    return this.#post('result', pathOf(proposal, 'resume'), conditional(input), call)
  }

  /** Records what a person found out about an effect, beside its evidence. */
  async settle(proposal: string, input: SettleInput, call: CallOptions = {}): Promise<OperationResult> {
    return this.#post('result', pathOf(proposal, 'settle'), conditional(input), call)
  }

  /** Passes on what a provider announced; for services. */
  async observe(input: ObserveInput, call: CallOptions = {}): Promise<ObservationResult> {
    return this.#post('observation', '/v1/observations', { body: input }, call)
  }

  /** Removes all content of a proposal, at once or when its effect is settled. */
  async erase(proposal: string, input: EraseInput, call: CallOptions = {}): Promise<ErasureResult> {
    return this.#post('erasure', pathOf(proposal, 'erase'), conditional(input), call)
  }

  /** The receipts of a proposal, and whether their chain is whole. */
  async receipts(proposal: string, call: CallOptions = {}): Promise<ReceiptsView> {
    return this.#get('receipts', pathOf(proposal, 'receipts'), call)
  }

  /** The chain and the evidence of a proposal, to be checked anywhere with `verifyEvidence`. */
  async exportEvidence(proposal: string, call: CallOptions = {}): Promise<EvidenceBundle> {
    return this.#get('bundle', pathOf(proposal, 'evidence'), call)
  }

  /** A page of the outbox, oldest first. */
  async events(input: EventsInput = {}, call: CallOptions = {}): Promise<EventsPage> {
    return this.#get('events', `/v1/events${eventsQuery(input)}`, call)
  }

  async #get<Form extends keyof Answers>(
    form: Form,
    path: string,
    call: CallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answers[Form]> {
    const { timeoutMs } = this.#options
    return this.#ask(form, { request: { method: 'GET', path, headers, ...call, timeoutMs }, repeatable: true })
  }

  async #post<Form extends keyof Answers>(
    form: Form,
    path: string,
    sent: Pick<ApiRequest, 'body' | 'headers'>,
    call: CallOptions,
    kind: 'quick' | 'reconciling' | 'executing' = 'quick',
  ): Promise<Answers[Form]> {
    const { timeoutMs, executeTimeoutMs } = this.#options
    return this.#ask(form, {
      request: { method: 'POST', path, ...sent, ...call, timeoutMs: kind === 'quick' ? timeoutMs : executeTimeoutMs },
      repeatable: kind !== 'executing',
    })
  }

  async #ask<Form extends keyof Answers>(
    form: Form,
    { request, repeatable }: { readonly request: ApiRequest; readonly repeatable: boolean },
  ): Promise<Answers[Form]> {
    const { wire, patience } = this.#options
    return fitting(form, await ask(wire, patience, request, repeatable))
  }
}

function pathOf(proposal: string, operation?: string): string {
  return `/v1/proposals/${segment(proposal)}${operation === undefined ? '' : `/${operation}`}`
}

// What is no reference names nothing; and a path that climbs would be another operation on something else.
function segment(reference: string): string {
  if (!isReference(reference) || /^\.{1,2}$/.test(reference)) throw new NotFound()
  return encodeURIComponent(reference)
}

function ifMatch({ ifRevision }: { readonly ifRevision?: number }): Readonly<Record<string, string>> {
  return ifRevision === undefined ? {} : { 'If-Match': etagOf(ifRevision) }
}

function conditional(input: object & { readonly ifRevision?: number }): Pick<ApiRequest, 'body' | 'headers'> {
  const { ifRevision: _header, ...body } = input
  return { body, headers: ifMatch(input) }
}

// As the API takes them; anything else would not survive the header.
function quoted(key: string): string {
  if (!/^[!-+\--~]{1,255}$/.test(key)) throw new MalformedReference('/requestKey')
  return `"${key.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
}
