// Erasure on SQLite leaves no byte: canaries in every field are looked for in every file of the database.
import { existsSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Change, LiveProposal } from '../../src/runtime/ports.ts'
import { erasing, inserting, sealed, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import { claiming, ending, observing } from '../../src/testing/store-conformance/sample-effects.ts'
import { inStatus, reference, sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { approval, commits, effectOf, liveOf } from '../../src/testing/store-conformance/steps.ts'
import { openSqlite } from './sqlite-fixture.ts'

let opened: Awaited<ReturnType<typeof openSqlite>>

beforeEach(async () => {
  opened = await openSqlite()
})

afterEach(async () => {
  await opened.close()
})

/** A word that stands nowhere else, so long that large values leave the page of their row. */
const canary = (field: string, times = 1): string => `CANARY-${field}-${'x'.repeat(20)}`.repeat(times)

/** Everything of a proposal that is not on the list of the tombstone, each with its canary. */
const FIELDS = [
  'definition',
  'subject',
  'requester',
  'agent',
  'owner',
  'replaces',
  'policy',
  'fingerprint',
  'commitment',
  'snapshot',
  'preview',
  'result',
  'salt',
  'wrapped-key',
  'approver',
  'role',
  'assurance',
  'comment',
  'participant',
  'trigger',
  'receipt-reference',
  'receipt-detail',
  'attempt-detail',
  'facts',
  'drift',
]

/** The canaries that are found in the database file, its log and its index. */
function found(): readonly string[] {
  const files = ['', '-wal', '-shm', '-journal']
    .map((suffix) => `${opened.path}${suffix}`)
    .filter((file) => existsSync(file))
  const bytes = files.map((file) => readFileSync(file))
  return FIELDS.filter((field) => bytes.some((content) => content.includes(`CANARY-${field}-`)))
}

async function storedWithCanaries(): Promise<LiveProposal> {
  const { store } = opened
  const policy = { ...sampleProposal().policy, noApproval: canary('policy') }
  const proposal = sampleProposal({
    definitionDigest: canary('definition'),
    subject: reference(canary('subject')),
    requester: { kind: 'user', id: reference(canary('requester')) },
    agent: { kind: 'agent', id: reference(canary('agent')) },
    agentOwner: { kind: 'user', id: reference(canary('owner')) },
    replaces: reference(canary('replaces')),
    policy,
    commandFingerprint: canary('fingerprint'),
    commitment: canary('commitment'),
  })
  const content = { snapshot: sealed(canary('snapshot', 3_000)), preview: sealed(canary('preview', 900)) }
  const key = { kekVersion: 'k1', wrapped: sealed(canary('wrapped-key')) }
  await commits(store, telling(inserting(proposal, { content, key, receiptSalt: sealed(canary('salt')) })))
  let live = await liveOf(store, proposal)

  const given = approval(live, {
    approver: { kind: 'user', id: reference(canary('approver')) },
    rolesAtDecision: [canary('role')],
    assurance: [canary('assurance')],
  })
  const decision = {
    kind: 'decided',
    proposal: proposal.ref,
    approval: given,
    comment: sealed(canary('comment', 40)),
  } as const
  await commits(store, telling(updating(live, inStatus(live.proposal, 'approved'), { approvals: [decision] })))
  live = await liveOf(store, proposal)
  await commits(
    store,
    telling(updating(live, inStatus(live.proposal, 'executing'), { effect: claiming(proposal, null) })),
  )
  live = await liveOf(store, proposal)
  const end = ending(await effectOf(store, proposal.effect), { kind: 'stale_no_effect', evidence: 'FAILED' })
  const ended = { ...end, ended: end.ended && { ...end.ended, detail: sealed(canary('attempt-detail', 500)) } }
  const stale = { ...inStatus(live.proposal, 'stale'), driftPaths: [canary('drift')] }
  const change = updating(live, stale, { effect: ended })
  await commits(
    store,
    telling({ ...change, proposals: [{ kind: 'update', proposal: stale, result: sealed(canary('result', 900)) }] }),
  )
  const seen = observing(await effectOf(store, proposal.effect))
  const facts = seen.observed && { ...seen.observed, facts: sealed(canary('facts', 900)) }
  live = await liveOf(store, proposal)
  await commits(
    store,
    telling(updating(live, { ...stale, revision: stale.revision + 1 }, { effect: { ...seen, observed: facts } })),
  )
  return liveOf(store, proposal)
}

/** The change with canaries in what its receipts say. */
function telling(change: Change): Change {
  const told = {
    participant: `user:${canary('participant')}`,
    trigger: `service:${canary('trigger')}`,
    externalReference: reference(canary('receipt-reference')),
    detail: [canary('receipt-detail')],
  }
  return {
    ...change,
    receipts: change.receipts.map((receipt) => ({ ...receipt, body: receipt.body && { ...receipt.body, ...told } })),
  }
}

describe('after erasure', () => {
  it('no byte of what was there is in any file of the database', async () => {
    const live = await storedWithCanaries()
    expect(found()).toEqual(FIELDS)

    await commits(opened.store, telling(erasing(live)))
    expect(await opened.store.scrub()).toBe('done')

    expect(found()).toEqual([])
    await opened.store.close()
    expect(found()).toEqual([])
  })

  it('the neighbours of what was erased are whole', async () => {
    const neighbour = await storedWithCanaries()
    const live = await storedWithCanaries()

    await commits(opened.store, erasing(live))
    expect(await opened.store.scrub()).toBe('done')

    expect(await liveOf(opened.store, neighbour.proposal)).toEqual(neighbour)
    expect(found()).toEqual(FIELDS)
  })

  it('scrubbing is busy while somebody still reads what was there, and done after', async () => {
    const live = await storedWithCanaries()
    const reader = new Database(opened.path)
    reader.exec('begin')
    reader.prepare('select * from proposals').all()

    await commits(opened.store, erasing(live))
    const whileRead = await opened.store.scrub()
    reader.close()

    expect(whileRead).toBe('busy')
    expect(await opened.store.scrub()).toBe('done')
    expect(found()).toEqual([])
  })
})
