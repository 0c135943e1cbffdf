// Traces told from end to end: each follows the rules step by step, and must not end in a second effect or a wrong report.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { denialsOf } from '../../src/effect/denial.ts'
import type { Attempt, AttemptEnding, Effect, Observation } from '../../src/effect/effect.ts'
import { withEnded, withFenceRaised, withObserved, withOpened } from '../../src/effect/effect-changes.ts'
import { evidenceOf } from '../../src/effect/effect-evidence.ts'
import { nextGeneration } from '../../src/effect/generation.ts'
import { limits } from '../../src/effect/limits.ts'
import { DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import { judgeClaim } from '../../src/proposal/claim/claim.ts'
import { executedSchema, executorWord } from '../../src/proposal/answers/executor-word.ts'
import { attentionOf } from '../../src/proposal/lifecycle/attention.ts'
import { lifecycle } from '../../src/proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../src/proposal/proposal.ts'
import { lookedEnough, resendAllowed } from '../../src/proposal/claim/resend.ts'
import { attempt, ending, leaseUntil, observation, ref, startedAt } from '../effect/builders.ts'
import { claimed, expiresAt, now, P1, P2, sample } from './lifecycle/sample.ts'
import { moved } from './lifecycle/tell.ts'
import {
  boundary,
  facts,
  found,
  gone,
  judge,
  K1,
  K2,
  type Look,
  notYet,
  otherFacts,
  rules as defaults,
  seen,
  snapshot,
} from './verification-fixtures.ts'

const rules = { ...defaults, acceptProof: { failure: ['terminal', 'settled'], resend: ['settled'] } } as const
const strict = { ...defaults, acceptProof: { failure: ['terminal', 'settled'], resend: ['terminal'] } } as const
const nothing = claimed([], [], null, { owner: null })
const p2 = sample('approved', { ref: P2 })

describe('a request that stalls and lands after all', () => {
  const stalled = lapsed(opened(nothing, P1))
  const closed = settledTwice(stalled)

  it('trace S1 a resend does not go out once the effect was found', () => {
    const released = follow(sample('verification_pending'), closed)
    const landed = seen(closed, found(), { definition: rules })
    const reopened = follow(released, landed)
    const looked = seen(landed, gone('settled'), { beganAt: boundary + 300_000, definition: rules })

    expect(released.status).toBe('approved')
    expect(reopened).toMatchObject({ status: 'verification_unresolved', reason: 'conflicting_evidence' })
    expect(enough(looked)).toBe(false)
  })

  it('trace S2 a new proposal is a resend, with all that a resend asks for', () => {
    const definition = strict
    const once = seen(stalled, gone('settled'), { beganAt: boundary, definition })
    const twice = seen(once, gone('settled'), { beganAt: boundary + 60_000, definition })
    const owner = follow(sample('verification_pending'), twice, strict)
    const later = { beganAt: boundary + 120_000, definition }

    expect(owner.status).toBe('failed_known')
    expect(judgeClaim(p2, twice, 3).kind).toBe('transferable')
    expect(enough(seen(twice, gone('settled'), later), strict)).toBe(false)
    expect(enough(seen(twice, notYet(), later), strict)).toBe(false)
    expect(enough(seen(twice, gone('terminal'), later), strict)).toBe(true)
  })

  it('trace S3 our own late landing, seen as stale, frees nothing', () => {
    const second = opened(closed, P1, { startedAt: now, leaseUntil: now + 60_000 })
    const word = ending('stale_no_effect', { at: now + 1 })
    const stale = withEnded(second, 2, word)
    const executing = { ...sample('executing'), attempt: 2 } as Proposal
    const owner = moved(
      lifecycle.settleCall(executing, { attempt: 2, ending: word, effect: stale, policyMet: true }, now + 1),
    )
    const looked = seen(stale, found(), { beganAt: now + 2, definition: rules })

    expect(owner.status).toBe('stale')
    expect(judgeClaim(p2, stale, 3).kind).toBe('transferable')
    expect(enough(looked)).toBe(false)
    expect(judgeClaim(p2, looked, 3).kind).toBe('held')
    expect(attentionOf(owner, looked)).toEqual(['conflicting_evidence'])
  })

  it('trace S27 a second effect does not stay unseen', () => {
    const resent = withEnded(
      opened(closed, P1, { startedAt: now, leaseUntil: now + 60_000 }),
      2,
      ending('accepted', { at: now + 1, externalReference: ref('ch_2') }),
    )
    const verified = seen(resent, found({ externalReference: 'ch_2' }), { beganAt: now + 2, definition: rules })
    const first = verified.attempts[0] ?? attempt()
    const late = withObserved(verified, lateWord(first, 'ch_1'))

    expect(evidenceOf(verified)).toMatchObject({ status: 'CONFIRMED', duplicatePossible: false })
    expect(denialsOf(verified, first)).not.toEqual([])
    expect(attentionOf(sample('verified'), late)).toEqual(['duplicate_possible'])
    expect(judge(found({ externalReference: 'ch_2' }), late, { definition: rules }).observation.flags).toEqual([
      'reference_differs',
    ])
  })
})

describe('words that come too late, or prove less than they say', () => {
  const schema = executedSchema(z.strictObject({}))

  it.each<[string, unknown]>([
    ['a definite failure', new DefinitiveFailure('cancelled')],
    ['nothing sent', new NotSent('econnrefused')],
  ])('trace S4 %s, thrown after the signal, frees nothing', (_, error) => {
    const known = { late: true, sending: false, at: leaseUntil }
    const { ending: word } = executorWord({ kind: 'threw', error }, known, schema)
    const effect = withEnded(opened(nothing, P1), 1, word)
    const owner = moved(
      lifecycle.settleCall(sample('executing'), { attempt: 1, ending: word, effect, policyMet: true }, leaseUntil),
    )

    expect(owner).toMatchObject({ status: 'failed_unknown', reason: 'late_word' })
    expect(judgeClaim(p2, effect, 3)).toEqual({ kind: 'held', by: P1, completed: false })
  })

  it('trace S5 the refusal of the first attempt says nothing about the second', () => {
    const refused = withEnded(opened(nothing, P1), 1, ending('failed_known'))
    const frozen = lapsed(opened(refused, P2, { generation: 2, idempotencyKey: K2 }))
    const looked = seen(frozen, { status: 'verified_terminal_failure', identity: K1, attempt: 1 })
    const owner = follow(sample('verification_pending', { ref: P2 }), looked)

    expect(evidenceOf(looked).status).toBe('UNKNOWN')
    expect(owner.status).toBe('verification_pending')
    expect(judgeClaim(sample('approved', { ref: ref('proposal-3') }), looked, 3).kind).toBe('held')
  })

  it('trace S6 a host cannot say that the time in flight is over', () => {
    const frozen = lapsed(opened(nothing, P1))
    const early = seen(frozen, gone('terminal'), { beganAt: leaseUntil + 1, endedAt: boundary + 1 })

    expect(evidenceOf(early).status).toBe('UNKNOWN')
    expect(judge(gone('terminal'), frozen, { beganAt: leaseUntil + 1 }).spends).toBe(null)
  })

  it('trace S9 a fence that the target never heard of proves nothing', () => {
    const fenced = withFenceRaised(lapsed(opened(nothing, P1)))

    expect(evidenceOf(seen(fenced, gone('fenced'))).status).toBe('UNKNOWN')
  })

  it('trace S10 a consumed key counts where it is declared, and never leads to the same key again', () => {
    const declared = { ...rules, acceptProof: { failure: ['key_consumed'], resend: ['key_consumed'] } } as const
    const consumed = seen(lapsed(opened(nothing, P1)), gone('key_consumed'), { definition: declared })

    expect(evidenceOf(consumed).status).toBe('FAILED')
    expect(nextGeneration(consumed.attempts, consumed.observations)).toBe(1)
    expect(resendAllowed(declared, consumed, 'key_consumed', now)).toBe(false)
  })

  it('trace S12 one target’s verifier closes nothing at another', () => {
    const bank = { ...rules, target: { name: 'bank', keyLifetimeMs: null } }
    const atBoth = lapsed(opened(lapsed(opened(nothing, P1)), P2, { target: 'bank' }))
    const looked = seen(atBoth, gone('terminal'), { definition: bank, beganAt: boundary })

    expect(looked.observations.at(-1)).toMatchObject({ verdict: 'FAILED', target: 'bank' })
    expect(evidenceOf(looked).status).toBe('UNKNOWN')
    expect(enough(looked, bank)).toBe(false)
  })
})

describe('case C029: the read-back finds another attempt', () => {
  const refused = withEnded(opened(nothing, P1), 1, ending('failed_known'))
  const unsure = lapsed(opened(refused, P2, { generation: 2, idempotencyKey: K2 }))

  it.each<[string, unknown]>([
    ['refused, under the first key', { status: 'verified_terminal_failure', identity: K1, attempt: 1 }],
    [
      'refused, under the first key, said of the second',
      { status: 'verified_terminal_failure', identity: K1, attempt: 2 },
    ],
    ['absent, asked for the first key only', gone('terminal', [K1])],
  ])('case C029 the first hit is the earlier attempt: %s', (_, answer) => {
    expect(evidenceOf(seen(unsure, answer)).status).toBe('UNKNOWN')
  })

  it('case C029 the earlier attempt was done, and is found when the second is asked about', () => {
    const looked = seen(unsure, found({ identity: K1 }), { contents: both(snapshot) })
    const second = follow(sample('verification_pending', { ref: P2 }), looked)

    expect(second).toMatchObject({ status: 'verification_unresolved', reason: 'conflicting_evidence' })
  })

  it('case C029 likewise, with other content', () => {
    const looked = seen(unsure, found({ identity: K1 }), { contents: both({ amount: otherFacts['/amount'] }) })
    const second = follow(sample('verification_pending', { ref: P2 }), looked)

    expect(looked.observations.at(-1)).toMatchObject({ verdict: 'UNKNOWN', flags: ['effect_mismatch'] })
    expect(second).toMatchObject({ status: 'verification_unresolved', reason: 'effect_mismatch' })
  })

  function both(ofSecond: typeof snapshot): Look['contents'] {
    return new Map([
      [P1, snapshot],
      [P2, ofSecond],
    ])
  }
})

describe('trace S28: it exists, but is it what was approved', () => {
  const accepted = withEnded(opened(nothing, P1), 1, ending('accepted'))

  it('trace S28 without facts, or without a count, nothing is verified', () => {
    expect(follow(sample('verification_pending'), seen(accepted, found({ facts: {} }))).status).toBe(
      'verification_pending',
    )
    expect(follow(sample('verification_pending'), seen(accepted, found({ matches: undefined }))).status).toBe(
      'verification_pending',
    )
  })

  it('trace S28 a mismatch is not forgotten by a later answer, good or bad', () => {
    const mismatch = seen(accepted, found({ facts: otherFacts }))
    const unresolved = follow(sample('verification_pending'), mismatch)
    const resumed = { ...sample('verification_pending'), revision: unresolved.revision }

    expect(unresolved.status).toBe('verification_unresolved')
    expect(follow(resumed, seen(mismatch, found({ facts: {} }))).status).toBe('verification_unresolved')
    expect(follow(resumed, seen(mismatch, found({ facts }))).status).toBe('verification_unresolved')
  })

  it('falsify Z5 an effect that was there before is not ours', () => {
    const older = seen(accepted, found({ occurredAt: startedAt - limits.clockJumpMs - 1 }))

    expect(follow(sample('verification_pending'), older)).toMatchObject({ reason: 'effect_mismatch' })
  })

  it('the clock of a target may be behind by as much as one that has not jumped, and cut to seconds', () => {
    const byItsClock = seen(accepted, found({ occurredAt: startedAt - limits.clockJumpMs }))

    expect(follow(sample('verification_pending'), byItsClock)).toMatchObject({ status: 'verified' })
  })
})

it('trace S33 what was done and undone is known to have been done', () => {
  const inDoubt = withEnded(opened(nothing, P1), 1, ending('failed_unknown'))
  const undone = seen(inDoubt, found({ status: 'reversed_after_completion' }))
  const after = follow(sample('failed_unknown'), undone)

  expect(after).toMatchObject({ status: 'verified', attention: ['reversed'] })
  expect(judgeClaim(p2, undone, 3)).toEqual({ kind: 'held', by: P1, completed: true })
})

it('falsify Z4 a provider that forgets its keys ends the resend', () => {
  const closed = settledTwice(lapsed(opened(nothing, P1)))
  const dayAfter = startedAt + 24 * 60 * 60_000

  expect(resendAllowed(rules, closed, 'settled', now)).toBe(true)
  expect(resendAllowed(rules, closed, 'settled', dayAfter)).toBe(false)
  expect(dayAfter).toBeLessThan(expiresAt + 60_000)
})

type Opening = Partial<Omit<Attempt, 'number' | 'epoch' | 'ending'>>

function opened(effect: Effect, owner: typeof P1, fields: Opening = {}): Effect {
  const { number: _number, epoch: _epoch, ending: _ending, ...plain } = attempt({ proposal: owner, ...fields })
  return withOpened(effect, owner, plain)
}

// Nobody reported: the fence is raised before anybody looks (design D9).
function lapsed(effect: Effect): Effect {
  const word: AttemptEnding = ending('lease_lapsed', { at: leaseUntil })
  return withFenceRaised(withEnded(effect, effect.attempts.length, word))
}

function settledTwice(effect: Effect): Effect {
  const once = seen(effect, gone('settled'), { beganAt: boundary, definition: rules })
  return seen(once, gone('settled'), { beganAt: boundary + 60_000, definition: rules })
}

/** What the proposal becomes once the newest observation is in the effect. */
function follow(
  proposal: Proposal,
  effect: Effect,
  definition: Look['definition'] & typeof defaults = rules,
): Proposal {
  const last = effect.observations.at(-1) ?? observation()
  const evidenced = {
    effect,
    receipt: 'verification.target_unavailable',
    answer: last.answer,
    externalReference: last.externalReference,
    givenUp: null,
    resendAllowed: resendAllowed(definition, effect, last.proof, now),
  } as const
  return moved(lifecycle.followEvidence(proposal, evidenced, now))
}

function enough(effect: Effect, definition: typeof defaults = rules): boolean {
  const looked = effect.observations.at(-1)
  return looked !== undefined && lookedEnough(definition, effect, looked, 'psp', now)
}

function lateWord({ number }: Attempt, reference: string): Observation {
  return observation({
    source: 'executor',
    answer: 'accepted',
    covers: { from: number, to: number },
    flags: ['late', 'reference_differs'],
    externalReference: ref(reference),
    beganAt: startedAt,
    endedAt: now,
  })
}
