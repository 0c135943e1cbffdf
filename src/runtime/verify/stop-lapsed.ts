// Stopping: where a definition can, the target is told once to refuse or cancel what a lapsed attempt may still send.
import { z } from 'zod'
import { withObserved } from '../../effect/effect-changes.ts'
import type { Effect, Observation } from '../../effect/effect.ts'
import { isReference } from '../../effect/reference.ts'
import { canonicalText } from '../../proposal/content/canonical-text.ts'
import type { Stop } from '../../proposal/action.ts'
import { withoutUndefined } from '../../proposal/answers/host-answer.ts'
import type { Contract } from '../../proposal/contract.ts'
import { openContent } from '../content.ts'
import type { Core } from '../core.ts'
import { effectWrite } from '../effect-write.ts'
import { callHost } from '../host-call.ts'
import { hostTrouble, troubleUnlessReturned } from '../host-trouble.ts'
import { attemptsOfTarget } from './look.ts'
import type { LiveProposal } from '../ports.ts'
import { changeOf, commit } from '../record.ts'
import type { Registered } from '../registry.ts'
import { LOST_RACE, untilStored } from '../rounds.ts'

type Means = 'fence' | 'cancel'

const stoppedSchema = z.strictObject({ acknowledged: z.boolean(), externalReference: z.string().exactOptional() })

/**
 * Calls the definition's `fence` and `cancel`, each once for a lapsed attempt, and stores what the target said: a `fenced`
 * or `cancelled` absence counts only with the target's own acknowledgement. Spec: lifecycle 7.1, rules R11.
 */
export async function stopLapsed(
  core: Core,
  registered: Registered,
  effect: Effect,
  owner: LiveProposal,
): Promise<Effect> {
  let stopped = effect
  for (const means of ['fence', 'cancel'] as const) {
    if (isDue(registered, stopped, means)) stopped = await stop(core, registered, stopped, owner, means)
  }
  return stopped
}

function isDue(registered: Registered, effect: Effect, means: Means): boolean {
  if (registered.definition.action[means] === undefined) return false
  const lapsed = attemptsOfTarget(registered, effect).filter(({ ending }) => ending?.kind === 'lease_lapsed')
  const told = effect.observations.filter(({ source }) => source === means)
  return lapsed.some(({ number }) => !told.some(({ covers }) => covers.from <= number && number <= covers.to))
}

async function stop(
  core: Core,
  registered: Registered,
  effect: Effect,
  owner: LiveProposal,
  means: Means,
): Promise<Effect> {
  const { action, hostTimeoutMs, target } = registered.definition
  const attempts = attemptsOfTarget(registered, effect)
  const [first, last] = [attempts[0], attempts.at(-1)]
  if (first === undefined || last === undefined) return effect
  const { tenant, ref, requester, agent } = owner.proposal
  const { snapshot } = await openContent(core, owner)
  const beganAt = core.storeClock.earliest()
  const call = await callHost(core.clock, hostTimeoutMs, (signal) => {
    const input: Stop<Contract> = {
      idempotencyKeys: [...new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))],
      // The bytes were committed to under the schema of a version that this definition verifies.
      snapshot: snapshot as Stop<Contract>['snapshot'],
      epoch: effect.epoch,
      context: { tenant, proposal: ref, requester, agent },
      signal,
    }
    return action[means]?.(input)
  })
  const asked = { method: means, proposal: ref }
  troubleUnlessReturned(core, asked, call)
  const answer = call.kind === 'returned' ? stoppedSchema.safeParse(plainCopy(call.value)).data : undefined
  if (call.kind === 'returned' && typeof answer?.acknowledged !== 'boolean') {
    hostTrouble(core, asked, { kind: 'malformed' })
  }
  const observation: Omit<Observation, 'sequence'> = {
    source: means,
    answer: answer?.acknowledged === true ? 'acknowledged' : 'not_acknowledged',
    verdict: 'UNKNOWN',
    covers: { from: first.number, to: last.number },
    target: target.name,
    proof: null,
    flags: [],
    reason: null,
    externalReference: referenceOf(answer),
    matches: null,
    beganAt,
    endedAt: Math.max(core.storeClock.latest(), beganAt),
  }
  return untilStored(async () => {
    const current = (await core.store.effect(effect.key)) ?? effect
    const observed = withObserved(current, observation)
    const added = {
      observation: { ...observation, sequence: observed.observations.length },
      facts: null,
      sealedFor: null,
    }
    const write = effectWrite(observed, current.version, { observed: added })
    const committed = await commit(core, changeOf(core, tenant, [], { effect: write }))
    return committed.kind === 'committed' ? observed : LOST_RACE
  })
}

// Whatever the host answers is copied once, as plain data; what cannot be copied acknowledges nothing.
function plainCopy(answer: unknown): unknown {
  const text = canonicalText(withoutUndefined(answer), 'factsBytes')
  return typeof text === 'string' ? JSON.parse(text) : undefined
}

function referenceOf(answer: z.output<typeof stoppedSchema> | undefined): Observation['externalReference'] {
  return isReference(answer?.externalReference) ? answer.externalReference : null
}
