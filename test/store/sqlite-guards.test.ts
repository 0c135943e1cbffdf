// Every guard of the SQLite schema, one by one: with it an attack is refused by its rule, without it the attack succeeds.
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GuardedCall } from '../../src/effect/calls/guarded-call.ts'
import type { Change } from '../../src/runtime/ports.ts'
import {
  claimingCall,
  endingCall,
  progressing,
  sampleCallKey,
  startingCall,
} from '../../src/testing/store-conformance/sample-calls.ts'
import { erasing } from '../../src/testing/store-conformance/sample-changes.ts'
import { ending, observing } from '../../src/testing/store-conformance/sample-effects.ts'
import { reference } from '../../src/testing/store-conformance/sample-proposals.ts'
import {
  approval,
  attempted,
  commits,
  decided,
  effectOf,
  evidence,
  liveOf,
  moved,
  prepared,
} from '../../src/testing/store-conformance/steps.ts'
import { openSqlite, rawRows } from './sqlite-fixture.ts'

let opened: Awaited<ReturnType<typeof openSqlite>>

/** References to what the attacks are aimed at. */
interface Targets {
  /** Open, at revision 0, with a request key. */
  readonly open: string
  /** Its attempt has ended and was observed once; somebody has decided on it. */
  readonly pending: string
  /** Erased, with an attempt and an observation. */
  readonly erased: string
  /** Its attempt is open. */
  readonly executing: string
  /** Keys of guarded calls: claimed only, with an open attempt, with an ended one, with one that is decided on, completed. */
  readonly claimed: string
  readonly started: string
  readonly ended: string
  readonly decided: string
  readonly completed: string
}

let at: Targets

// One store for all: every attack is rolled back.
beforeAll(async () => {
  opened = await openSqlite()
  const { store } = opened
  await store.adopt({ referenceKeyCheck: 'check', domains: { 'example.payments/refund': 'example.payments/refund' } })
  const { proposal: open } = await prepared(store, {}, { requestKeyHash: 'hash' })
  const pending = await observed()
  const erased = await observed()
  const verified = await moved(store, await liveOf(store, erased), 'verified')
  await commits(store, erasing(verified))
  const { live } = await attempted(store)
  const queued = [{ proposal: open.ref, first: 1, last: 1 }]
  await store.deliveries.enqueue({ tenant: open.tenant, endpoint: reference('e'), from: null, through: 1, queued })
  at = {
    open: open.ref,
    pending: pending.ref,
    erased: erased.ref,
    executing: live.proposal.ref,
    claimed: await called(),
    started: await called(startingCall),
    ended: await called(startingCall, endingCall),
    decided: await called(startingCall, endingCall, (call) => progressing(call, { decided: [STOP] })),
    completed: await called(startingCall, (call) => endingCall(call, { completedAt: 1 })),
  }
})

afterAll(async () => {
  await opened.close()
})

async function observed(): Promise<Awaited<ReturnType<typeof prepared>>['proposal']> {
  const { store } = opened
  const { live, effect } = await attempted(store)
  await commits(store, evidence(ending(effect)))
  await commits(store, evidence(observing(await effectOf(store, effect.key))))
  const decision = { kind: 'decided', proposal: live.proposal.ref, approval: approval(live), comment: null } as const
  return (await decided(store, live, [decision], 'verification_pending')).proposal
}

const STOP = { number: 1, decision: 'stop', nextAttemptAt: null } as const

/** A guarded call after these steps. */
async function called(...steps: readonly ((call: GuardedCall) => Change)[]): Promise<string> {
  const { store } = opened
  const key = sampleCallKey()
  await commits(store, claimingCall(key))
  for (const next of steps) {
    const call = await store.call(key)
    if (call !== null) await commits(store, next(call))
  }
  return key.reference
}

/** Inserts copies of rows with some columns changed. */
function copy(table: string, where: string, changes: Readonly<Record<string, string>> = {}, verb = 'insert'): string {
  const columns = rawRows<{ name: string; hidden: number }>(
    opened.path,
    `select name, hidden from pragma_table_xinfo('${table}')`,
  )
  const names = columns.filter(({ hidden }) => hidden === 0).map(({ name }) => name)
  const values = names.map((name) => changes[name] ?? `"${name}"`)
  return `${verb} into ${table} (${names.map((name) => `"${name}"`).join(', ')}) select ${values.join(', ')} from ${table} where ${where}`
}

