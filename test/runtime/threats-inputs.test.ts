// Threats to what is handed in: fields that are not the caller's to set, keys that come twice, numbers that are not themselves.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { answering, openExecution, says } from './execution-world.ts'
import { answerOf, reference, STORES, unsound, type World } from './harness.ts'
import { ephemeralKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { finance1, operator, privacy, requester, service, TENANT } from './sessions.ts'

type Input = Readonly<Record<string, unknown>>
type Operation = (world: World, by: Session, ref: string, forged: Input) => Promise<unknown>

/** Absurd values for everything that a stored proposal, its decisions and its receipts are made of, and for what a body may claim. */
const claimed: Input = {
  tenant: 'globex',
  ref: 'another-proposal',
  status: 'verified',
  revision: 99,
  requester: { kind: 'user', id: 'mallory' },
  agent: null,
  agentOwner: { kind: 'user', id: 'mallory' },
  participant: 'user:mallory',
  principal: { kind: 'user', id: 'mallory' },
  roles: ['finance-manager', 'operator', 'privacy-officer'],
  assurance: ['hardware_key'],
  approvals: [{ approver: { kind: 'user', id: 'mallory' }, decision: 'approve' }],
  approver: { kind: 'user', id: 'mallory' },
  policy: { require: [], noApproval: 'mallory says so' },
  effect: { tenant: 'globex', domain: 'example.payments/other', reference: 'another-effect' },
  effectReference: 'another-effect',
  idempotencyKey: 'another-key',
  definitionDigest: 'another-definition',
  commandFingerprint: 'another-command',
  createdAt: 1,
  updatedAt: 1,
  decidedAt: 1,
  expiresAt: 4_102_444_800_000,
  attempt: 7,
  attention: ['reversed'],
  erasure: 'done',
  blockedBy: 'content_unavailable',
  closedAt: 1,
  driftPaths: ['/amount'],
  supersededBy: 'another-proposal',
  replacedBy: 'another-proposal',
  evidence: { status: 'CONFIRMED', attempts: 1 },
  settlement: { verdict: 'did_not_occur' },
  externalReference: 'rf-mallory',
  snapshot: { amount: { amount: '9999.00', currency: 'EUR' } },
  preview: { title: 'Nothing to see' },
  result: { refundId: 'rf-mallory' },
  nextStep: 'none',
}

/** Every operation that takes a body, on a proposal that is at its place in the row. */
const operations: readonly (readonly [name: string, by: Session, operation: Operation])[] = [
  [
    'approve',
    finance1,
    async (world, by, ref, forged) => {
      const { commitment } = (await world.stored(ref)).proposal
      return world.runtime.approve(by, ref, { ...forged, commitment })
    },
  ],
  [
    'revokeApproval',
    finance1,
    async (world, by, ref, forged) =>
      world.runtime.revokeApproval(by, ref, (await world.stored(ref)).approvals[0]?.approvalId ?? '', forged),
  ],
  [
    'approve again',
    finance1,
    async (world, by, ref, forged) => {
      const { commitment } = (await world.stored(ref)).proposal
      return world.runtime.approve(by, ref, { ...forged, commitment })
    },
  ],
  ['execute', requester, async ({ runtime }, by, ref, forged) => runtime.execute(by, ref, forged)],
  ['reconcile', service, async ({ runtime }, by, ref, forged) => runtime.reconcile(by, ref, forged)],
  [
    'resume',
    operator,
    async ({ runtime }, by, ref, forged) => runtime.resume(by, ref, { ...forged, reason: 'bank_is_back' }),
  ],
  [
    'settle',
    operator,
    async ({ runtime }, by, ref, forged) =>
      runtime.settle(by, ref, {
        ...forged,
        verdict: 'occurred',
        reason: 'statement_checked',
        evidenceReference: 'case-1',
      }),
  ],
  [
    'withdraw',
    requester,
    async ({ runtime }, by, ref, forged) => runtime.withdraw(by, ref, { ...forged, reason: 'ordered_twice' }),
  ],
  [
    'reject',
    finance1,
    async (world, by, ref, forged) => {
      const { commitment } = (await world.stored(ref)).proposal
      return world.runtime.reject(by, ref, { ...forged, commitment })
    },
  ],
]

/** Prepares, walks through the operations, and tells every answer and what is stored after each of them. */
async function walk(world: World, forged: Input, names: readonly string[]): Promise<readonly unknown[]> {
  const input = { ...forged, ...world.input({ intent: 'damaged item' }) }
  const { proposal } = await world.runtime.prepare(requester, unsound(input))
  const told: unknown[] = []
  for (const [name, by, operation] of operations.filter(([one]) => names.includes(one))) {
    const answer = await answerOf(unsound(operation(world, by, proposal, forged)))
    const { proposal: row, approvals } = await world.stored(proposal)
    const effect = await world.bareStore.effect(row.effect)
    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    const receipts = chain.map(({ body }) => body)
    // Keys are drawn anew for every proposal, and commitments are made with them.
    told.push(
      plain({ name, answer, row: { ...row, commitment: '' }, approvals: approvals.map(nameless), effect, receipts }),
    )
  }
  await world.runtime.erase(privacy, proposal, { ...forged, reason: 'asked_by_subject' })
  return told
}

function nameless(approval: object): object {
  return { ...approval, commitment: '' }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

describe.each(STORES)('threat T25: what is no field of an operation, on %s', (store) => {
  it.each<[way: string, names: readonly string[]]>([
    ['to the end', operations.map(([name]) => name)],
    ['and withdrawn', ['approve', 'withdraw']],
    ['and rejected', ['reject']],
  ])('threat T25 changes no answer and no row, whichever operation it is sent with: %s', async (_, names) => {
    const keyring = ephemeralKeyring()
    const options = { store, keyring, seed: 4, contract: { verification: { absences: 1 } } } as const
    const [honest, forged] = [await openExecution(options), await openExecution(options)]
    for (const world of [honest, forged]) world.action.methods.verify = answering(says.doneAs({ matches: 2 }))

    const expected = await walk(honest, {}, names)

    expect(await walk(forged, claimed, names)).toEqual(expected)
  })

  it.each(Object.keys(claimed))('threat T25 %s in a command is refused, and nothing is stored', async (field) => {
    const world = await openExecution({ store })
    const input = world.input({ [field]: claimed[field] })

    expect(await answerOf(world.runtime.prepare(requester, input))).toBe('invalid_command')
    expect(world.faults.changes).toEqual([])
  })

  it('threat T25 every field of a stored proposal is among those that are sent', async () => {
    const world = await openExecution({ store })
    const { proposal } = await world.prepared()
    const fields = Object.keys((await world.stored(proposal)).proposal)

    // What a caller does hand in: what is done, what it replaces, and what a decision is about.
    const own = new Set(['action', 'replaces', 'commitment', 'subject'])
    expect(fields.filter((field) => !(field in claimed) && !own.has(field))).toEqual([])
  })
})
