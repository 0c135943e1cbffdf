// The memory store and the stores over databases answer alike and hold alike, whatever is done to them (invariant I30).
import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { STATUSES, type Status, TRANSITIONS } from '../../src/proposal/status.ts'
import type { Change, LiveProposal, Store } from '../../src/runtime/ports.ts'
import { memoryStore } from '../../src/store/memory-store.ts'
import { emptyChange, erasing, inserting, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import { claiming, ending, observing, raising } from '../../src/testing/store-conformance/sample-effects.ts'
import {
  inStatus,
  SAMPLE_START,
  SAMPLE_TENANT,
  sampleEffectKey,
  sampleProposal,
} from '../../src/testing/store-conformance/sample-proposals.ts'
import { approval } from '../../src/testing/store-conformance/steps.ts'
import type { StoreUnderTest } from '../../src/testing/store-conformance.ts'
import { openPostgres } from './postgres-fixture.ts'
import { openSqlite } from './sqlite-fixture.ts'

/** What is done; numbers choose among what there is. */
type Command =
  | { readonly kind: 'prepare'; readonly effect: number; readonly requestKey: number | null }
  | {
      readonly kind: 'move'
      readonly which: number
      readonly status: Status
      /** One of the moves that the lifecycle allows, instead of `status`. */
      readonly allowed: number | null
      readonly offset: number
      readonly late: boolean
    }
  | { readonly kind: 'claim'; readonly which: number; readonly alone: boolean; readonly version: number }
  | { readonly kind: 'end' | 'observe' | 'raise'; readonly which: number; readonly wrong: boolean }
  | { readonly kind: 'approve' | 'revoke' | 'erase'; readonly which: number; readonly wrong: boolean }
  | { readonly kind: 'repeat'; readonly which: number }

const EFFECTS = [0, 1].map((index) => sampleEffectKey(SAMPLE_TENANT, `effect-${index}`))

const DUE = [
  ...(['expiry', 'verification', 'lease', 'unscheduled'] as const).map((kind) => ({ kind })),
  ...(['execution', 'settled', 'closed'] as const).map((kind) => ({ kind, action: sampleProposal().action })),
]
const PAGE = { tenant: SAMPLE_TENANT, until: SAMPLE_START + 1e9, after: null, limit: 50 }

const which = fc.nat({ max: 3 })
const rarely = fc.nat({ max: 9 }).map((number) => number === 0)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('prepare' as const),
      effect: fc.nat({ max: 1 }),
      requestKey: fc.option(fc.nat({ max: 2 })),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      which,
      status: fc.constantFrom(...STATUSES),
      allowed: fc.option(fc.nat({ max: 8 }), { freq: 4 }),
      offset: fc.constantFrom(0, 0, 0, 0, -1, 1),
      late: rarely,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      which,
      alone: rarely,
      version: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('end' as const, 'observe' as const, 'raise' as const),
      which,
      wrong: rarely,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('approve' as const, 'revoke' as const, 'erase' as const),
      which,
      wrong: rarely,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which }) },
)

/** The proposals and changes that a run has come across. */
interface Run {
  readonly refs: LiveProposal['proposal']['ref'][]
  readonly changes: Change[]
}

/** The change that a command means, given what the store holds; null where there is nothing that it could mean. */
async function changeOf(store: Store, run: Run, command: Command): Promise<Change | null> {
  if (command.kind === 'repeat') return run.changes[command.which % Math.max(1, run.changes.length)] ?? null
  if (command.kind === 'prepare') {
    const proposal = sampleProposal({ effect: EFFECTS[command.effect] ?? expect.fail() })
    run.refs.push(proposal.ref)
    return inserting(proposal, { requestKeyHash: command.requestKey === null ? null : `hash-${command.requestKey}` })
  }
  const ref = run.refs[command.which % Math.max(1, run.refs.length)]
  const read = ref === undefined ? null : await store.proposal(SAMPLE_TENANT, ref)
  if (read?.kind !== 'live') return null
  const { proposal } = read
  switch (command.kind) {
    case 'move': {
      const allowed = TRANSITIONS[proposal.status]
      const status =
        command.allowed === null ? command.status : (allowed[command.allowed % allowed.length] ?? command.status)
      const after = inStatus(proposal, status, { revision: proposal.revision + 1 + command.offset })
      return updating(read, after, command.late ? { notAfter: SAMPLE_START } : {})
    }
    case 'approve':
    case 'revoke':
    case 'erase':
      return decisionOf(read, command)
    case 'claim':
    case 'end':
    case 'observe':
    case 'raise':
      return effectChangeOf(store, read, command)
  }
}

function decisionOf(
  live: LiveProposal,
  { kind, wrong }: Extract<Command, { kind: 'approve' | 'revoke' | 'erase' }>,
): Change | null {
  const { proposal } = live
  if (kind === 'erase') return erasing(live, wrong ? { lastHash: 'a'.repeat(64) } : {})
  const after = inStatus(proposal, proposal.status === 'awaiting_approval' ? 'approved' : 'awaiting_approval')
  if (kind === 'approve') {
    const given = approval(
      live,
      wrong && live.approvals[0] !== undefined ? { approvalId: live.approvals[0].approvalId } : {},
    )
    return updating(live, after, {
      approvals: [{ kind: 'decided', proposal: proposal.ref, approval: given, comment: null }],
    })
  }
  const [first] = live.approvals
  if (first === undefined) return null
  const approvals = [
    { kind: 'revoked', proposal: proposal.ref, approvalId: first.approvalId, revokedAt: SAMPLE_START } as const,
  ]
  return updating(live, after, { approvals })
}