/** The next revision of a proposal, as a store would write it, and one more thing. */
const step = (ref: string, set = 'blocked_by = blocked_by'): string => {
  return `update proposals set revision = revision + 1, ${set} where ref = '${ref}'`
}

/** The receipt of that step, with some columns changed. */
const receiptOf = (ref: string, changes: Readonly<Record<string, string>> = {}): string => {
  const next = { sequence: 'sequence + 1', previous_hash: 'hash', hash: `'${'f'.repeat(64)}'`, ...changes }
  return copy('receipts', `proposal = '${ref}' order by sequence desc limit 1`, next)
}

const restore = (number: number, finding = 'behind'): string => {
  return `insert into restores (number, finding, found_at, admissions) values (${number}, '${finding}', 1, 0)`
}

const replace = 'insert or replace'
const ENDED = `ended_at = 1, ending = 'not_sent', ending_evidence = 'FAILED'`
const OPEN = {
  ended_at: 'null',
  ending: 'null',
  ending_evidence: 'null',
  ending_reason: 'null',
  external_reference: 'null',
  detail: 'null',
}
/** For every trigger the attack that it alone refuses, and the rule that it then tells. */
const GUARDS: readonly (readonly [trigger: string, attack: () => string, rule: string])[] = [
  [
    'proposals_not_replaced',
    () => copy('proposals', `ref = '${at.open}'`, {}, replace),
    'proposals are never replaced',
  ],
  [
    'proposals_begin',
    () => copy('proposals', `ref = '${at.pending}'`, { ref: `'new'` }),
    'a proposal starts open, at revision 0',
  ],
  [
    'proposals_fixed',
    () => step(at.open, 'expires_at = expires_at + 1'),
    'identity and creation of a proposal never change',
  ],
  [
    'proposals_content',
    () => step(at.open, `commitment = 'c1_other'`),
    'content and authority of a proposal never change',
  ],
  [
    'proposals_revision',
    () => `update proposals set revision = revision + 2 where ref = '${at.open}'`,
    'a revision grows by one',
  ],
  ['proposals_receipt', () => `${step(at.open)}; ${step(at.open)}`, 'the change before has no receipt'],
  [
    'proposals_lifecycle',
    () => step(at.open, `status = 'failed_known', reason = 'x', settled_at = 1`),
    'a status changes only as the lifecycle says',
  ],
  ['proposals_clock', () => step(at.open, 'updated_at = updated_at - 1'), 'the time of a proposal never goes back'],
  [
    'proposals_hidden',
    () => step(at.erased, 'receipt_count = receipt_count + 1'),
    'erasure never goes back, and a tombstone never changes',
  ],
  ['proposals_not_deleted', () => `delete from proposals where ref = '${at.open}'`, 'proposals are never deleted'],

  [
    'receipts_not_replaced',
    () => copy('receipts', `proposal = '${at.open}'`, {}, replace),
    'receipts are never replaced',
  ],
  ['receipts_of_revision', () => receiptOf(at.open), 'a receipt tells of the revision and the status that are stored'],
  [
    'receipts_sealed',
    () => `drop trigger keys_not_deleted; delete from keys; ${step(at.open)}; ${receiptOf(at.open)}`,
    'a proposal with content has its key',
  ],
  [
    'receipts_chained',
    () => `${step(at.open)}; ${receiptOf(at.open, { previous_hash: `'${'0'.repeat(64)}'` })}`,
    'a receipt continues the chain',
  ],
  [
    'receipts_clock',
    () => `${step(at.open)}; ${receiptOf(at.open, { at: 'at - 1' })}`,
    'the time of receipts never goes back',
  ],
  [
    'receipts_not_changed',
    () => `update receipts set runtime_version = '9' where proposal = '${at.open}'`,
    'receipts are never changed',
  ],
  ['receipts_not_deleted', () => `delete from receipts where proposal = '${at.open}'`, 'receipts are never deleted'],

  [
    'approvals_numbered',
    () => copy('approvals', `proposal = '${at.pending}'`, { number: '9', approval_id: `'new'` }),
    'decisions are numbered without gaps and never replaced',
  ],
  [
    'approvals_given_once',
    () => copy('approvals', `proposal = '${at.pending}'`, { number: 'number + 1' }),
    'a decision has an id of its own',
  ],
  ['approvals_taken_back_once', () => revocation(at.pending, 'unknown'), 'an approval is taken back once'],
  [
    'approvals_of_content',
    () => copy('approvals', `proposal = '${at.pending}'`, { proposal: `'${at.erased}'` }),
    'nothing is decided on what has been erased',
  ],
  ['approvals_not_changed', () => 'update approvals set decided_at = 0', 'decisions are never changed'],
  ['approvals_not_deleted', () => 'delete from approvals', 'decisions are never deleted'],

  [
    'keys_not_replaced',
    () => copy('keys', `proposal = '${at.open}'`, {}, replace),
    'keys are wrapped anew and never replaced',
  ],
  [
    'keys_of_content',
    () => copy('keys', `proposal = '${at.open}'`, { proposal: `'${at.erased}'` }),
    'a key belongs to a proposal with content',
  ],
  [
    'keys_stay',
    () => `update keys set proposal = 'other' where proposal = '${at.open}'`,
    'a key stays with its proposal',
  ],
  ['keys_not_deleted', () => `delete from keys where proposal = '${at.open}'`, 'a key is destroyed by erasure alone'],
  [
    'request_keys_not_replaced',
    () => copy('request_keys', 'true', {}, replace),
    'rows of request_keys are never replaced',
  ],
  [
    'request_keys_not_changed',
    () => `update request_keys set proposal = '${at.pending}'`,
    'rows of request_keys are never changed',
  ],
  ['request_keys_not_deleted', () => 'delete from request_keys', 'rows of request_keys are never deleted'],

  [
    'events_not_replaced',
    () => copy('events', `proposal = '${at.open}'`, {}, replace),
    'rows of events are never replaced',
  ],
  ['events_not_changed', () => 'update events set at = 0', 'rows of events are never changed'],
  ['events_not_deleted', () => 'delete from events', 'rows of events are never deleted'],
  [
    'events_of_transition',
    () => copy('events', `proposal = '${at.open}'`, { position: 'null', revision: '9' }),
    'an event tells of the revision and the status that are stored',
  ],
  [
    'deliveries_forward',
    () => 'update deliveries set last_position = last_position + 1, position = position - 1',
    'a queue only moves forward',
  ],
  [
    'delivery_endpoints_forward',
    () => 'update delivery_endpoints set read_through = read_through - 1',
    'the outbox is only read forward',
  ],
  [
    'delivery_endpoints_not_deleted',
    () => 'delete from deliveries; delete from delivery_endpoints',
    'how far the outbox was read is never forgotten',
  ],
  ['changes_not_replaced', () => copy('changes', 'true', {}, replace), 'rows of changes are never replaced'],
  ['changes_not_changed', () => 'update changes set at = 0', 'rows of changes are never changed'],
  ['changes_not_deleted', () => 'delete from changes', 'rows of changes are never deleted'],
  [
    'schema_info_not_replaced',
    () => copy('schema_info', 'true', {}, replace),
    'rows of schema_info are never replaced',
  ],
  ['schema_info_not_changed', () => `update schema_info set checksum = 'x'`, 'rows of schema_info are never changed'],
  ['schema_info_not_deleted', () => 'delete from schema_info', 'rows of schema_info are never deleted'],
  ['store_identity_single', () => copy('store_identity', 'true', {}, replace), 'a store has one identity'],
  [
    'store_identity_fixed',
    () => `update store_identity set reference_key_check = 'other'`,
    'the identity of a store never changes',
  ],
  ['store_identity_kept', () => 'delete from store_identity', 'the identity of a store never changes'],
  ['store_counts_single', () => copy('store_counts', 'true', {}, replace), 'a store counts once'],
  [
    'store_counts_grow',
    () => 'update store_counts set admissions = admissions - 1',
    'what is counted never becomes less',
  ],
  ['store_counts_kept', () => 'delete from store_counts', 'a store counts once'],
  [
    'restores_numbered',
    () => restore(2),
    'restores are numbered, and the next one is found when the last one was acknowledged',
  ],
  [
    'restores_acknowledged_once',
    () => `${restore(1)}; update restores set admissions = 9`,
    'a restore is acknowledged once and says what was found',
  ],
  ['restores_not_deleted', () => `${restore(1)}; delete from restores`, 'rows of restores are never deleted'],
  ['action_domains_not_changed', () => `update action_domains set domain = 'other'`, 'domains are never forgotten'],
  ['action_domains_not_deleted', () => 'delete from action_domains', 'domains are never forgotten'],

  ['effects_claimed_once', () => copy('effects', `owner = '${at.pending}'`, {}, replace), 'a claim is never replaced'],
  [
    'effects_begin',
    () => copy('effects', `owner = '${at.pending}'`, { reference: `'new'` }),
    'a claim is made with its first attempt, under the fence',
  ],
  [
    'effects_fixed',
    () => `update effects set reference = 'other', version = version + 1 where reference = '${at.claimed}'`,
    'the identity of an effect never changes',
  ],
  [
    'effects_version',
    () => `update effects set absences_spent = 1 where owner = '${at.pending}'`,
    'the version of an effect grows',
  ],
  [
    'effects_fence',
    () => `update effects set version = version + 1, epoch = 0 where owner = '${at.pending}'`,
    'the fence never comes down',
  ],
  [
    'effects_owner',
    () => `update effects set version = version + 1, owner = '${at.open}' where owner = '${at.pending}'`,
    'an effect is never owned without an attempt of its owner',
  ],
  [
    'effects_of_call',
    () => copy('effects', `reference = '${at.claimed}'`, { reference: `'new'` }),
    'a guarded call is claimed together with its effect',
  ],
  ['effects_not_deleted', () => `delete from effects where owner = '${at.pending}'`, 'claims are never deleted'],
  [
    'calls_begin',
    () => copy('calls', `reference = '${at.claimed}'`, { action_id: `'new'` }, replace),
    'a guarded call begins with its claim',
  ],
  [
    'calls_named_once',
    () => copy('calls', `reference = '${at.claimed}'`, { reference: `'new'` }, replace),
    'an action id names one call',
  ],
  [
    'calls_fixed',
    () => `update calls set request_hash = 'x' where reference = '${at.claimed}'`,
    'what was claimed never changes',
  ],
  [
    'calls_completed_once',
    () => `update calls set completed_at = 2 where reference = '${at.completed}'`,
    'a call is completed once',
  ],
  [
    'calls_completed_at_end',
    () => `update calls set state = 'COMPLETED', completed_at = 2 where reference = '${at.started}'`,
    'a call is completed when its attempts have ended',
  ],
  [
    'calls_taken_over',
    () => `update calls set holder = 'mine' where reference = '${at.started}'`,
    'a call that was started is never taken over',
  ],
  [
    'calls_not_deleted',
    () => `delete from calls where reference = '${at.claimed}'`,
    'a claim goes whole or not at all',
  ],
  [
    'attempts_of_call',
    () => copy('attempts', `reference = '${at.completed}'`, { ...OPEN, number: '2' }),
    'a call that is completed is never started again',
  ],
  [
    'call_attempts_told_once',
    () => copy('call_attempts', `reference = '${at.ended}'`, {}, replace),
    'attempts are told of in their order and never replaced',
  ],
  [
    'call_attempts_ended',
    () => copy('call_attempts', `reference = '${at.ended}'`, { reference: `'${at.started}'` }),
    'an attempt is told of when it has ended',
  ],
  [
    'call_attempts_decided_once',
    () => `update call_attempts set decision = null where reference = '${at.decided}'`,
    'an attempt is decided on once',
  ],
  [
    'call_attempts_not_deleted',
    () => `delete from call_attempts where reference = '${at.ended}'`,
    'attempts are never deleted',
  ],

  [
    'attempts_numbered',
    () => copy('attempts', `proposal = '${at.pending}'`, { ...OPEN, number: '9' }),
    'attempts are numbered without gaps and never replaced',
  ],
  [
    'attempts_begin_open',
    () => copy('attempts', `proposal = '${at.pending}'`, { number: '2' }),
    'an effect has one open attempt',
  ],
  [
    'attempts_of_effect',
    () => copy('attempts', `proposal = '${at.pending}'`, { ...OPEN, number: '2', proposal: `'${at.open}'` }),
    'a proposal attempts its own effect',
  ],
  [
    'attempts_fixed',
    () => `update attempts set token = 'mine', ${ENDED} where proposal = '${at.executing}'`,
    'what was started never changes',
  ],
  [
    'attempts_end_once',
    () => `update attempts set ending_reason = 'x' where proposal = '${at.pending}'`,
    'an attempt ends once',
  ],
  ['attempts_not_deleted', () => `delete from attempts where proposal = '${at.pending}'`, 'attempts are never deleted'],

  [
    'observations_numbered',
    () => copy('observations', `sealed_for = '${at.pending}'`, { sequence: '9' }),
    'observations are numbered without gaps and never replaced',
  ],
  [
    'observations_cover_attempts',
    () => copy('observations', `sealed_for = '${at.pending}'`, { sequence: '2', covers_to: '2' }),
    'an observation covers attempts that were started',
  ],
  [
    'observations_of_content',
    () => copy('observations', `sealed_for = '${at.pending}'`, { sequence: '2', sealed_for: `'${at.erased}'` }),
    'nothing is sealed for what has been erased',
  ],
  [
    'observations_not_changed',
    () => `update observations set matches = 9 where sealed_for = '${at.pending}'`,
    'observations are never changed',
  ],
  [
    'observations_not_deleted',
    () => `delete from observations where sealed_for = '${at.pending}'`,
    'observations are never deleted',
  ],
]

