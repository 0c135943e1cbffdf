// Writes proposals: new ones with key and request key, changed and erased ones at their revision, and decisions.
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { ApprovalWrite, ProposalErase, ProposalInsert, ProposalUpdate, Sealed } from '../../runtime/ports.ts'
import { invariant } from '../broken-invariant.ts'
import { changedBy, type Operation, together } from '../operation.ts'
import { approvalRow, type UnnumberedApproval } from '../rows/approval-row.ts'
import {
  type ProposalIdentity,
  proposalIdentity,
  proposalRow,
  type ProposalState,
  proposalState,
} from '../rows/proposal-row.ts'
import { type KeptIdentity, keptIdentity, type TombstoneState, tombstoneState } from '../rows/tombstone-row.ts'
import { statement } from '../statement.ts'
import type { KeysTable, ProposalsTable, RequestKeysTable, Tables } from '../tables.ts'

/** The operations that write proposals and their decisions. */
export interface ProposalWriter {
  write(write: ProposalInsert | ProposalUpdate | ProposalErase): Operation<void>
  decide(tenant: Reference, write: ApprovalWrite): Operation<void>
}

type UpdatedProposal = ProposalIdentity & ProposalState & { readonly result: Sealed | null }

/** The writes of proposals over the statements of one database. */
export function proposalWriter(db: Kysely<Tables>): ProposalWriter {
  const insertProposal = statement((row: ProposalsTable) => db.insertInto('proposals').values(row))
  const insertKey = statement((row: KeysTable) => db.insertInto('keys').values(row))
  const insertRequestKey = statement((row: RequestKeysTable) => db.insertInto('request_keys').values(row))
  const updateProposal = statement((values: UpdatedProposal) => {
    const { status, revision, updated_at, erasure, blocked_by, attention, attempt, reason, drift_paths, ...rest } =
      values
    const { replaced_by, superseded_by, settled_at, closed_at, result, ...identity } = rest
    const marks = { status, revision, updated_at, erasure, blocked_by, attention }
    const ofStatus = { attempt, reason, drift_paths, replaced_by, superseded_by, settled_at, closed_at }
    return db
      .updateTable('proposals')
      .set({ ...marks, ...ofStatus, result: sql<Sealed | null>`coalesce(${result}, result)` })
      .where('revision', '=', sql<number>`${revision} - 1`)
      .where('erasure', '<>', 'erased')
      .where((where) => where.and(sameAsStored(where, identity)))
  })
  // A trigger removes what hangs on the proposal, so that no tombstone can stand beside what it says is gone.
  const eraseProposal = statement((values: KeptIdentity & TombstoneState) => {
    const { tenant, ref, action, effect_domain, effect_reference, created_at, expires_at, ...state } = values
    const identity = { tenant, ref, action, effect_domain, effect_reference, created_at, expires_at }
    return db
      .updateTable('proposals')
      .set(state)
      .where('revision', '=', sql<number>`${state.revision} - 1`)
      .where('erasure', '<>', 'erased')
      .where((where) => where.and(sameAsStored(where, identity)))
  })
  const insertApproval = statement((row: UnnumberedApproval) => {
    const number = sql<number>`(select coalesce(max(number), 0) + 1 from approvals
      where tenant = ${row.tenant} and proposal = ${row.proposal})`
    return db.insertInto('approvals').values({ ...row, number })
  })

  function* insert(write: ProposalInsert): Operation<void> {
    const { tenant, ref } = write.proposal
    const { kekVersion, wrapped } = write.key
    const { requestKeyHash: hash } = write
    yield* together([
      changedBy(insertProposal(proposalRow(write))),
      changedBy(insertKey({ tenant, proposal: ref, kek_version: kekVersion, wrapped })),
      ...(hash === null ? [] : [changedBy(insertRequestKey({ tenant, hash, proposal: ref }))]),
    ])
  }

  function* update({ proposal, result }: ProposalUpdate): Operation<void> {
    const values = { ...proposalIdentity(proposal), ...proposalState(proposal), result: result ?? null }
    const changed = yield* changedBy(updateProposal(values))
    invariant(changed === 1, 'a proposal changes at its revision, and never in what it is')
  }

  function* erase({ tombstone }: ProposalErase): Operation<void> {
    const changed = yield* changedBy(eraseProposal({ ...keptIdentity(tombstone), ...tombstoneState(tombstone) }))
    invariant(changed === 1, 'a proposal is erased at its revision, and its tombstone names it')
  }

  return {
    write(write) {
      switch (write.kind) {
        case 'insert':
          return insert(write)
        case 'update':
          return update(write)
        case 'erase':
          return erase(write)
      }
    },
    *decide(tenant, write) {
      yield* changedBy(insertApproval(approvalRow(tenant, write)))
    },
  }
}

// Compared and not written: what an update sets, it also writes anew into every index over it.
function sameAsStored(
  where: ExpressionBuilder<Tables, 'proposals'>,
  identity: ProposalIdentity | KeptIdentity,
): readonly Expression<SqlBool>[] {
  return Object.entries(identity).map(([column, value]) => {
    // The key is never null, and no index of a server is searched for what is not distinct.
    const isKey = column === 'tenant' || column === 'ref'
    return where(column as keyof ProposalIdentity, isKey ? '=' : 'is not distinct from', value)
  })
}
