// Looking for lost calls: after a restore, what is not on record may have been called all the same.
import type { Effect } from '../../effect/effect.ts'
import { idempotencyKey, type IdempotencyKey } from '../../effect/effect-key.ts'
import type { ExecutorWord } from '../../proposal/answers/executor-word.ts'
import { judgeLost, type LostCall } from '../../proposal/answers/judge-lost.ts'
import { reason } from '../../proposal/lifecycle/verdict.ts'
import { settlingMs } from '../clock-watch.ts'
import type { Content } from '../content.ts'
import { callHost } from '../host-call.ts'
import { troubleUnlessReturned } from '../host-trouble.ts'
import type { RestoreState } from '../ports.ts'
import { settleAndAnswer } from './admit.ts'
import { blocked, type Execution, type Round } from './execution.ts'
import { openAttempt } from './open-attempt.ts'

/**
 * Ends the round, or answers null if the call may be made as far as a restore goes. A proposal that was prepared before a
 * restore was acknowledged is called only after its target was asked for every key that a lost attempt can have carried;
 * until one settling boundary after the acknowledgement that goes for every proposal, and an absence proves nothing, since a
 * lost call may still land. What is found is put on record again as an attempt of which nothing is known, and reconciled
 * like any other. Spec: rules R15 and R6, traces S14 and Z12.
 */
export async function lookForLost(
  execution: Execution,
  content: Content,
  effect: Effect | null,
  { last }: RestoreState,
): Promise<Round | null> {
  const { core, stored, registered } = execution
  const { definition } = registered
  if (last === null || last.acknowledged === null) return null
  const { at } = last.acknowledged
  // Admitted since, after such a look.
  if (effect !== null && effect.attempts.some(({ startedAt }) => startedAt > at)) return null
  const isSettled = core.storeClock.earliest() >= at + settlingMs(definition, effect?.attempts)
  if (isSettled && stored.proposal.createdAt > at) return null

  const keys = keysOf(execution, effect)
  const lost: LostCall = keys.length === 0 ? { kind: 'absent' } : await ask(execution, content, effect, keys)
  if (lost.kind === 'found') return recall(execution, content, effect, keys.indexOf(lost.identity) + firstOf(effect))
  return lost.kind === 'absent' && isSettled ? null : blocked(execution, 'restore_unsettled')
}

// A generation rises by one at most with every attempt. That of the last one on record is asked for when looking again.
function keysOf({ stored, registered }: Execution, effect: Effect | null): readonly IdempotencyKey[] {
  const keys: IdempotencyKey[] = []
  for (let generation = firstOf(effect); generation <= registered.definition.attemptsMax; generation += 1) {
    keys.push(idempotencyKey(stored.proposal.effect, generation))
  }
  return keys
}

function firstOf(effect: Effect | null): number {
  return Math.max(0, ...(effect?.attempts ?? []).map(({ generation }) => generation)) + 1
}

async function ask(
  { core, stored, registered }: Execution,
  content: Content,
  effect: Effect | null,
  keys: readonly IdempotencyKey[],
): Promise<LostCall> {
  const { action, verifyTimeoutMs } = registered.definition
  const { tenant, ref, requester, agent } = stored.proposal
  const next = (effect?.attempts.length ?? 0) + 1
  const call = await callHost(core.clock, verifyTimeoutMs, (signal) => {
    return action.verify({
      idempotencyKeys: keys,
      semanticEffectReference: stored.proposal.effect.reference,
      snapshot: content.snapshot as Parameters<typeof action.verify>[0]['snapshot'],
      attempts: next,
      covers: { from: next, to: next },
      epoch: effect?.epoch ?? 0,
      context: { tenant, proposal: ref, requester, agent },
      signal,
    })
  })
  troubleUnlessReturned(core, { method: 'verify', proposal: ref }, call)
  return judgeLost(call, keys, registered.verified)
}

// The attempt is opened and not called. It began when the proposal could first be executed, as far as anybody knows.
async function recall(
  execution: Execution,
  content: Content,
  effect: Effect | null,
  generation: number,
): Promise<Round> {
  const { core, stored, registered, actor } = execution
  const { createdAt, expiresAt } = stored.proposal
  const startedAt = Math.max(createdAt, ...(effect?.attempts ?? []).map((attempt) => attempt.startedAt))
  const leaseUntil = startedAt + registered.definition.leaseMs
  const opening = { effect, generation, startedAt, leaseUntil, precondition: null, notAfter: expiresAt }
  const opened = await openAttempt(execution, opening)
  if (opened.kind === 'answered') return opened.answer
  const { proposal, attempt } = opened
  const admitted = { registered, proposal, effect: proposal.effect, attempt, key: content.key, actor }
  return settleAndAnswer(execution, admitted, foundAgain(core.clock.now()))
}

function foundAgain(at: number): ExecutorWord {
  const why = reason('lost_call_found')
  const ending = { kind: 'failed_unknown', evidence: 'UNKNOWN', at, reason: why, externalReference: null } as const
  return { ending, resultText: null, errorText: null }
}
