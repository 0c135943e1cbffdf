// An attacker with access to a database: the damage of `tampering.ts`, done and undone with SQL that every engine speaks.
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { approvalRow } from '../../src/store/rows/approval-row.ts'
import { proposalIdentity } from '../../src/store/rows/proposal-row.ts'
import type { Damage } from './tampering.ts'

/** A statement with a question mark for each value. */
export interface AttackStatement {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Puts the damaged rows in place. */
export function damaging(live: LiveProposal, damage: Damage): readonly AttackStatement[] {
  const { tenant, ref } = live.proposal
  const plants = damage.planted.map((approval) => {
    const row = approvalRow(tenant, { kind: 'decided', proposal: ref, approval, comment: null })
    const names = Object.keys(row)
    return {
      sql: `insert into approvals (number, ${names.join(', ')})
        values ((select coalesce(max(number), 0) + 1 from approvals where tenant = ? and proposal = ?),
          ${names.map(() => '?').join(', ')})`,
      values: [tenant, ref, ...Object.values(row)],
    }
  })
  return [...rowsOf(live, live, damage), ...plants]
}

/** Puts back what was there before, as far as it has not been erased or written anew meanwhile. */
export function repairing(live: LiveProposal, damage: Damage): readonly AttackStatement[] {
  const { tenant, ref } = live.proposal
  const weeds = damage.planted.map(({ approvalId }) => ({
    sql: 'delete from approvals where tenant = ? and proposal = ? and approval_id = ?',
    values: [tenant, ref, approvalId],
  }))
  const restored = { ...live, result: damage.result === null ? null : live.result }
  return [...rowsOf(live, damage, restored), ...weeds]
}

/** Makes the settlement of an effect unreadable; its guards ask only for another version. */
export function overwriting(key: EffectKey, settlement: string | null): readonly AttackStatement[] {
  const { tenant, domain, reference } = key
  const sql = `update effects set version = version + 1, settlement = ? where tenant = ? and domain = ? and reference = ?`
  return [{ sql, values: [settlement, tenant, domain, reference] }]
}

type Rows = Pick<LiveProposal, 'proposal' | 'content' | 'result' | 'key'>

/** What makes the rows of a proposal, as they are, those that they are to be. */
function rowsOf({ proposal: { tenant, ref } }: LiveProposal, from: Rows, to: Rows): readonly AttackStatement[] {
  const statements: AttackStatement[] = []
  if (from.key !== to.key) {
    statements.push({
      sql: 'update keys set kek_version = ?, wrapped = ? where tenant = ? and proposal = ?',
      values: [to.key.kekVersion, to.key.wrapped, tenant, ref],
    })
  }
  const set = (columns: Readonly<Record<string, unknown>>, only?: AttackStatement): void => {
    const places = Object.keys(columns).map((name) => `${name} = ?`)
    statements.push({
      sql: `update proposals set ${places.join(', ')} where tenant = ? and ref = ? and erasure <> 'erased' ${only?.sql ?? ''}`,
      values: [...Object.values(columns), tenant, ref, ...(only?.values ?? [])],
    })
  }
  if (from.content !== to.content) set({ snapshot: to.content.snapshot, preview: to.content.preview })
  if (from.proposal !== to.proposal) {
    const { requester, agent, agent_owner, policy, command_fingerprint, definition_digest } = proposalIdentity(
      to.proposal,
    )
    set({ requester, agent, agent_owner, policy, command_fingerprint, definition_digest })
  }
  if (to.result !== null && from.result !== null && from.result !== to.result) {
    set({ result: to.result }, { sql: 'and result = ?', values: [from.result] })
  }
  return statements
}
