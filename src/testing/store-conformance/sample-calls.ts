// Sample guarded calls: claims, starts, ends and completions that follow on what a store answered before.
import { CALL_DOMAIN_PREFIX, type EffectKey, idempotencyKey } from '../../effect/effect-key.ts'
import { unclaimed } from '../../effect/effect-changes.ts'
import type { CallClaim, CallProgress, GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { Attempt, Effect } from '../../effect/effect.ts'
import type { Change, EffectRow, EffectWrite } from '../../runtime/ports.ts'
import { emptyChange } from './sample-changes.ts'
import { SAMPLE_LEASE_MS } from './sample-effects.ts'
import { nextRef, nextSerial, reference, SAMPLE_START, SAMPLE_TENANT } from './sample-proposals.ts'

/** The key of a guarded call that was not named before. */
export function sampleCallKey(name = `charge-${nextSerial()}`): EffectKey {
  return { tenant: SAMPLE_TENANT, domain: `${CALL_DOMAIN_PREFIX}example`, reference: reference(name) }
}

/** The claim of a call. */
export function claimingCall(key: EffectKey, claim: Partial<CallClaim> = {}): Change {
  const row: EffectRow = { ...rowOf(unclaimed(key)), version: 1, epoch: 1 }
  return {
    ...emptyChange(key.tenant),
    effect: { ...writing(row, 'absent') },
    call: {
      kind: 'claim',
      claim: {
        actionId: nextRef(),
        requestHash: 'hash',
        providerReference: reference('order-123'),
        risk: 'financial',
        metadata: '{"order":"123"}',
        state: 'PENDING',
        holder: `holder-${nextSerial()}`,
        leaseUntil: SAMPLE_START + SAMPLE_LEASE_MS,
        createdAt: SAMPLE_START,
        completedAt: null,
        ...claim,
      },
    },
  }
}

/** The start of the next attempt of a call. */
export function startingCall({ effect }: GuardedCall, attempt: Partial<Attempt> = {}): Change {
  const row: EffectRow = { ...rowOf(effect), version: effect.version + 1, epoch: effect.epoch + 1 }
  const opened: Attempt = {
    number: effect.attempts.length + 1,
    proposal: null,
    action: 'example',
    target: 'example',
    generation: 1,
    idempotencyKey: idempotencyKey(effect.key, 1),
    epoch: row.epoch,
    token: `token-${nextSerial()}`,
    startedAt: SAMPLE_START,
    leaseUntil: SAMPLE_START + SAMPLE_LEASE_MS,
    precondition: null,
    ending: null,
    ...attempt,
  }
  return { ...emptyChange(effect.key.tenant), effect: { ...writing(row, effect.version), opened } }
}

/** The end of the open attempt of a call, told of and without a decision unless one is given. */
export function endingCall({ effect }: GuardedCall, progress: Partial<CallProgress> = {}): Change {
  const open = effect.attempts.at(-1)
  if (open === undefined) throw new TypeError('There is no attempt to end')
  const ending = {
    kind: 'returned',
    evidence: 'CONFIRMED',
    at: SAMPLE_START,
    reason: null,
    externalReference: null,
  } as const
  const ended = { number: open.number, token: open.token, ending, detail: null }
  return {
    ...progressing({ effect }, { ended: { number: open.number, error: 'lost', isRetryable: true }, ...progress }),
    effect: { ...raisingCall({ effect }), ended },
  }
}

/** A change that adds nothing to the effect and goes on with the call. */
export function progressing({ effect }: Pick<GuardedCall, 'effect'>, progress: Partial<CallProgress>): Change {
  return {
    ...emptyChange(effect.key.tenant),
    effect: raisingCall({ effect }),
    call: { kind: 'progress', ended: null, decided: [], completedAt: null, ...progress },
  }
}

/** The taking over of a claim. */
export function takingOver({ effect }: GuardedCall): Change {
  const row: EffectRow = { ...rowOf(effect), version: effect.version + 1, epoch: effect.epoch + 1 }
  return {
    ...emptyChange(effect.key.tenant),
    effect: writing(row, effect.version),
    call: { kind: 'take_over', holder: `holder-${nextSerial()}`, leaseUntil: SAMPLE_START + 2 * SAMPLE_LEASE_MS },
  }
}

/** The release of a claim. */
export function releasing({ effect }: Pick<GuardedCall, 'effect'>): Change {
  const { key, version } = effect
  return { ...emptyChange(key.tenant), call: { kind: 'release', key, version } }
}

/** A write that only raises the version of a call's effect. */
function raisingCall({ effect }: Pick<GuardedCall, 'effect'>): EffectWrite {
  return writing({ ...rowOf(effect), version: effect.version + 1 }, effect.version)
}

function writing(row: EffectRow, expect: EffectWrite['expect']): EffectWrite {
  return { row, expect, formerKeys: [], opened: null, ended: null, observed: null }
}

function rowOf({ attempts: _attempts, observations: _observations, ...row }: Effect): EffectRow {
  return row
}
