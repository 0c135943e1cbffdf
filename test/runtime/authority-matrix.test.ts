// Caller × operation × state: who may do what, and that a refusal changes nothing and tells nothing. What is expected is data.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { idempotencyKey } from '../../src/effect/effect-key.ts'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import { Refusal } from '../../src/proposal/errors.ts'
import type { Session } from '../../src/proposal/session.ts'
import { reference, type World } from './harness.ts'
import { openOperators, permissions, saying } from './operators.ts'
import {
  agent,
  elsewhere,
  finance1,
  finance2,
  operator,
  reader,
  requester,
  service,
  session,
  stranger,
  TENANT,
} from './sessions.ts'
import { reach, type State } from './states.ts'

const [, who = '', outcomes = ''] = readFileSync(new URL('authority-matrix.txt', import.meta.url), 'utf8').split(
  /^(?= +requester )|^What comes of it[^]*?more\.$/m,
)
const REFUSALS: Readonly<Record<string, string>> = {
  '-': 'not_permitted',
  '0': 'not_found',
  A: 'agent_cannot_decide',
  S: 'separation_of_duties',
  D: 'decision_not_permitted',
}
const everyRole = [
  ...new Set(
    Object.values(permissions)
      .flat()
      .filter((role) => typeof role === 'string'),
  ),
]
const withEveryRole = (one: Session): Session => ({ ...one, roles: everyRole })

const callers: Readonly<Record<string, Session>> = {
  requester,
  'requester*': withEveryRole(requester),
  colleague: session('user:carl', ['support']),
  agent,
  'agent*': withEveryRole(agent),
  approver: finance1,
  'approver*': withEveryRole(finance1),
  finance: finance2,
  operator,
  executor: service,
  webhooks: session('service:webhooks', ['webhooks']),
  'webhooks-user': session('user:wanda', ['webhooks']),
  examiner: session('user:ella', ['auditor', 'examiner']),
  privacy: session('user:petra', ['privacy-officer', 'auditor']),
  reader,
  stranger,
  'foreigner*': elsewhere(withEveryRole(requester)),
}

/** What an operation is done to. */
interface Target {
  readonly ref: string
  readonly commitment: string
  readonly approvalId: string
  readonly effect: EffectKey
}

type Operation = (world: World, by: Session, target: Target) => Promise<string>

const operations: Readonly<Record<string, Operation>> = {
  read: async ({ runtime }, by, { ref }) => ((await runtime.read(by, ref)).kind === 'proposal' ? 'shown' : 'tombstone'),
  list: async ({ runtime }, by, { ref }) => {
    const { items } = await runtime.list(by)
    return items.some(({ proposal }) => proposal === ref) ? 'listed' : 'not_found'
  },
  receipts: async ({ runtime }, by, { ref }) => ((await runtime.receipts(by, ref)).check.intact ? 'whole' : 'broken'),
  evidence: async ({ runtime }, by, { ref }) =>
    (await runtime.exportEvidence(by, ref)).proposal === ref ? 'whole' : 'other',
  check: async ({ runtime }, by, { ref }) => (await runtime.check(by, ref)).outcome,
  approve: async ({ runtime }, by, { ref, commitment }) => (await runtime.approve(by, ref, { commitment })).outcome,
  reject: async ({ runtime }, by, { ref, commitment }) => (await runtime.reject(by, ref, { commitment })).outcome,
  revoke: async ({ runtime }, by, { ref, approvalId }) => (await runtime.revokeApproval(by, ref, approvalId)).outcome,
  withdraw: async ({ runtime }, by, { ref }) => (await runtime.withdraw(by, ref)).outcome,
  execute: async ({ runtime }, by, { ref }) => (await runtime.execute(by, ref)).outcome,
  reconcile: async ({ runtime }, by, { ref }) => (await runtime.reconcile(by, ref)).outcome,
  resume: async ({ runtime }, by, { ref }) => (await runtime.resume(by, ref, { reason: 'outage_over' })).outcome,
  settle: async ({ runtime }, by, { ref }) => (await runtime.settle(by, ref, saying('occurred'))).outcome,
  observe: async ({ runtime }, by, { effect }) => {
    return (await runtime.observe(by, { idempotencyKey: idempotencyKey(effect, 1), eventId: 'evt_1' })).outcome
  },
  erase: async ({ runtime }, by, { ref }) => (await runtime.erase(by, ref, { reason: 'asked_by_subject' })).outcome,
}

