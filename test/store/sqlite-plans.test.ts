// How SQLite finds what is asked for: every read of fixed size goes through an index, whatever the store holds.
import { DummyDriver, Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DueQuery, ListQuery } from '../../src/runtime/ports.ts'
import type { Operation, Ran } from '../../src/store/operation.ts'
import type { Bound } from '../../src/store/statement.ts'
import { callReader } from '../../src/store/reads/call-reader.ts'
import { deliveryReader } from '../../src/store/reads/delivery-reader.ts'
import { dueReader } from '../../src/store/reads/due-reader.ts'
import { effectReader } from '../../src/store/reads/effect-reader.ts'
import { erasureReader } from '../../src/store/reads/erasure-reader.ts'
import { eventReader } from '../../src/store/reads/event-reader.ts'
import { keyReader } from '../../src/store/reads/key-reader.ts'
import { listReader } from '../../src/store/reads/list-reader.ts'
import { proposalReader } from '../../src/store/reads/proposal-reader.ts'
import { standingReader } from '../../src/store/reads/standing-reader.ts'
import { sqliteCapabilities } from '../../src/store/sqlite-capabilities.ts'
import { sqliteDialect } from '../../src/store/sqlite-dialect.ts'
import { clockTime } from '../../src/store/store-time.ts'
import type { Tables } from '../../src/store/tables.ts'
import { changeCommitter } from '../../src/store/writes/commit-change.ts'
import { deliveryWriter } from '../../src/store/writes/delivery-writer.ts'
import { sampleCallKey } from '../../src/testing/store-conformance/sample-calls.ts'
import { inserting, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import { claiming } from '../../src/testing/store-conformance/sample-effects.ts'
import {
  inStatus,
  nextRef,
  reference,
  sampleEffectKey,
  SAMPLE_TENANT,
  sampleProposal,
} from '../../src/testing/store-conformance/sample-proposals.ts'
import Database from 'better-sqlite3'
import { openSqlite } from './sqlite-fixture.ts'

let opened: Awaited<ReturnType<typeof openSqlite>>

beforeAll(async () => {
  opened = await openSqlite()
})

afterAll(async () => {
  await opened.close()
})

const db = new Kysely<Tables>({ dialect: sqliteDialect(new DummyDriver()) })
const list = listReader(db, () => {})
const effect = sampleEffectKey(SAMPLE_TENANT, 'x')

/** The plan of an operation's n-th statement, fed with rows that those before it would find. */
function plan(operation: Operation<unknown>, ...found: readonly (readonly object[])[]): string {
  const fed = [...found]
  for (let step = operation.next(); step.done !== true; ) {
    const ran: Ran[] = []
    for (const statement of step.value) {
      const rows = fed.shift()
      if (rows === undefined) return explained(statement)
      ran.push({ rows, changed: 1 })
    }
    step = operation.next(ran)
  }
  throw new TypeError('The operation has no such statement')
}

function explained({ sql, parameters }: Bound<unknown>): string {
  const database = new Database(opened.path, { readonly: true })
  try {
    const steps = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters)
    return steps.map(({ detail }) => detail).join('\n')
  } finally {
    database.close()
  }
}

function listPlan(query: Partial<ListQuery>): string {
  return plan(list({ tenant: SAMPLE_TENANT, limit: 50, after: nextRef(), ...query }))
}

