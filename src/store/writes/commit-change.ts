// Commits a change: known already, in conflict, or written whole, in the one order that the triggers allow.
import type { Kysely } from 'kysely'
import type { Change, Committed, Conflict } from '../../runtime/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import { conflictOf } from '../conflicts.ts'
import { changedBy, firstOf, type Operation, together } from '../operation.ts'
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
    // The time is read last, under the locks: what was spent waiting for them counts against `notAfter`.
    const [landed, found, at] = yield* together([firstOf(landedChange({ tenant, changeId })), find(change), time()])
    if (landed !== null) return yield* landedBefore(change, landed.at)
    const on = conflictOf(change, { now: at, ...found })
    if (on !== null) {
      // What was waited for may have been this very change, sent before on a connection that was lost.
      const meanwhile = yield* firstOf(landedChange({ tenant, changeId }))
      if (meanwhile !== null) return yield* landedBefore(change, meanwhile.at)
      return { answer: { kind: 'conflict', on }, counts: null, isCounted: false }
    }

    const erased = new Set(change.proposals.flatMap((write) => (write.kind === 'erase' ? [write.tombstone.ref] : [])))
    yield* together([
      changedBy(insertChange({ tenant, change_id: changeId, at })),
      ...change.proposals.map((write) => proposals.write(write)),
      ...change.approvals.map((decision) => proposals.decide(tenant, decision)),
      ...change.receipts.map((receipt) => {
        // The receipt of an erasure keeps its links like all the others, and nothing of what it says.
        return changedBy(insertReceipt(receiptRow(erased.has(receipt.proposal) ? { ...receipt, body: null } : receipt)))
      }),
      ...(change.call === null ? [] : [calls.before(change.call, change.effect)]),
      ...(change.effect === null ? [] : [effects.write(change.effect)]),
      ...(change.call === null ? [] : [calls.after(change.call, change.effect)]),
      ...change.events.map((event) => changedBy(insertEvent(eventRow(tenant, event)))),
    ])
    const admissions = isAdmission(change) ? 1 : 0
    const isCounted = admissions > 0 || erased.size > 0
    // In a step of its own: of changes that share a commit, none holds the one row while another one still waits for its own.
    const counts = isCounted ? yield* count({ admissions, erasures: erased.size }) : null
    return { answer: { kind: 'committed', at }, counts, isCounted }
  }
}
