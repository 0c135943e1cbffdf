// Asks the server, and asks again what may be asked again; what comes back is a value, a refusal or an error of the client.
import { type Refusal, RevisionMismatch } from '../../proposal/errors.ts'
import type { HttpRefusal } from '../wire/http-refusals.ts'
import { AnswerLost, MalformedAnswer, ServerFault, Unreachable } from './client-errors.ts'
import { type ApiRequest, type Exchange, exchange, type Wire } from './exchange.ts'
import { refusalOfProblem } from './refusal-of-problem.ts'

/** How often something is asked again, and how long is waited before. */
export interface Patience {
  /** How often after the first time. */
  readonly repeats: number
  /** A server that asks for a longer wait is not waited for. */
  readonly waitMaxMs: number
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** An answer that is no refusal. */
export interface Answered {
  readonly status: number
  readonly body: unknown
}

const FIRST_WAIT_MS = 200

/**
 * The answer, whatever its outcome. What has not left may always be sent again; what may have been received, and what the
 * server says that it cannot answer now, only if the request is `repeatable`: if a repetition of it does nothing more.
 * @throws Refusal, HttpRefusal as the server says; Unreachable, AnswerLost, MalformedAnswer
 */
export async function ask(wire: Wire, patience: Patience, request: ApiRequest, repeatable: boolean): Promise<Answered> {
  let mayHaveLanded = false
  for (let repetition = 0; ; repetition++) {
    const found = await exchange(wire, request)
    const failure = found.kind === 'answered' ? refusalOf(found) : null
    if (found.kind === 'answered' && failure === null) return found
    const waitMs = repetition < patience.repeats ? waitBefore(found, repeatable, repetition, patience) : null
    if (waitMs === null) throw told(request, found, failure, mayHaveLanded)
    mayHaveLanded ||= isOpenQuestion(found, failure)
    await patience.wait(waitMs, request.signal)
  }
}

type Failure = Refusal | HttpRefusal | null

function refusalOf({ status, headers, body }: Extract<Exchange, { readonly kind: 'answered' }>): Failure {
  if (!(headers.get('Content-Type') ?? '').includes('problem')) return null
  const refusal = refusalOfProblem(body, headers)
  if (refusal === null) throw new MalformedAnswer(status, `The problem, of status ${status}, is none of this API.`)
  return refusal
}

/** Whether what was asked for may have been done all the same. */
function isOpenQuestion({ kind }: Exchange, failure: Failure): boolean {
  return kind === 'lost' || failure instanceof ServerFault || failure?.code === 'persistence_outcome_unknown'
}

const SERVICE_UNAVAILABLE = 503
const SERVER_ERROR = 500

/** How long to wait before the request is sent again; null if it must not be. */
function waitBefore(found: Exchange, repeatable: boolean, repetition: number, patience: Patience): number | null {
  const usualMs = Math.min(FIRST_WAIT_MS * 2 ** repetition, patience.waitMaxMs)
  if (found.kind === 'unsent') return usualMs
  if (!repeatable || (found.kind === 'answered' && found.status !== SERVICE_UNAVAILABLE)) return null
  const asked = found.kind === 'answered' ? found.headers.get('Retry-After') : found.retryAfter
  // Seconds are understood; a date is not, since two clocks would have to agree.
  if (asked === null || !/^\d{1,6}$/.test(asked)) return usualMs
  const askedMs = Number(asked) * 1_000
  return askedMs > patience.waitMaxMs ? null : askedMs
}

/** What the caller is told in the end, if an earlier request may have landed and the last one does not say so. */
function told({ method }: ApiRequest, found: Exchange, failure: Failure, mayHaveLanded: boolean): Error {
  // A read has done nothing, whether it arrived or not.
  const isRead = method === 'GET'
  if (found.kind === 'answered' && failure !== null) {
    // The precondition held before, and it may be the lost request itself that has made it false.
    const saysNothing = found.status >= SERVER_ERROR || failure instanceof RevisionMismatch
    return mayHaveLanded && saysNothing && !isRead ? new AnswerLost({ cause: failure }) : failure
  }
  const cause = found.kind === 'answered' ? null : found.cause
  const isDoubtful = found.kind === 'lost' || mayHaveLanded
  return isDoubtful && !isRead ? new AnswerLost({ cause }) : new Unreachable({ cause })
}
