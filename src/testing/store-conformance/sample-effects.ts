// Sample effects: claims, attempts and observations that follow on what a store answered before.
import { effectKind, idempotencyKey } from '../../effect/effect-key.ts'
import type { Attempt, AttemptEnding, Effect, Observation } from '../../effect/effect.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import type { EffectRow, EffectWrite } from '../../runtime/ports.ts'
import { sealed } from './sample-changes.ts'
import { SAMPLE_START } from './sample-proposals.ts'

/** How long a sample attempt holds its lease. */
export const SAMPLE_LEASE_MS: number = 60_000

/** The claim of an effect by a proposal, or the taking over of one, with its next attempt. */
export function claiming(proposal: Proposal, before: Effect | null, overrides: Partial<Attempt> = {}): EffectWrite {
  const number = (before?.attempts.length ?? 0) + 1
  const row: EffectRow = {
    ...(before === null ? unclaimed(proposal) : rowOf(before)),
    version: (before?.version ?? 0) + 1,
    owner: proposal.ref,
    epoch: (before?.epoch ?? 0) + 1,
  }
  const opened: Attempt = {
    number,
    proposal: proposal.ref,
    action: proposal.action,
    target: 'psp',
    generation: 1,
    idempotencyKey: idempotencyKey(proposal.effect, 1),
    epoch: row.epoch,
    token: `token-${proposal.ref}-${number}`,
    startedAt: SAMPLE_START,
    leaseUntil: SAMPLE_START + SAMPLE_LEASE_MS,
    precondition: null,
    ending: null,
    ...overrides,
  }
  return { row, expect: before?.version ?? 'absent', formerKeys: [], opened, ended: null, observed: null }
}

/** The end of the open attempt of an effect. */
export function ending(before: Effect, overrides: Partial<AttemptEnding> = {}): EffectWrite {
  const open = before.attempts.at(-1)
  if (open === undefined) throw new TypeError('There is no attempt to end')
  return {
    ...raising(before),
    ended: {
      number: open.number,
      token: open.token,
      ending: {
        kind: 'accepted',
        evidence: 'UNKNOWN',
        at: SAMPLE_START,
        reason: null,
        externalReference: null,
        ...overrides,
      },
      detail: sealed(`detail of ${open.token}`),
    },
  }
}

/** An observation of an effect, with facts sealed for its owner. */
export function observing(before: Effect, overrides: Partial<Observation> = {}): EffectWrite {
  return {
    ...raising(before),
    observed: {
      observation: {
        sequence: before.observations.length + 1,
        source: 'verifier',
        answer: 'provisional_absence',
        verdict: 'UNKNOWN',
        covers: { from: 1, to: before.attempts.length },
        target: 'psp',
        proof: null,
        flags: [],
        reason: null,
        externalReference: null,
        matches: null,
        beganAt: SAMPLE_START,
        endedAt: SAMPLE_START,
        ...overrides,
      },
      facts: sealed(`facts of ${before.owner}`),
      sealedFor: before.owner,
    },
  }
}

/** A write that only raises the version of an effect, with whatever of its row is to change. */
export function raising(before: Effect, overrides: Partial<EffectRow> = {}): EffectWrite {
  return {
    row: { ...rowOf(before), version: before.version + 1, ...overrides },
    expect: before.version,
    formerKeys: [],
    opened: null,
    ended: null,
    observed: null,
  }
}

function rowOf({ attempts: _attempts, observations: _observations, ...row }: Effect): EffectRow {
  return row
}

function unclaimed({ effect, ref }: Proposal): EffectRow {
  return {
    key: effect,
    kind: effectKind(effect.domain),
    version: 0,
    owner: ref,
    epoch: 0,
    settlement: null,
    verifyDueAt: null,
    verifyLease: null,
    absencesSpent: 0,
    unavailablesSpent: 0,
  }
}
