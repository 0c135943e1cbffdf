// Proposals in lines for a person: a page of them, one in full, and what became of an operation.
import { principalName } from '../../proposal/principal.ts'
import type { EvidenceSummary } from '../../proposal/next-step.ts'
import type { ErasureResult } from '../../runtime/erase/erase.ts'
import type { ListPage } from '../../runtime/list.ts'
import type { ErasedView, ProposalView } from '../../runtime/read.ts'
import type { OperationResult } from '../../runtime/result.ts'

/** One line for each proposal, and how to go on. */
export function pageLines({ items, next }: ListPage): readonly string[] {
  const rows = items.map(({ proposal, status, action, requester, expiresAt, attention }) => [
    proposal,
    status,
    action,
    principalName(requester),
    `until ${instant(expiresAt)}`,
    attention.join(','),
  ])
  const more = next === null ? [] : [`More: --cursor ${next}`]
  return [...aligned(rows), ...(items.length === 0 ? ['No proposals.'] : []), ...more]
}

/** Everything that may be shown of a proposal, and how to decide on exactly this. */
export function viewLines(view: ProposalView | ErasedView): readonly string[] {
  return view.kind === 'erased' ? erasedLines(view) : liveLines(view)
}

/** What became of an operation. */
export function resultLines(result: OperationResult): readonly string[] {
  const { outcome, reason, status, revision, nextStep, waitUntil, evidence, attention } = result
  return aligned([
    ['outcome', reason === null ? outcome : `${outcome}, ${reason}`],
    ['status', `${status}, revision ${revision}`],
    ['next', waitUntil === null ? nextStep : `${nextStep} until ${instant(waitUntil)}`],
    ...evidenceRows(evidence),
    ...attention.map((flag) => ['attention', flag]),
    ...named('replaced by', result.replacedBy),
    ...named('superseded by', result.supersededBy),
  ])
}

/** What became of an erasure. */
export function erasureLines({ outcome, reason }: ErasureResult): readonly string[] {
  return aligned([
    ['outcome', reason === null ? outcome : `${outcome}, ${reason}`],
    ['backups', 'Copies that were made before hold what they held.'],
  ])
}

function liveLines(view: ProposalView): readonly string[] {
  const { proposal, commitment, policy, nextStep, waitUntil } = view
  return [
    ...aligned([
      ['proposal', proposal],
      ['action', view.action],
      ['status', `${view.status}, revision ${view.revision}`],
      ['requested by', by(view)],
      ['prepared', instant(view.createdAt)],
      ['expires', instant(view.expiresAt)],
      ['next', waitUntil === null ? nextStep : `${nextStep} until ${instant(waitUntil)}`],
      ...evidenceRows(view.evidence),
      ...view.attention.map((flag) => ['attention', flag]),
      ...named('blocked by', view.blockedBy),
      ...named('replaces', view.replaces),
      ...named('replaced by', view.replacedBy),
      ...named('superseded by', view.supersededBy),
      ...view.driftPaths.map((path) => ['moved', path]),
      ...view.related.map((one) => ['related', `${one.proposal}, ${one.status}`]),
      ...view.approvals.map((one) => [one.decision, `${principalName(one.approver)}, ${instant(one.decidedAt)}`]),
    ]),
    '',
    ...(view.contentAvailable ? JSON.stringify(view.preview, null, 2).split('\n') : ['The content cannot be opened.']),
    '',
    ...policy.sentences,
    '',
    `To decide on exactly this: countersign proposals approve ${proposal} --commitment ${commitment}`,
  ]
}

function erasedLines({ tombstone, evidence }: ErasedView): readonly string[] {
  return aligned([
    ['proposal', tombstone.ref],
    ['action', tombstone.action],
    ['status', `${tombstone.status}, revision ${tombstone.revision}`],
    ['erased', `${instant(tombstone.erasedAt)}, ${tombstone.reason}`],
    ...evidenceRows(evidence),
  ])
}

function by({ requester, agent, agentOwner }: ProposalView): string {
  const through = agent === null ? '' : `, through ${principalName(agent)}`
  const owner = agentOwner === null ? '' : ` of ${principalName(agentOwner)}`
  return `${principalName(requester)}${through}${owner}`
}

function evidenceRows(evidence: EvidenceSummary | null): readonly (readonly string[])[] {
  if (evidence === null) return []
  const { status, attempts, conflict, duplicatePossible, settled } = evidence
  const flags = [
    ...(conflict ? ['in conflict'] : []),
    ...(duplicatePossible ? ['duplicate possible'] : []),
    ...(settled === null ? [] : [`settled as ${settled}`]),
  ]
  return [['evidence', [status, `attempts ${attempts}`, ...flags].join(', ')]]
}

function named(name: string, value: string | null): readonly (readonly string[])[] {
  return value === null ? [] : [[name, value]]
}

function instant(at: number): string {
  return new Date(at).toISOString()
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
