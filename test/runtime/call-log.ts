// The log of what the host was asked to do, with what the store held at that moment.
import type { Effect } from '../../src/effect/effect.ts'
import type { Execute, Resolve, Resolved, Verified, Verify } from '../../src/proposal/action.ts'
import type { Clock, LiveProposal, Store } from '../../src/runtime/ports.ts'
import type { Methods, Refund, TestAction } from './refund.ts'

/** One call of an executor, and what was durable when it was entered. */
export interface ExecutorCalled {
  readonly input: Execute<Refund>
  readonly at: number
  /** Null where the store knew nothing of it. */
  readonly stored: LiveProposal | null
  readonly effect: Effect | null
  /** How it ended; pending until it did. */
  ended: 'pending' | 'returned' | 'threw'
}

/** One read by a verifier. `endedAt` is null until it answered. */
export interface VerifierCalled {
  readonly input: Verify<Refund>
  readonly beganAt: number
  /** Its place in the order of everything logged. */
  readonly began: number
  ended: number | null
  answer: Verified<Refund> | null
}

/** One resolution. */
export interface ResolverCalled {
  readonly input: Resolve<Refund>
  readonly beganAt: number
  readonly began: number
  answer: Resolved<Refund> | null
}

/** Everything that the actions of a world were asked, in order. */
export class CallLog {
  readonly executed: ExecutorCalled[] = []
  readonly verified: VerifierCalled[] = []
  readonly resolved: ResolverCalled[] = []
  #order = 0

  next(): number {
    this.#order += 1
    return this.#order
  }

  /** Told of every entry when it is made and when it has ended, for a log that outlives its process. */
  heard(_entry: Called): void {}
}

/** An entry of the log, by what was asked. */
export type Called =
  | { readonly kind: 'executed'; readonly call: ExecutorCalled }
  | { readonly kind: 'verified'; readonly call: VerifierCalled }
  | { readonly kind: 'resolved'; readonly call: ResolverCalled }

interface Watched {
  readonly log: CallLog
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Logs every call of the action from now on. Its methods can still be replaced at any time, before and after: what is
 * assigned to `action.methods` is what is called, and it is always logged.
 */
export function watch(action: TestAction, watched: Watched): void {
  replaceable(action.methods, 'resolve', (input, resolve, isInside) => {
    return isInside ? resolve(input) : logResolve(watched, input, resolve)
  })
  replaceable(action.methods, 'execute', (input, execute, isInside) => {
    return isInside ? execute(input) : logExecute(watched, input, execute)
  })
  replaceable(action.methods, 'verify', (input, verify, isInside) => {
    return isInside ? verify(input) : logVerify(watched, input, verify)
  })
}

type Around<M extends 'resolve' | 'execute' | 'verify'> = (
  input: Parameters<Methods[M]>[0],
  method: Methods[M],
  isInside: boolean,
) => ReturnType<Methods[M]>

// What is read is bound to the method of that moment, so that a test can put its own around it; one call is logged once.
function replaceable<M extends 'resolve' | 'execute' | 'verify'>(methods: Methods, name: M, around: Around<M>): void {
  let current = methods[name]
  const logged = new WeakSet<object>()
  const bound = (method: Methods[M]): ((input: Parameters<Methods[M]>[0]) => ReturnType<Methods[M]>) => {
    return (input) => {
      const isInside = logged.has(input)
      logged.add(input)
      return around(input, method, isInside)
    }
  }
  Object.defineProperty(methods, name, {
    get: () => bound(current),
    set: (method: Methods[M]) => {
      current = method
    },
  })
}

async function logResolve(
  { log, clock }: Watched,
  input: Resolve<Refund>,
  resolve: Methods['resolve'],
): Promise<Resolved<Refund>> {
  const called: ResolverCalled = { input, beganAt: clock.now(), began: log.next(), answer: null }
  log.resolved.push(called)
  const answer = await resolve(input)
  called.answer = answer
  log.heard({ kind: 'resolved', call: called })
  return answer
}

async function logExecute(
  { log, store, clock }: Watched,
  input: Execute<Refund>,
  execute: Methods['execute'],
): ReturnType<Methods['execute']> {
  const at = clock.now()
  const stored = await store.proposal(input.context.tenant, input.context.proposal)
  const live = stored?.kind === 'live' ? stored : null
  const effect = live === null ? null : await store.effect(live.proposal.effect)
  const called: ExecutorCalled = { input, at, stored: live, effect, ended: 'pending' }
  log.executed.push(called)
  log.heard({ kind: 'executed', call: called })
  try {
    const answer = await execute(input)
    called.ended = 'returned'
    return answer
  } catch (error) {
    called.ended = 'threw'
    throw error
  } finally {
    log.heard({ kind: 'executed', call: called })
  }
}

async function logVerify(
  { log, clock }: Watched,
  input: Verify<Refund>,
  verify: Methods['verify'],
): Promise<Verified<Refund>> {
  const called: VerifierCalled = { input, beganAt: clock.now(), began: log.next(), ended: null, answer: null }
  log.verified.push(called)
  log.heard({ kind: 'verified', call: called })
  try {
    const answer = await verify(input)
    called.answer = answer
    return answer
  } finally {
    called.ended = log.next()
    log.heard({ kind: 'verified', call: called })
  }
}
