// What holds for every move: the table of the statuses, the revision, the clock, and everything that never changes.
import { expect, it } from 'vitest'
import { deepFreeze } from '../../../src/effect/canonical-json.ts'
import { OUTCOMES, REFUSALS } from '../../../src/proposal/codes.ts'
import type { Move } from '../../../src/proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { RECEIPT_TYPES } from '../../../src/proposal/receipts/receipt.ts'
import { mayMove, STATUSES, type Status, TRANSITIONS } from '../../../src/proposal/status.ts'
import { type Situation, situations } from './commands.ts'
import { code, now, sample, updatedAt } from './sample.ts'

/** Arrows of the table that no command takes, and why each stays in it. */
const withoutCommand: Readonly<Record<string, string>> = {
  'verification_pending → failed_unknown': 'an answer that proves nothing leaves the proposal where it is looked into',
}

const lasting = [
  'tenant',
  'ref',
  'action',
  'definitionDigest',
  'effect',
  'subject',
  'requester',
  'agent',
  'agentOwner',
  'replaces',
  'policy',
  'commandFingerprint',
  'commitment',
  'createdAt',
  'expiresAt',
] as const satisfies readonly (keyof Proposal)[]

const moves = STATUSES.flatMap((status) => situations.flatMap((situation) => moveOf(status, situation)))

it.each(moves)('lifecycle $from × $command $when → $to keeps the rules of a move', ({ before, move, to }) => {
  expect(mayMove(before.status, to)).toBe(true)
  expect(move.proposal.revision).toBe(before.revision + 1)
  expect(move.proposal.updatedAt).toBeGreaterThanOrEqual(before.updatedAt)
  expect(lasting.filter((field) => move.proposal[field] !== before[field])).toEqual([])
  expect(Object.keys(move.proposal).sort()).toEqual(Object.keys(sample(to)).sort())
  expect(RECEIPT_TYPES).toContain(move.receipt.type)
  expect(Object.keys(OUTCOMES)).toContain(move.outcome)
})

it('every arrow of the table is taken by some command, but for those named with a reason', () => {
  const taken = new Set(moves.map(({ from, to }) => `${from} → ${to}`))
  const arrows = STATUSES.flatMap((from) => TRANSITIONS[from].map((to) => `${from} → ${to}`))

  expect(arrows.filter((arrow) => !taken.has(arrow))).toEqual(Object.keys(withoutCommand))
})

it('a clock that was set back does not set a proposal back', () => {
  const early = moves.flatMap(({ before, move }) => {
    const verdict = move.situation.run(before, updatedAt - 1)
    return verdict?.kind === 'move' ? [verdict.proposal.updatedAt] : []
  })

  expect(early.length).toBeGreaterThan(0)
  expect(early.filter((at) => at < updatedAt)).toEqual([])
})

it('a move says when it happened', () => {
  const verdict = situations[0]?.run(sample('awaiting_approval'))

  expect(verdict).toMatchObject({ kind: 'move', proposal: { updatedAt: now } })
})

it('what is refused is refused with a code of the list', () => {
  const verdicts = STATUSES.flatMap((status) => situations.map(({ run }) => run(sample(status))))
  const codes = verdicts.flatMap((verdict) => (verdict?.kind === 'refused' ? [verdict.code] : []))

  expect(new Set(codes)).toEqual(new Set(['binding_mismatch', 'not_found', 'not_permitted']))
  expect(Object.keys(REFUSALS)).toEqual(expect.arrayContaining(codes))
})

it('a change of status forgets why execution was refused before', () => {
  const changed = moves.filter(({ from, to }) => from !== to)
  const after = changed.map(({ before, move }) => move.situation.run({ ...before, blockedBy: code('resolve_failed') }))

  expect(after.filter((verdict) => verdict?.kind === 'move' && verdict.proposal.blockedBy !== null)).toEqual([])
})

interface Row {
  readonly from: Status
  readonly to: Status
  readonly command: string
  readonly when: string
  readonly before: Proposal
  readonly move: Move & { readonly situation: Situation }
}

function moveOf(status: Status, situation: Situation, before = deepFreeze(sample(status))): readonly Row[] {
  const verdict = situation.run(before)
  if (verdict?.kind !== 'move') return []
  const { command, when } = situation
  return [{ from: status, to: verdict.proposal.status, command, when, before, move: { ...verdict, situation } }]
}