function revocation(proposal: string, approvalId: string): string {
  return `insert into approvals (tenant, proposal, number, approval_id, decision, decided_at)
    select tenant, proposal, max(number) + 1, '${approvalId}', 'revoke', 1 from approvals where proposal = '${proposal}'`
}

/** Runs SQL with everything switched off that may be, in a transaction that is rolled back; tells the refusal, or null. */
function refusalOf(attack: string, without: string | null, foreignKeys: 'on' | 'off' = 'off'): string | null {
  const database = new Database(opened.path)
  try {
    database.pragma(`foreign_keys = ${foreignKeys}`)
    database.pragma('recursive_triggers = off')
    database.exec('begin')
    if (without !== null) database.exec(`drop trigger ${without}`)
    database.exec(attack)
    if (foreignKeys === 'on') database.exec('commit')
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    database.close()
  }
}

describe('a guard', () => {
  it('has an attack in this table', () => {
    const triggers = rawRows<{ name: string }>(opened.path, `select name from sqlite_schema where type = 'trigger'`)

    const guards = triggers.map(({ name }) => name).filter((name) => name !== 'proposals_erased')
    expect(GUARDS.map(([trigger]) => trigger).toSorted()).toEqual(guards.toSorted())
  })

  it.each(GUARDS)('%s refuses what nothing else would refuse', (trigger, attack, rule) => {
    expect(refusalOf(attack(), null)).toBe(rule)
    expect(refusalOf(attack(), trigger)).toBe(null)
  })
})