describe('a list', () => {
  it.each<[string, Partial<ListQuery>, string]>([
    ['of everything', {}, 'sqlite_autoindex_proposals_1'],
    ['of one status', { statuses: ['approved'] }, 'proposals_by_status'],
    ['of an effect', { effect }, 'proposals_by_effect'],
    ['of an action', { actionName: 'a.b/c' }, 'proposals_by_action'],
    ['of a requester', { requester: 'user:alice' }, 'proposals_by_requester'],
    ['of a subject', { subject: reference('order-1') }, 'proposals_by_subject'],
    ['of the oldest first', { order: 'oldest' }, 'sqlite_autoindex_proposals_1'],
    ['of what is nearest to its end', { order: 'expiry' }, 'proposals_open_by_expiry'],
    ['of the oldest that need a person', { needsPerson: true, order: 'oldest' }, 'proposals_for_person'],
    ['of those that need a person', { needsPerson: true }, 'proposals_for_person'],
  ])('%s reads its page off an index, without sorting', (_what, query, index) => {
    const text = listPlan(query)

    expect(text).not.toContain('SCAN')
    expect(text).not.toContain('TEMP B-TREE')
    expect(text).toContain(`USING INDEX ${index} (tenant=?`)
  })

  it('of what somebody decided on reads their decisions off an index of theirs, and sorts nothing', () => {
    const text = listPlan({ decidedBy: 'user:alice' })

    expect(text).toContain('approvals USING COVERING INDEX approvals_by_approver (tenant=? AND approver=?)')
    expect(text).toContain('proposals USING INDEX sqlite_autoindex_proposals_1 (tenant=? AND ref=?)')
    expect(text).not.toMatch(/SCAN|TEMP B-TREE/u)
  })

  it('of what is due reads three small ranges', () => {
    const text = listPlan({ dueAt: 1 })

    for (const index of ['proposals_open_by_expiry', 'effects_due', 'attempts_by_lease'])
      expect(text).toContain(`INDEX ${index} (tenant=? AND `)
    expect(text).not.toMatch(/SCAN (?:proposals|effects|attempts)/u)
  })
})

describe('due work', () => {
  const due = dueReader(db)
  const page = { tenant: SAMPLE_TENANT, until: 1, limit: 50, after: { at: 1, ref: nextRef() } }
  const action = 'a.b/c@1'

  it.each<[Extract<DueQuery['kind'], string>, DueQuery, string]>([
    ['expiry', { ...page, kind: 'expiry' }, 'proposals_open_by_expiry (tenant=? AND '],
    ['execution', { ...page, kind: 'execution', action }, 'proposals_approved (tenant=? AND action=? AND '],
    ['verification', { ...page, kind: 'verification' }, 'effects_due (tenant=? AND '],
    ['lease', { ...page, kind: 'lease' }, 'attempts_by_lease (tenant=? AND '],
    ['settled', { ...page, kind: 'settled', action }, 'proposals_settled (tenant=? AND action=? AND '],
    ['closed', { ...page, kind: 'closed', action }, 'proposals_closed (tenant=? AND action=? AND '],
  ])('of the kind %s is one range of its partial index, in its order', (_kind, query, range) => {
    const text = plan(due(query))

    expect(text.replace('COVERING ', '')).toContain(`USING INDEX ${range}`)
    expect(text).not.toMatch(/SCAN|TEMP B-TREE/u)
  })

  it('that nobody scheduled is looked for among those in doubt alone', () => {
    const text = plan(due({ ...page, kind: 'unscheduled' }))

    expect(text).toMatch(/SEARCH proposals USING (?:COVERING )?INDEX proposals_in_doubt \(tenant=\? AND ref>\?\)/u)
    expect(text).not.toContain('SCAN')
  })
})

