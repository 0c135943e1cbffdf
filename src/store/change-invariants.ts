// What every correct change is in itself, whatever is stored: checked by every store before it writes.
import type { CallProgress } from '../effect/calls/guarded-call.ts'
import { effectKind } from '../effect/effect-key.ts'
import type { Reference } from '../effect/reference.ts'
import { isOpen } from '../proposal/status.ts'
import type { Change, EffectWrite } from '../runtime/ports.ts'
import { invariant } from './broken-invariant.ts'

/** What a change writes of one proposal, whichever way. */
interface Written {
  readonly tenant: Reference
  readonly ref: Reference
  readonly status: string
  readonly revision: number
}

/** @throws BrokenInvariant if the change contradicts itself; a race cannot explain that, so it is no conflict. */
export function assertChange(change: Change): void {
  const written = new Map<Reference, Written>()
  for (const write of change.proposals) {
    const row = write.kind === 'erase' ? write.tombstone : write.proposal
    invariant(!written.has(row.ref), 'a change writes a proposal once')
    invariant(row.tenant === change.tenant, 'a change stays inside its tenant')
    written.set(row.ref, row)
    if (write.kind === 'insert') {
      invariant(write.proposal.revision === 0, 'a proposal starts at revision 0')
      invariant(isOpen(write.proposal.status), 'a proposal starts open')
    }
    if (write.kind === 'erase') {
      const { status } = write.tombstone
      invariant(!isOpen(status) && status !== 'executing', 'nothing open and nothing under way is erased')
    } else {
      invariant(write.proposal.erasure !== 'erased', 'only an erase write erases')
    }
  }
  assertReceipts(change, written)
  for (const { proposal } of change.approvals) {
    const isUpdated = change.proposals.some((write) => write.kind === 'update' && write.proposal.ref === proposal)
    invariant(isUpdated, 'a decision raises the revision of its proposal')
  }
  for (const event of change.events) {
    const row = written.get(event.proposal)
    invariant(row?.revision === event.revision && row.status === event.status, 'an event tells what its change stores')
  }
  if (change.effect !== null) assertEffect(change, change.effect)
  assertCall(change)
}

function assertReceipts(change: Change, written: ReadonlyMap<Reference, Written>): void {
  const receipted = new Set<Reference>()
  for (const { tenant, proposal, sequence, body } of change.receipts) {
    const row = written.get(proposal)
    invariant(row !== undefined && tenant === change.tenant, 'a receipt is about a proposal of its change')
    invariant(!receipted.has(proposal), 'a stored change of a proposal has one receipt')
    receipted.add(proposal)
    invariant(sequence === row.revision + 1, 'the sequence of a receipt is the revision plus one')
    invariant(body !== null && body.status === row.status, 'a receipt names the status that it is stored with')
  }
  invariant(receipted.size === written.size, 'a proposal is never stored without its receipt')
}

function assertEffect(change: Change, { row, expect, formerKeys, opened, ended, observed }: EffectWrite): void {
  const { key, kind, version, owner, epoch } = row
  invariant(key.tenant === change.tenant, 'a change stays inside its tenant')
  invariant(
    formerKeys.every(({ tenant }) => tenant === change.tenant),
    'a change stays inside its tenant',
  )
  invariant(kind === effectKind(key.domain), 'effects of proposals never live under a call domain')
  invariant((kind === 'proposal') === (owner !== null), 'an effect of proposals has an owner, a guarded call has none')
  invariant(version > (expect === 'absent' ? 0 : expect), 'the version of an effect grows')
  invariant(opened === null || (opened.ending === null && opened.epoch === epoch), 'an attempt opens under the fence')
  invariant(opened === null || opened.proposal === owner, 'an attempt belongs to the owner of its effect')
  invariant(expect !== 'absent' || (ended === null && observed === null), 'a claim starts without evidence')
  invariant(
    observed === null || observed.facts === null || observed.sealedFor !== null,
    'facts are sealed for somebody',
  )
  invariant(
    ended === null || ended.detail === null || owner !== null,
    'a detail is sealed for the proposal that attempts',
  )
  invariant(observed === null || observed.observation.covers.from >= 1, 'an observation covers attempts from 1 on')
}

function assertCall({ tenant, effect, call }: Change): void {
  const claims = effect?.row.kind === 'call' && effect.expect === 'absent'
  invariant(claims === (call?.kind === 'claim'), 'a guarded call is claimed together with its effect')
  if (call === null) return
  if (call.kind === 'release') {
    invariant(effect === null && call.key.tenant === tenant, 'a release is a change of its own')
    invariant(effectKind(call.key.domain) === 'call', 'only the claim of a guarded call is ever released')
    return
  }
  invariant(effect?.row.kind === 'call', 'a guarded call is written with its effect')
  if (call.kind === 'claim') {
    invariant(
      effect.opened === null && call.claim.state === 'PENDING',
      'a guarded call is claimed before it is started',
    )
  }
  if (call.kind === 'take_over') invariant(effect.opened === null, 'a claim is taken over before it is started')
  if (call.kind === 'progress') assertProgress(call)
}

function assertProgress({ ended, decided, completedAt }: CallProgress): void {
  invariant(ended !== null || decided.length > 0 || completedAt !== null, 'a progress says something')
  for (const { decision, nextAttemptAt } of decided) {
    invariant((decision === 'retry') === (nextAttemptAt !== null), 'a retry has its time, and nothing else has')
  }
  const retries = decided.some(({ decision }) => decision === 'retry')
  invariant(completedAt === null || !retries, 'a call that is completed is not made again')
}
