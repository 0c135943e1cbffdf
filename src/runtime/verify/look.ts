// Looking: one read of the target by its verifier, judged against what was approved.
import type { JsonValue } from '../../effect/canonical-json.ts'
import type { Attempt, Effect } from '../../effect/effect.ts'
import type { Reference } from '../../effect/reference.ts'
import { type Judged, type JudgedAgainst, judgeVerification } from '../../proposal/answers/judge-verification.ts'
import { claimedEffect } from '../claimed-effect.ts'
import { settlingMs } from '../clock-watch.ts'
import { openContent } from '../content.ts'
import type { Core } from '../core.ts'
import { callHost } from '../host-call.ts'
import { hostTrouble, troubleUnlessReturned } from '../host-trouble.ts'
import { neighbour } from './neighbour.ts'
import type { LiveProposal } from '../ports.ts'
import type { Registered } from '../registry.ts'

/** The attempts that a definition's verifier can speak of: those of its own target (rules R11). */
export function attemptsOfTarget({ definition }: Registered, effect: Effect): readonly Attempt[] {
  return effect.attempts.filter(({ target }) => target === definition.target.name)
}

/**
 * Asks the verifier once and judges its answer; nothing is stored here. `owner` is the proposal whose content the
 * verifier is handed; facts are held against the content of the attempts that carried the key.
 * @throws ContentUnavailable when the owner's content cannot be opened.
 */
export async function lookAtTarget(
  core: Core,
  registered: Registered,
  effect: Effect,
  owner: LiveProposal,
): Promise<Judged | null> {
  const { definition, verified } = registered
  const attempts = attemptsOfTarget(registered, effect)
  const [first, last] = [attempts[0], attempts.at(-1)]
  if (first === undefined || last === undefined) return null

  const contents = new Map([[owner.proposal.ref, (await openContent(core, owner)).snapshot]])
  const behind = attempts.map(({ proposal }) => proposal)
  await addSnapshots(core, owner, contents, behind)
  const { action, verifyTimeoutMs } = definition
  const keys = [...new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))]
  const covers = { from: first.number, to: last.number }
  const { tenant, ref, requester, agent } = owner.proposal
  const beganAt = core.storeClock.earliest()
  const call = await callHost(core.clock, verifyTimeoutMs, (signal) => {
    return action.verify({
      idempotencyKeys: keys,
      semanticEffectReference: effect.key.reference,
      // The bytes were committed to under the schema of a version that this definition verifies.
      snapshot: contents.get(ref) as Parameters<typeof action.verify>[0]['snapshot'],
      attempts: effect.attempts.length,
      covers,
      epoch: effect.epoch,
      context: { tenant, proposal: ref, requester, agent },
      signal,
    })
  })
  const told = { method: 'verify', proposal: ref }
  troubleUnlessReturned(core, told, call)
  const asked = { keys, covers, beganAt, endedAt: Math.max(core.clock.now(), beganAt) }
  // Held against what is on record by now: a late return that was recorded before this read began moves the boundary, and
  // what is found must be what its present owner was approved for.
  const onRecord = await claimedEffect(core, effect.key)
  await addSnapshots(core, owner, contents, [onRecord.owner])
  const against = {
    definition,
    schema: verified,
    effect: onRecord,
    contents,
    compareFacts: comparison(core, registered, ref),
    isClockSettled: !core.clock.isUnsettled(settlingMs(definition, attempts)),
  }
  const judged = judgeVerification(call, asked, against)
  if (call.kind === 'returned' && judged.observation.reason === 'malformed_answer') {
    hostTrouble(core, told, { kind: 'malformed' })
  }
  return judged
}

// The host's comparison, where there is one; what it gets wrong is told to the host before it is judged.
function comparison(core: Core, { definition }: Registered, proposal: Reference): JudgedAgainst['compareFacts'] {
  const { action } = definition
  if (action.compareFacts === undefined) return null
  const compareFacts = action.compareFacts.bind(action)
  const told = { method: 'compareFacts', proposal }
  return (approved, found) => {
    try {
      const answer = compareFacts(approved, found)
      if (typeof answer !== 'boolean') hostTrouble(core, told, { kind: 'malformed' })
      return answer
    } catch (error) {
      hostTrouble(core, told, { kind: 'threw', error })
      throw error
    }
  }
}

// The content of one who is behind the effect beside the owner asked for is used where it can still be opened.
async function addSnapshots(
  core: Core,
  owner: LiveProposal,
  contents: Map<Reference, JsonValue>,
  behind: readonly (Reference | null)[],
): Promise<void> {
  for (const proposal of new Set(behind)) {
    if (proposal === null || contents.has(proposal)) continue
    const stored = await neighbour(core, owner.proposal.tenant, proposal)
    if (stored === null) continue
    const snapshot = await openContent(core, stored).then(
      (content) => content.snapshot,
      () => null,
    )
    if (snapshot !== null) contents.set(proposal, snapshot)
  }
}
