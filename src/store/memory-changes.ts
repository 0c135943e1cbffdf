// How a change is applied to the records of a memory store: everything is judged and built first, then put in place at once.
import { includes } from '../effect/coverage.ts'
import type { Effect } from '../effect/effect.ts'
import { ERASED_OPERATOR } from '../effect/erased-operator.ts'
import type { Reference } from '../effect/reference.ts'
import type { Approval } from '../proposal/approval.ts'
import { FIRST_HASH } from '../proposal/receipts/receipt-chain.ts'
import type { Receipt } from '../proposal/receipts/receipt.ts'
import type {
  ApprovalWrite,
  Change,
  EffectWrite,
  ProposalErase,
  ProposalInsert,
  ProposalUpdate,
} from '../runtime/ports.ts'
import { invariant } from './broken-invariant.ts'
import type { Found } from './conflicts.ts'
import {
  copyBytes,
  type EffectRecord,
  type ErasedRecord,
  effectName,
  frozenCopy,
  type LiveRecord,
  type TenantRecords,
} from './memory-records.ts'
import { leaseOf, release, writtenCall } from './memory-calls.ts'
import { assertEffectWrite, assertMove, assertProposalUpdate } from './update-invariants.ts'

/** What stands where the change would write. */
export function findInMemory(records: TenantRecords, change: Change, now: number): Found {
  const proposals = new Map<Reference, { revision: number; isErased: boolean }>()
  for (const write of change.proposals) {
    const { ref } = write.kind === 'erase' ? write.tombstone : write.proposal
    const record = records.proposals.get(ref)
    if (record === undefined) continue
    const { revision } = record.kind === 'erased' ? record.tombstone : record.proposal
    proposals.set(ref, { revision, isErased: record.kind === 'erased' })
  }
  const { effect: write, call } = change
  const key = write?.row.key ?? (call?.kind === 'release' ? call.key : null)
  const effect = key && records.effects.get(effectName(key))?.effect
  return {
    now,
    proposals,
    isRequestKeyTaken: requestKeysOf(change).some(([hash]) => records.requestKeys.has(hash)),
    effectVersion: effect?.version ?? null,
    isFormerKeyTaken: write?.formerKeys.some((former) => records.effects.has(effectName(former))) ?? false,
    openAttempt: effect?.attempts.find(({ ending }) => ending === null) ?? null,
    leaseUntil: call?.kind === 'take_over' && key !== null ? leaseOf(records, key) : null,
    isHeld: false,
  }
}

/** Applies a change without conflict. @throws BrokenInvariant before anything is put in place. */
export function applyToMemory(records: TenantRecords, change: Change): void {
  const proposals = change.proposals.map((write) => writtenRecord(records, change, write))
  const effect = change.effect && writtenEffect(records, change.effect)
  const call = change.call && writtenCall(records, change.call, effect?.effect ?? null)

  for (const [ref, record] of proposals) records.proposals.set(ref, record)
  for (const [hash, ref] of requestKeysOf(change)) records.requestKeys.set(hash, ref)
  if (effect !== null) records.effects.set(effectName(effect.effect.key), effect)
  if (call !== null && effect !== null) records.calls.set(effectName(effect.effect.key), call)
  if (change.call?.kind === 'release') release(records, change.call.key)
  for (const write of change.proposals) {
    if (write.kind !== 'erase') continue
    eraseFromEffects(records, write.tombstone.ref)
    records.unscrubbed.add(write.tombstone.ref)
  }
}

function requestKeysOf(change: Change): readonly (readonly [string, Reference])[] {
  return change.proposals.flatMap((write) => {
    return write.kind === 'insert' && write.requestKeyHash !== null ? [[write.requestKeyHash, write.proposal.ref]] : []
  })
}

function writtenRecord(
  records: TenantRecords,
  change: Change,
  write: ProposalInsert | ProposalUpdate | ProposalErase,
): readonly [Reference, LiveRecord | ErasedRecord] {
  if (write.kind === 'insert') return [write.proposal.ref, insertedRecord(change, write)]
  const ref = write.kind === 'erase' ? write.tombstone.ref : write.proposal.ref
  const before = records.proposals.get(ref)
  invariant(before?.kind === 'live', 'what was found is still there')
  return [ref, write.kind === 'erase' ? erasedRecord(before, change, write) : updatedRecord(before, change, write)]
}

function insertedRecord(change: Change, write: ProposalInsert): LiveRecord {
  return {
    kind: 'live',
    proposal: frozenCopy(write.proposal),
    approvals: [],
    comments: new Map(),
    content: { snapshot: copyBytes(write.content.snapshot), preview: copyBytes(write.content.preview) },
    result: null,
    key: { kekVersion: write.key.kekVersion, wrapped: copyBytes(write.key.wrapped) },
    receiptSalt: copyBytes(write.receiptSalt),
    receipts: chained([], change, write.proposal.ref),
  }
}

function updatedRecord(before: LiveRecord, change: Change, write: ProposalUpdate): LiveRecord {
  assertProposalUpdate(before.proposal, write.proposal)
  const { ref } = write.proposal
  const approvals = [...before.approvals]
  const comments = new Map(before.comments)
  for (const decision of change.approvals) {
    if (decision.proposal !== ref) continue
    decide(approvals, decision)
    if (decision.kind === 'decided' && decision.comment !== null) {
      comments.set(decision.approval.approvalId, copyBytes(decision.comment))
    }
  }
  return {
    ...before,
    proposal: frozenCopy(write.proposal),
    approvals,
    comments,
    result: write.result === undefined ? before.result : copyBytes(write.result),
    receipts: chained(before.receipts, change, ref),
  }
}