const [heading = [], ...rows] = who
  .trimEnd()
  .split('\n')
  .map((line) => line.trim().split(/ +/))
const columns = heading
const cells = new Map(
  rows.flatMap(([operation, ...marks]) => marks.map((mark, at) => [`${operation} ${columns[at]}`, mark])),
)
const sections = outcomes
  .trim()
  .split('\n\n')
  .map((section) => section.split('\n'))
const comes = new Map<string, string>(
  sections.flatMap(([state, ...lines]) => {
    return lines.flatMap((line) => {
      const [operation, outcome = '', ...others] = line.split(/ +/)
      const own = others.map((other) => other.split('='))
      return [
        [`${operation} ${state}`, outcome] as const,
        ...own.map(([name, word = '']) => [`${operation} ${state} ${name}`, word] as const),
      ]
    })
  }),
)

describe('threat T1: the data', () => {
  it('threat T1 speaks of every caller, every operation and every state', () => {
    expect(columns).toEqual(Object.keys(callers))
    expect(rows.map(([operation]) => operation)).toEqual(Object.keys(operations))
    expect(sections.map(([state]) => state)).toEqual(Object.keys(reach))
    expect([...comes.keys()].filter((key) => key.split(' ').length === 2)).toHaveLength(pairs.length)
  })
})

const pairs = (Object.keys(reach) as State[]).flatMap((state) =>
  Object.keys(operations).map((operation) => ({ state, operation })),
)

describe('threat T1', () => {
  it.each(pairs)('threat T1 $operation × $state', async ({ state, operation }) => {
    const world = await openOperators({ store: 'memory' })
    const target = await targetIn(world, state)
    const told: Record<string, string> = {}
    const expected: Record<string, string> = {}
    const permitted: string[] = []
    const before = [world.faults.changes.length, world.action.calls.execute]

    for (const [name, by] of Object.entries(callers)) {
      expected[name] = expectation(operation, state, name, by)
      if (isRefusal(expected[name])) told[name] = await answer(world, operation, by, target)
      else permitted.push(name)
    }

    expect([world.faults.changes.length, world.action.calls.execute]).toEqual(before)
    for (const name of permitted) {
      const fresh = await openOperators({ store: 'memory' })
      const own = await targetIn(fresh, state)
      const calls = fresh.action.calls.execute
      told[name] = await answer(fresh, operation, callers[name] ?? stranger, own)
      const isCall = operation === 'execute' && state === 'approved'
      expect([name, fresh.action.calls.execute - calls]).toEqual([name, isCall ? 1 : 0])
    }
    expect(told).toEqual(expected)
  })
})

async function targetIn(world: World, state: State): Promise<Target> {
  const ref = await reach[state](world)
  const stored = await world.bareStore.proposal(reference(TENANT), reference(ref))
  if (stored === null) throw new Error(`${ref} is not there`)
  if (stored.kind === 'erased') return { ref, commitment: 'c1_', approvalId: 'none', effect: stored.tombstone.effect }
  const { proposal, approvals } = stored
  return {
    ref,
    commitment: proposal.commitment,
    approvalId: approvals[0]?.approvalId ?? 'none',
    effect: proposal.effect,
  }
}

async function answer(world: World, operation: string, by: Session, target: Target): Promise<string> {
  try {
    return (await operations[operation]?.(world, by, target)) ?? 'nothing'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

function expectation(operation: string, state: State, name: string, by: Session): string {
  const pair = `${operation} ${state}`
  const own = comes.get(`${pair} ${name}`)
  if (own !== undefined) return own
  const outcome = comes.get(pair) ?? 'missing'
  const refusal = REFUSALS[cells.get(`${operation} ${name}`) ?? '']
  // Whether something can be observed at all is told to services alone.
  const isBlind = operation === 'observe' && by.principal.kind !== 'service'
  if (outcome.startsWith('!') && !isBlind) return outcome.slice(1)
  return refusal ?? outcome
}

function isRefusal(expected: string): boolean {
  return Object.values(REFUSALS).includes(expected)
}