describe('a read', () => {
  const ref = nextRef()
  it.each<[string, () => Operation<unknown>]>([
    ['of a proposal', () => proposalReader(db).proposal(SAMPLE_TENANT, ref)],
    ['of receipts', () => proposalReader(db).receipts(SAMPLE_TENANT, ref)],
    ['of a request key', () => proposalReader(db).byRequestKey(SAMPLE_TENANT, 'hash')],
    ['of an effect', () => effectReader(db).effect(effect)],
    ['of the detail of an attempt', () => effectReader(db).attemptDetail(effect, 1)],
    ['of a guarded call', () => callReader(db, effectReader(db)).call(sampleCallKey())],
    ['of a guarded call by its id', () => callReader(db, effectReader(db)).byId(SAMPLE_TENANT, ref)],
    ['of endpoints', () => deliveryReader(db).endpoints(SAMPLE_TENANT)],
    ['of the events of a queue', () => deliveryReader(db).events(SAMPLE_TENANT, ref, 1, 9)],
    ['of dead letters', () => deliveryReader(db).dead(SAMPLE_TENANT, { endpoint: ref, proposal: ref }, 50)],
    ['of events', () => eventReader(db).events(SAMPLE_TENANT, 1, 50)],
    ['of an effect by its idempotency key', () => effectReader(db).byIdempotencyKey(SAMPLE_TENANT, 'ik_1')],
    ['of open erasures', () => erasureReader(db).open(SAMPLE_TENANT, ref, 50)],
    ['of keys to be wrapped anew', () => keyReader(db).notUnder(SAMPLE_TENANT, 'k2', ref, 50)],
  ])('%s searches by key and sorts nothing', (_what, operation) => {
    const text = plan(operation())

    expect(text).toContain('SEARCH')
    expect(text).not.toMatch(/SCAN|TEMP B-TREE/u)
  })
})

describe('the counts of those that wait', () => {
  it('read the index of statuses and the rows that wait, and no others', () => {
    const standing = standingReader(db)

    const [statuses, oldest, persons] = [[], [[]], [[], []]].map((found) => plan(standing(SAMPLE_TENANT), ...found))

    expect(statuses).toContain('USING COVERING INDEX proposals_by_status (tenant=? AND status=?)')
    expect(oldest).toMatch(/proposals USING INDEX proposals_by_status \(tenant=\? AND status=\?\)/u)
    expect(oldest).toMatch(/attempts USING INDEX \w+ \(tenant=\? AND proposal=\?/u)
    expect(persons).toContain('proposals_for_person')
  })
})

describe('the names of all tenants', () => {
  it('are read one after the other, past their proposals', () => {
    const text = plan(keyReader(db).tenants())

    expect(text).toMatch(/SEARCH later USING COVERING INDEX \w+ \(tenant>\?\)/u)
    expect(text).not.toContain('SCAN later')
    expect(text).not.toContain('SCAN proposals')
  })
})

describe('a claim of deliveries', () => {
  const lease = { tenant: SAMPLE_TENANT, endpoint: reference('e'), holder: 'one', leaseMs: 1 }
  const claim = (): Operation<unknown> => {
    return deliveryWriter(db, clockTime({ now: () => 1 })).claim({ ...lease, limit: 9 })
  }

  it.each([
    ['finds what is due', []],
    ['finds what is due next', [[]]],
  ])('%s off an index, without sorting', (_what, found) => {
    const text = plan(claim(), ...found)

    expect(text).toContain('deliveries_due_next (tenant=? AND endpoint=?')
    expect(text).not.toMatch(/SCAN|TEMP B-TREE/u)
  })
})

describe('a write', () => {
  it('of the next revision searches the proposal by its key', () => {
    const proposal = sampleProposal()
    const change = updating({ proposal, lastHash: '0'.repeat(64) }, inStatus(proposal, 'executing'), {
      effect: claiming(proposal, null),
    })
    const commit = changeCommitter(db, sqliteCapabilities, clockTime({ now: () => 1 }))

    // Is the change known? what is the revision? is a restore open? what is the version? The change is written, then the
    // proposal.
    const text = plan(commit(change), [], [{ revision: 0, erasure: 'none' }], [], [], [])

    expect(text).toContain('SEARCH proposals USING INDEX sqlite_autoindex_proposals_1 (tenant=? AND ref=?)')
  })

  it('of a new proposal begins with nothing but searches by key', () => {
    const commit = changeCommitter(db, sqliteCapabilities, clockTime({ now: () => 1 }))
    const change = inserting(sampleProposal(), { requestKeyHash: 'hash' })

    for (const found of [[], [[]], [[], []]]) expect(plan(commit(change), ...found)).toMatch(/^SEARCH \w+ USING/u)
  })
})
