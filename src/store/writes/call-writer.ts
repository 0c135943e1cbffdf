// Writes guarded calls: the claim before its effect, so that no effect of a call is without one, and the rest after it.
import type { Kysely } from 'kysely'
import type { CallDecision } from '../../effect/calls/guarded-call.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { CallWrite, EffectWrite } from '../../runtime/ports.ts'
import { invariant } from '../broken-invariant.ts'
import { changedBy, type Operation, together } from '../operation.ts'
import { callAttemptRow, callRow } from '../rows/call-row.ts'
import { statement } from '../statement.ts'
import type { CallAttemptsTable, CallsTable, Tables } from '../tables.ts'

/** The operations that write a call around the write of its effect. */
export interface CallWriter {
  before(write: CallWrite, effect: EffectWrite | null): Operation<void>
  after(write: CallWrite, effect: EffectWrite | null): Operation<void>
}

type Identity = Pick<CallsTable, 'tenant' | 'domain' | 'reference'>

/** The writes of calls over the statements of one database. */
export function callWriter(db: Kysely<Tables>): CallWriter {
  const insertCall = statement((row: CallsTable) => db.insertInto('calls').values(row))
  // Set once it is taken over, and once it is complete.
  const setCall = ({ tenant, domain, reference, ...state }: Identity & (Taken | Completed)) => {
    return db
      .updateTable('calls')
      .set(state)
      .where('tenant', '=', tenant)
      .where('domain', '=', domain)
      .where('reference', '=', reference)
  }
  const takeOver = statement((call: Identity & Taken) => setCall(call))
  const complete = statement((call: Identity & Completed) => setCall(call))
  const insertAttempt = statement((row: CallAttemptsTable) => db.insertInto('call_attempts').values(row))
  const decide = statement(({ tenant, domain, reference, number, ...state }: Identity & Decided) => {
    return db
      .updateTable('call_attempts')
      .set(state)
      .where('tenant', '=', tenant)
      .where('domain', '=', domain)
      .where('reference', '=', reference)
      .where('number', '=', number)
  })
  // The call goes with its effect.
  const releaseEffect = statement((key: Identity & { version: number }) => {
    return db
      .deleteFrom('effects')
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
      .where('version', '=', key.version)
  })

  function* decideOn(key: EffectKey, { number, decision, nextAttemptAt }: CallDecision): Operation<void> {
    const changed = yield* changedBy(decide({ ...key, number, decision, next_attempt_at: nextAttemptAt }))
    invariant(changed === 1, 'an attempt is decided on when it has ended')
  }

  function* completeAt(key: EffectKey, completedAt: number): Operation<void> {
    const changed = yield* changedBy(complete({ ...key, state: 'COMPLETED', completed_at: completedAt }))
    invariant(changed === 1, 'a guarded call is there to be completed')
  }

  function* release({ tenant, domain, reference }: EffectKey, version: number): Operation<void> {
    const released = yield* changedBy(releaseEffect({ tenant, domain, reference, version }))
    invariant(released === 1, 'a claim is released at its version')
  }

  function* takeOverBy(key: EffectKey, holder: string, leaseUntil: number): Operation<void> {
    const taken = yield* changedBy(takeOver({ ...key, holder, lease_until: leaseUntil }))
    invariant(taken === 1, 'a guarded call is there to be taken over')
  }

  return {
    *before(write, effect) {
      if (write.kind === 'claim' && effect !== null) yield* changedBy(insertCall(callRow(effect.row.key, write.claim)))
    },

    *after(write, effect) {
      if (write.kind === 'release') yield* release(write.key, write.version)
      if (effect === null) return
      const { key } = effect.row
      if (write.kind === 'take_over') yield* takeOverBy(key, write.holder, write.leaseUntil)
      if (write.kind === 'progress') {
        const { ended, decided, completedAt } = write
        yield* together([
          ...(ended === null ? [] : [changedBy(insertAttempt(callAttemptRow(key, ended)))]),
          ...decided.map((decision) => decideOn(key, decision)),
          ...(completedAt === null ? [] : [completeAt(key, completedAt)]),
        ])
      }
    },
  }
}

type Taken = Pick<CallsTable, 'holder' | 'lease_until'>
type Completed = Pick<CallsTable, 'state' | 'completed_at'>
type Decided = Pick<CallAttemptsTable, 'number' | 'next_attempt_at'> & Pick<CallDecision, 'decision'>
