// Commits a change: known already, in conflict, or written whole, in the one order that the triggers allow.
import type { Kysely } from 'kysely'
import type { Change, Committed, Conflict } from '../../runtime/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import { conflictOf } from '../conflicts.ts'
import { changedBy, firstOf, type Operation } from '../operation.ts'
import { eventRow } from '../rows/event-row.ts'
import { type Counts, changeCounter } from '../restores.ts'
import { receiptRow } from '../rows/receipt-row.ts'
import { statement } from '../statement.ts'
import type { ReadTime } from '../store-time.ts'
import type { ChangesTable, EventColumns, ReceiptsTable, Tables } from '../tables.ts'
import { callWriter } from './call-writer.ts'
import { effectWriter } from './effect-writer.ts'
import { conflictFinder, isAdmission } from './find-conflict.ts'
import { proposalWriter } from './proposal-writer.ts'

/** The operation that applies a change; run again with the same change id it answers what the first one did. */
export type CommitChange = (change: Change) => Operation<Landing>

/** What became of a change. */
export interface Landing {
  readonly answer: Committed | Conflict
  /** For an admission or an erasure, what is counted by now. */
  readonly counts: Counts | null
  /** Whether the change was counted by this, and not when it landed before. */
  readonly isCounted: boolean
}

/** The commit over the statements of one database. */
export function changeCommitter(db: Kysely<Tables>, capabilities: Capabilities, time: ReadTime): CommitChange {
  const landedChange = statement((key: { tenant: string; changeId: string }) => {
    return db.selectFrom('changes').select('at').where('tenant', '=', key.tenant).where('change_id', '=', key.changeId)
  })
  const insertChange = statement((row: ChangesTable) => db.insertInto('changes').values(row))
  const insertReceipt = statement((row: ReceiptsTable) => db.insertInto('receipts').values(row))
  const insertEvent = statement((row: Omit<EventColumns, 'position'>) => db.insertInto('events').values(row))
  const find = conflictFinder(db, capabilities)
  const proposals = proposalWriter(db)
  const effects = effectWriter(db, capabilities)
  const calls = callWriter(db)
  const count = changeCounter(db)

  // Of a change that had landed before, the counts are at least those that it was counted in.
  function* landedBefore(change: Change, at: number): Operation<Landing> {
    const counts = isAdmission(change) ? yield* count({ admissions: 0, erasures: 0 }) : null
    return { answer: { kind: 'committed', at }, counts, isCounted: false }
  }

  return function* commitChange(change) {
    const { tenant, changeId } = change
    const landed = yield* firstOf(landedChange({ tenant, changeId }))
    if (landed !== null) return yield* landedBefore(change, landed.at)
    const found = yield* find(change)
    // Read under the locks: time spent waiting for them counts against `notAfter`.
    const at = yield* time()
    const on = conflictOf(change, { now: at, ...found })
    if (on !== null) {
      // What was waited for may have been this very change, sent before on a connection that was lost.
      const meanwhile = yield* firstOf(landedChange({ tenant, changeId }))
      if (meanwhile !== null) return yield* landedBefore(change, meanwhile.at)
      return { answer: { kind: 'conflict', on }, counts: null, isCounted: false }
    }

    yield* changedBy(insertChange({ tenant, change_id: changeId, at }))
    for (const write of change.proposals) yield* proposals.write(write)
    for (const decision of change.approvals) yield* proposals.decide(tenant, decision)
    const erased = new Set(change.proposals.flatMap((write) => (write.kind === 'erase' ? [write.tombstone.ref] : [])))
    for (const receipt of change.receipts) {
      // The receipt of an erasure keeps its links like all the others, and nothing of what it says.
      yield* changedBy(insertReceipt(receiptRow(erased.has(receipt.proposal) ? { ...receipt, body: null } : receipt)))
    }
    if (change.call !== null) yield* calls.before(change.call, change.effect)
    if (change.effect !== null) yield* effects.write(change.effect)
    if (change.call !== null) yield* calls.after(change.call, change.effect)
    for (const event of change.events) yield* changedBy(insertEvent(eventRow(tenant, event)))
    const admissions = isAdmission(change) ? 1 : 0
    const isCounted = admissions > 0 || erased.size > 0
    const counts = isCounted ? yield* count({ admissions, erasures: erased.size }) : null
    return { answer: { kind: 'committed', at }, counts, isCounted }
  }
}
