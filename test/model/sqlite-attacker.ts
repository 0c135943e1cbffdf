// An attacker with access to the database file: the damage of `tampering.ts`, done and undone with SQL.
import Database from 'better-sqlite3'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { LiveProposal } from '../../src/runtime/ports.ts'
import { approvalRow } from '../../src/store/rows/approval-row.ts'
import { proposalIdentity } from '../../src/store/rows/proposal-row.ts'
import type { Damage } from './tampering.ts'

interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** The guards that stand in the way of changing what may not change. */
const GUARDS = ['proposals_content', 'proposals_revision', 'proposals_receipt', 'approvals_not_deleted']

/** Puts the damaged rows in place. */
export function damageRows(path: string, live: LiveProposal, damage: Damage, how: 'guarded' | 'unguarded'): void {
  const { tenant, ref } = live.proposal
  const plants = damage.planted.map((approval) => {
    const row = approvalRow(tenant, { kind: 'decided', proposal: ref, approval, comment: null })
    const names = Object.keys(row)
    return {
      sql: `insert into approvals (number, ${names.join(', ')})
        select coalesce(max(number), 0) + 1, ${names.map(() => '?').join(', ')} from approvals
        where tenant = ? and proposal = ?`,
      values: [...Object.values(row), tenant, ref],
    }
  })
  run(path, how, [...rowsOf(live, live, damage), ...plants])
}

/** Puts back what was there before, as far as it has not been erased or written anew meanwhile. */
export function repairRows(path: string, live: LiveProposal, damage: Damage): void {
  const { tenant, ref } = live.proposal
  const weeds = damage.planted.map(({ approvalId }) => ({
    sql: 'delete from approvals where tenant = ? and proposal = ? and approval_id = ?',
    values: [tenant, ref, approvalId],
  }))
  const restored = { ...live, result: damage.result === null ? null : live.result }
  run(path, 'unguarded', [...rowsOf(live, damage, restored), ...weeds])
}

/** Makes the settlement of an effect unreadable; its guards ask only for another version. */
export function overwriteSettlement(path: string, key: EffectKey, text: string | null): void {
  const { tenant, domain, reference } = key
  const sql = `update effects set version = version + 1, settlement = ? where tenant = ? and domain = ? and reference = ?`
  run(path, 'guarded', [{ sql, values: [text, tenant, domain, reference] }])
}

type Rows = Pick<LiveProposal, 'proposal' | 'content' | 'result' | 'key'>

/** What makes the rows of a proposal, as they are, those that they are to be. */
function rowsOf({ proposal: { tenant, ref } }: LiveProposal, from: Rows, to: Rows): readonly Statement[] {
  const statements: Statement[] = []
  if (from.key !== to.key) {
    statements.push({
      sql: 'update keys set kek_version = ?, wrapped = ? where tenant = ? and proposal = ?',
      values: [to.key.kekVersion, to.key.wrapped, tenant, ref],
    })
  }
  const set = (columns: Readonly<Record<string, unknown>>, condition = ''): void => {
    const places = Object.keys(columns).map((name) => `${name} = ?`)
    statements.push({
      sql: `update proposals set ${places.join(', ')} where tenant = ? and ref = ? and erasure <> 'erased' ${condition}`,
      values: [...Object.values(columns), tenant, ref],
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
    set({ result: to.result }, `and result = x'${Buffer.from(from.result).toString('hex')}'`)
  }
  return statements
}

function run(path: string, how: 'guarded' | 'unguarded', statements: readonly Statement[]): void {
  const database = new Database(path)
  try {
    const names = GUARDS.map((name) => `'${name}'`).join(', ')
    const guards = database
      .prepare<[], { name: string; sql: string }>(`select name, sql from sqlite_schema where name in (${names})`)
      .all()
    database.exec('begin immediate')
    if (how === 'unguarded') for (const { name } of guards) database.exec(`drop trigger "${name}"`)
    for (const { sql, values } of statements) database.prepare(sql).run(...values)
    if (how === 'unguarded') for (const guard of guards) database.exec(guard.sql)
    database.exec('commit')
  } finally {
    database.close()
  }
}