/** For every CHECK the row that it alone refuses, made by an insertion that no guard stands against. */
const CHECKS: readonly (readonly [constraint: string, attack: () => string])[] = [
  ['proposals_status', () => fresh('proposals', { status: `'paid'` })],
  ['proposals_erasure', () => fresh('proposals', { erasure: `'perhaps'` })],
  ['proposals_time', () => fresh('proposals', { expires_at: 'created_at' })],
  ['proposals_no_call', () => fresh('proposals', { effect_domain: `'call:x'` })],
  ['proposals_live', () => fresh('proposals', { snapshot: 'null' })],
  [
    'proposals_tombstone',
    () => `update proposals set revision = revision + 1, erasure = 'erased' where ref = '${at.pending}'`,
  ],
  ['approvals_decision', () => fresh('approvals', { decision: `'perhaps'` })],
  ['approvals_given', () => fresh('approvals', { approver: 'null' })],
  ['approvals_revoked', () => fresh('approvals', { decision: `'revoke'` })],
  ['receipts_told', () => fresh('receipts', { runtime_version: 'null' })],
  ['receipts_links', () => fresh('receipts', { type: 'null' })],
  ['receipts_hashes', () => fresh('receipts', { hash: `'short'` })],
  ['effects_kind', () => fresh('effects', { kind: `'call'` })],
  ['effects_owned', () => fresh('effects', { owner: 'null' })],
  ['effects_counters', () => fresh('effects', { absences_spent: '-1' })],
  ['effects_lease', () => fresh('effects', { verify_lease_until: '1' })],
  ['attempts_owned', () => fresh('attempts', { proposal: 'null' })],
  ['attempts_numbers', () => fresh('attempts', { generation: '0' })],
  ['attempts_open', () => fresh('attempts', { ...OPEN, detail: `x'00'` })],
  ['attempts_ended', () => fresh('attempts', { ending: 'null' })],
  ['observations_codes', () => fresh('observations', { verdict: `'PERHAPS'` })],
  ['observations_proof', () => fresh('observations', { proof: `'perhaps'` })],
  ['observations_cover', () => fresh('observations', { covers_from: '0' })],
  ['observations_sealed', () => fresh('observations', { sealed_for: 'null' })],
  ['calls_domain', () => fresh('calls', { domain: `'x'` })],
  ['calls_state', () => fresh('calls', { state: `'PERHAPS'` })],
  ['call_attempts_retryable', () => fresh('call_attempts', { retryable: '2' })],
  ['call_attempts_decision', () => fresh('call_attempts', { next_attempt_at: '2' })],
  ['deliveries_in_order', () => fresh('deliveries', { failures: '-1' })],
  ['deliveries_due', () => fresh('deliveries', { due_at: 'null' })],
  ['store_identity_single', () => fresh('store_identity', { id: '2' })],
  ['store_counts_single', () => fresh('store_counts', { id: '2' })],
  ['restores_finding', () => restore(1, 'perhaps')],
  ['restores_acknowledged', () => `${restore(1)}; update restores set acknowledged_at = 1`],
]

