// The claim: who owns an effect, and when it may pass on. An owner's status is never asked (design D3).
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/effect/effect.ts'
import { judgeClaim } from '../../src/proposal/claim/claim.ts'
import { attempt, ending, observation, ref, settlement } from '../effect/builders.ts'
import { principal } from './policy-fixtures.ts'
import { absence, claimed, confirmation, P1, P2, sample } from './lifecycle/sample.ts'

const open = attempt()
const inDoubt = attempt({ ending: ending('failed_unknown') })
const refused = attempt({ ending: ending('failed_known') })
const notSent = attempt({ ending: ending('not_sent') })
const second = { secondOperator: ref('user:second') }

describe('design D3: the claim of another proposal', () => {
  it.each<[string, Effect | null, string]>([
    ['nobody claimed the effect', null, 'free'],
    ['the effect has no owner', claimed([], [], null, { owner: null }), 'free'],
    ['it was claimed and nothing was started', claimed([]), 'transferable'],
    ['the executor refused in time', claimed([refused]), 'transferable'],
    ['nothing was sent', claimed([notSent]), 'transferable'],
    ['every attempt was refused', claimed([refused, notSent]), 'transferable'],
    ['it is proven absent', claimed([inDoubt], [absence()]), 'transferable'],
    ['its call is under way', claimed([open]), 'held in doubt'],
    ['its call is under way although an absence covers it', claimed([open], [absence()]), 'held in doubt'],
    ['its call ended without proof', claimed([inDoubt]), 'held in doubt'],
    ['one of two attempts is in doubt', claimed([refused, inDoubt]), 'held in doubt'],
    ['an absence covers one of two', claimed([inDoubt, inDoubt], [absence()]), 'held in doubt'],
    ['it is confirmed', claimed([inDoubt], [confirmation()]), 'held completed'],
    ['it is confirmed while its call is under way', claimed([open], [confirmation()]), 'held completed'],
    ['its evidence contradicts itself', claimed([inDoubt], [absence(), confirmation()]), 'held in doubt'],
    ['a word of failure is contradicted', claimed([refused], [confirmation()]), 'held in doubt'],
    ['something was found that was not approved', claimed([refused], [odd('effect_mismatch')]), 'held in doubt'],
    ['something was found twice', claimed([refused], [odd('duplicate')]), 'held in doubt'],
    ['something was found that is older', claimed([refused], [odd('predates_attempt')]), 'held in doubt'],
    ['no attempts are left', claimed([refused, refused, refused]), 'spent'],
    [
      'no attempts are left, and it is confirmed',
      claimed([refused, refused, inDoubt], [seenThird()]),
      'held completed',
    ],
  ])('design D3 %s', (_, effect, expected) => {
    expect(said(effect, P2)).toBe(expected)
  })
})

describe('trace S8: an effect that two operators freed', () => {
  const freed = claimed([inDoubt], [], settlement('did_not_occur', { by: ref('user:oscar'), ...second }))
  const nobody = { agent: null, agentOwner: null }

  it.each<[string, string, string | null, string]>([
    ['the first requests', 'user:oscar', null, 'barred'],
    ['the second requests', 'user:second', null, 'barred'],
    ['an agent requests for the first', 'user:rita', 'user:oscar', 'barred'],
    ['an agent requests for somebody else', 'user:rita', 'user:olga', 'transferable'],
    ['somebody else requests', 'user:rita', null, 'transferable'],
    ['a service of the first one’s id requests', 'service:oscar', null, 'transferable'],
  ])('trace S8 %s', (_, requester, agentOwner, expected) => {
    const owner = agentOwner === null ? nobody : { agentOwner: principal(agentOwner) }
    const claimant = sample('approved', { ref: P2, requester: principal(requester), ...owner })

    expect(judgeClaim(claimant, freed, 3).kind).toBe(expected)
  })
})

describe('rule R8: the claim of an effect that a person settled', () => {
  it.each<[string, Effect, string]>([
    ['it occurred', claimed([inDoubt], [], settlement('occurred')), 'held completed'],
    ['it is closed without an answer', claimed([inDoubt], [], settlement('closed_unknown')), 'barred'],
    ['it did not occur, says one operator', claimed([inDoubt], [], settlement('did_not_occur')), 'barred'],
    ['it did not occur, say two', claimed([inDoubt], [], settlement('did_not_occur', second)), 'transferable'],
    [
      'two said so, and then it was found',
      claimed([inDoubt], [confirmation()], settlement('did_not_occur', second)),
      'held in doubt',
    ],
    [
      'closed without an answer, and then it was found',
      claimed([inDoubt], [confirmation()], settlement('closed_unknown')),
      'held completed',
    ],
    [
      'closed without an answer, and then proven absent',
      claimed([inDoubt], [absence()], settlement('closed_unknown')),
      'transferable',
    ],
    [
      'a mismatch that a person has seen',
      claimed([inDoubt], [odd('effect_mismatch')], settlement('did_not_occur', { ...second, upToSequence: 1 })),
      'transferable',
    ],
    [
      'a mismatch that came after',
      claimed([inDoubt], [odd('effect_mismatch')], settlement('did_not_occur', second)),
      'held in doubt',
    ],
    [
      'another attempt after two said so',
      claimed([inDoubt, inDoubt], [], settlement('did_not_occur', second)),
      'held in doubt',
    ],
  ])('rule R8 %s', (_, effect, expected) => {
    expect(said(effect, P2)).toBe(expected)
  })
})

describe('the claim that a proposal owns already', () => {
  it.each<[string, Effect, string]>([
    ['nothing was sent', claimed([notSent]), 'own'],
    ['proven absent', claimed([inDoubt], [absence()]), 'own'],
    ['no attempts are left', claimed([notSent, notSent, notSent]), 'spent'],
    // Whether it is free is what the look at the target says, which moves the owner's own status (rules R1).
    ['in conflict', claimed([inDoubt], [absence(), confirmation()]), 'own'],
  ])('%s', (_, effect, expected) => {
    expect(said(effect, P1)).toBe(expected)
  })
})

it('the budget of attempts is the effect’s, over all proposals', () => {
  const effect = claimed([refused, attempt({ proposal: P2, ending: ending('failed_known') })])

  expect(judgeClaim(sample('approved'), effect, 3).kind).toBe('own')
  expect(judgeClaim(sample('approved'), effect, 2).kind).toBe('spent')
  expect(judgeClaim(sample('approved', { ref: ref('proposal-3') }), effect, 2).kind).toBe('spent')
})

it('a claim that passes on, or is held, names its owner', () => {
  const other = sample('approved', { ref: P2 })

  expect(judgeClaim(other, claimed([refused]), 3)).toEqual({ kind: 'transferable', from: P1 })
  expect(judgeClaim(other, claimed([inDoubt]), 3)).toEqual({ kind: 'held', by: P1, completed: false })
})

function said(effect: Effect | null, claimant: typeof P1): string {
  const claim = judgeClaim(sample('approved', { ref: claimant }), effect, 3)
  return claim.kind === 'held' ? `held ${claim.completed ? 'completed' : 'in doubt'}` : claim.kind
}

function odd(flag: 'effect_mismatch' | 'duplicate' | 'predates_attempt'): Effect['observations'][number] {
  return observation({ answer: 'verified_completion', flags: [flag] })
}

function seenThird(): Effect['observations'][number] {
  return confirmation({ covers: { from: 3, to: 3 } })
}