async function effectChangeOf(
  store: Store,
  live: LiveProposal,
  command: Extract<Command, { kind: 'claim' | 'end' | 'observe' | 'raise' }>,
): Promise<Change | null> {
  const { proposal } = live
  const effect = await store.effect(proposal.effect)
  if (command.kind === 'claim') {
    const claim = claiming(proposal, effect)
    const expect = claim.expect === 'absent' ? claim.expect : claim.expect - command.version
    return updating(live, inStatus(proposal, 'executing'), {
      effect: { ...claim, expect, opened: command.alone ? null : claim.opened },
    })
  }
  if (effect === null) return null
  const alone = (write: Change['effect']): Change => ({ ...emptyChange(SAMPLE_TENANT), effect: write })
  if (command.kind === 'raise') return alone(raising(effect, { epoch: effect.epoch + (command.wrong ? -1 : 1) }))
  if (command.kind === 'observe') return alone(observing(effect, command.wrong ? { sequence: 99 } : {}))
  const end = ending(effect)
  return alone(command.wrong ? { ...end, ended: end.ended && { ...end.ended, token: 'another' } } : end)
}

/** What a store answers, with every broken invariant as one answer; any other error is a failure of the test. */
async function answerOf(store: Store, change: Change): Promise<string> {
  try {
    return JSON.stringify(await store.commit(change))
  } catch (error) {
    if (error instanceof Error && error.name === 'BrokenInvariant') return 'broken invariant'
    throw error
  }
}

/** Everything that can be read from a store. */
async function dump(store: Store, run: Run): Promise<unknown> {
  const perProposal = run.refs.map(async (ref) => [
    await store.proposal(SAMPLE_TENANT, ref),
    await store.receipts(SAMPLE_TENANT, ref),
  ])
  const perEffect = EFFECTS.map(async (key) => {
    return [await store.effect(key), await store.attemptDetail(key, 1), await store.attemptDetail(key, 2)]
  })
  const queries = [
    {},
    { needsPerson: true },
    { dueAt: SAMPLE_START + 60_000 },
    { dueAt: SAMPLE_START + 1e9 },
    { order: 'oldest' },
    { order: 'expiry' },
    { decidedBy: 'user:bob' },
  ] as const
  return {
    proposals: await Promise.all(perProposal),
    effects: await Promise.all(perEffect),
    lists: await Promise.all(queries.map(async (query) => store.list({ tenant: SAMPLE_TENANT, limit: 50, ...query }))),
    due: await Promise.all(
      DUE.map(async (query) => store.due({ ...PAGE, ...query, until: query.kind === 'execution' ? 0 : PAGE.until })),
    ),
    toErase: await store.erasuresOpen(SAMPLE_TENANT, null, 50),
    keys: await store.keysNotUnder(SAMPLE_TENANT, 'k2', null, 50),
    tenants: await store.tenants(),
    events: await store.events(SAMPLE_TENANT, 0, 1_000),
    requestKeys: await Promise.all([0, 1, 2].map(async (key) => store.byRequestKey(SAMPLE_TENANT, `hash-${key}`))),
  }
}

/** Opens a store that is to be like the one in memory. */
type Open = (clock: { now(): number }) => Promise<Pick<StoreUnderTest, 'store' | 'close'>>

/** Does what the commands say to both stores; adds every answer to `seen`. */
async function compare(commands: readonly Command[], seen: Set<string>, open: Open): Promise<void> {
  const clock = { now: () => SAMPLE_START }
  const memory = memoryStore({ clock })
  const { store: twin, close } = await open(clock)
  const run: Run = { refs: [], changes: [] }
  try {
    for (const next of commands) {
      const change = await changeOf(memory, run, next)
      if (change === null) continue
      run.changes.push(change)
      const answer = await answerOf(memory, change)
      expect(await answerOf(twin, change)).toBe(answer)
      seen.add(/"on":"(\w+)"/u.exec(answer)?.[1] ?? /committed|broken/u.exec(answer)?.[0] ?? answer)
    }
    const held = await dump(memory, run)
    expect(await dump(twin, run)).toEqual(held)
    if (JSON.stringify(held).includes('"kind":"erased"')) seen.add('tombstone')
  } finally {
    await close()
  }
}

const commands = fc.array(command, { minLength: 20, maxLength: 60, size: 'max' })

const DATABASES: readonly (readonly [name: string, runs: number, open: Open])[] = [
  ['SQLite', 30, (clock) => openSqlite({ clock })],
  // A commit is some twenty statements that wait for a server.
  ['PostgreSQL', 20, (clock) => openPostgres({ clock })],
]

describe.each(DATABASES)('invariant I30 the memory store and the %s store', (_name, numRuns, open) => {
  it('give the same answers to the same changes and then hold the same', async () => {
    const seen = new Set<string>()
    const property = fc.asyncProperty(commands, async (given) => compare(given, seen, open))

    await fc.assert(property, { numRuns })

    expect(seen).toContain('committed')
  })

  it('do so with every kind of answer', async () => {
    const seen = new Set<string>()
    const property = fc.asyncProperty(commands, async (given) => compare(given, seen, open))

    await fc.assert(property, { numRuns: 30, seed: 1 })

    const conflicts = ['effect', 'erased', 'fenced', 'request_key', 'revision', 'too_late']
    expect([...seen].toSorted()).toEqual([...conflicts, 'broken', 'committed', 'tombstone'].toSorted())
  })
})