function decide(approvals: Approval[], decision: ApprovalWrite): void {
  if (decision.kind === 'decided') {
    const { approval } = decision
    invariant(approval.revokedAt === null, 'a decision is taken back by a revocation of its own')
    invariant(
      approvals.every(({ approvalId }) => approvalId !== approval.approvalId),
      'approvals are never replaced',
    )
    approvals.push(frozenCopy(approval))
    return
  }
  const index = approvals.findIndex(({ approvalId }) => approvalId === decision.approvalId)
  const approval = approvals[index]
  invariant(approval?.decision === 'approve' && approval.revokedAt === null, 'an approval is taken back once')
  approvals[index] = frozenCopy({ ...approval, revokedAt: decision.revokedAt })
}

function erasedRecord(before: LiveRecord, change: Change, { tombstone }: ProposalErase): ErasedRecord {
  const { proposal } = before
  assertMove(proposal, { status: tombstone.status, erasure: 'erased' })
  invariant(
    proposal.action === tombstone.action &&
      effectName(proposal.effect) === effectName(tombstone.effect) &&
      proposal.createdAt === tombstone.createdAt &&
      proposal.expiresAt === tombstone.expiresAt,
    'a tombstone is that of its proposal',
  )
  const receipts = chained(before.receipts, change, tombstone.ref)
  invariant(tombstone.receiptCount === receipts.length, 'a tombstone counts the receipts')
  invariant(tombstone.lastHash === receipts.at(-1)?.hash, 'a tombstone holds the head of the chain')
  return {
    kind: 'erased',
    tombstone: frozenCopy(tombstone),
    receipts: receipts.map((receipt) => frozenCopy({ ...receipt, body: null })),
  }
}

function chained(before: readonly Receipt[], change: Change, ref: Reference): readonly Receipt[] {
  const receipt = change.receipts.find(({ proposal }) => proposal === ref)
  const previousHash = before.at(-1)?.hash ?? FIRST_HASH
  invariant(receipt?.previousHash === previousHash, 'a receipt continues the chain')
  const [at, lastAt] = [receipt.body?.at ?? 0, before.at(-1)?.body?.at ?? 0]
  invariant(at >= lastAt, 'the time of receipts never goes back')
  return [...before, frozenCopy(receipt)]
}

function writtenEffect(records: TenantRecords, write: EffectWrite): EffectRecord {
  const before = records.effects.get(effectName(write.row.key)) ?? null
  assertEffectWrite(before?.effect ?? null, write)
  assertOwnEffect(records, write)
  const { row, ended, opened, observed } = write
  // What is sealed for a proposal that was erased meanwhile is dropped; the evidence itself is always kept.
  const isLive = (ref: Reference | null): boolean => ref !== null && records.proposals.get(ref)?.kind === 'live'
  const details = new Map(before?.details)
  const endedFor = before?.effect.attempts.find(({ number }) => number === ended?.number)?.proposal ?? null
  if (ended !== null && ended.detail !== null && isLive(endedFor)) details.set(ended.number, copyBytes(ended.detail))
  const facts = new Map(before?.facts)
  if (observed !== null && observed.facts !== null && isLive(observed.sealedFor)) {
    const { sequence, covers } = observed.observation
    const isAboutErased = (before?.effect.attempts ?? []).some(({ number, proposal }) => {
      return includes(covers, number) && !isLive(proposal)
    })
    if (!isAboutErased) facts.set(sequence, { sealedFor: observed.sealedFor, sealed: copyBytes(observed.facts) })
  }
  const attempts = (before?.effect.attempts ?? []).map((attempt) => {
    return attempt.number === ended?.number ? { ...attempt, ending: ended.ending } : attempt
  })
  const effect: Effect = {
    ...row,
    attempts: opened === null ? attempts : [...attempts, opened],
    observations: [...(before?.effect.observations ?? []), ...(observed === null ? [] : [observed.observation])],
  }
  return { effect: frozenCopy(effect), details, facts }
}

function assertOwnEffect(records: TenantRecords, { row, opened }: EffectWrite): void {
  if (opened === null) return
  if (opened.proposal === null) {
    const call = records.calls.get(effectName(row.key))
    invariant(call?.claim.state === 'PENDING', 'a call that is completed is never started again')
    return
  }
  const record = records.proposals.get(opened.proposal)
  const isOwn = record?.kind === 'live' && effectName(record.proposal.effect) === effectName(row.key)
  invariant(isOwn, 'a proposal attempts its own effect')
}

function eraseFromEffects(records: TenantRecords, ref: Reference): void {
  for (const [name, record] of records.effects) {
    const own = record.effect.attempts.filter(({ proposal }) => proposal === ref).map(({ number }) => number)
    const details = new Map([...record.details].filter(([number]) => !own.includes(number)))
    const facts = new Map(
      [...record.facts].filter(([sequence, { sealedFor }]) => {
        const covers = record.effect.observations[sequence - 1]?.covers
        return sealedFor !== ref && !own.some((number) => covers !== undefined && includes(covers, number))
      }),
    )
    records.effects.set(name, { effect: withoutNames(records, record.effect), details, facts })
  }
}

// As long as a proposal behind the effect is live, who settled it must not be mixed up with who uses the settlement.
function withoutNames(records: TenantRecords, effect: Effect): Effect {
  const { settlement, attempts, version } = effect
  if (settlement === null || settlement.by === ERASED_OPERATOR) return effect
  if (attempts.some(({ proposal }) => proposal !== null && records.proposals.get(proposal)?.kind === 'live')) {
    return effect
  }
  const secondOperator = settlement.secondOperator === null ? null : ERASED_OPERATOR
  return frozenCopy({
    ...effect,
    version: version + 1,
    settlement: { ...settlement, by: ERASED_OPERATOR, secondOperator },
  })
}