/** An insertion of a changed copy with every trigger of its table out of the way. */
function fresh(table: string, changes: Readonly<Record<string, string>>): string {
  const triggers = rawRows<{ name: string }>(
    opened.path,
    `select name from sqlite_schema where type = 'trigger' and tbl_name = '${table}'`,
  )
  const other: Record<string, string> = { tenant: `'other'` }
  const drops = triggers.map(({ name }) => `drop trigger ${name}`)
  return [...drops, copy(table, `${WHICH[table] ?? 'true'} limit 1`, { ...other, ...changes })].join('; ')
}

const WHICH: Readonly<Record<string, string>> = {
  proposals: 'revision = 0',
  receipts: 'type is not null',
  attempts: 'ended_at is not null and proposal is not null',
  effects: `kind = 'proposal'`,
}

describe('a constraint', () => {
  it.each(CHECKS)('%s refuses a row', (constraint, attack) => {
    expect(refusalOf(attack(), null)).toBe(`CHECK constraint failed: ${constraint}`)
  })

  it('of every table is in this table', () => {
    const tables = rawRows<{ sql: string }>(opened.path, `select sql from sqlite_schema where type = 'table'`)
    const named = tables.flatMap(({ sql }) =>
      [...sql.matchAll(/constraint "(\w+)" check/gu)].map(([, name]) => name ?? ''),
    )

    expect(CHECKS.map(([constraint]) => constraint).toSorted()).toEqual(named.toSorted())
  })

  it.each<[string, () => string]>([
    ['a revision without its receipt', () => step(at.open)],
    [
      'an attempt without its effect',
      () =>
        `drop trigger attempts_of_effect; ${copy('attempts', `proposal = '${at.pending}'`, { ...OPEN, reference: `'new'`, number: '1' })}`,
    ],
  ])('of foreign keys refuses at the commit %s', (_what, attack) => {
    expect(refusalOf(attack(), null, 'on')).toBe('FOREIGN KEY constraint failed')
    expect(refusalOf(attack(), null, 'off')).toBe(null)
  })

  it('of uniqueness refuses a second open attempt', () => {
    const second = copy('attempts', `proposal = '${at.executing}'`, { number: '2' })

    expect(refusalOf(second, 'attempts_begin_open')).toContain('UNIQUE constraint failed')
  })
})
