// The queries of a memory store: which proposals a list and a sweep find, by looking at every one.
import type { EffectKey } from '../effect/effect-key.ts'
import type { Reference } from '../effect/reference.ts'
import { principalName } from '../proposal/principal.ts'
import type { Proposal } from '../proposal/proposal.ts'
import { isInDoubt, isOpen } from '../proposal/status.ts'
import type { ListQuery, Standing, StoredKey } from '../runtime/ports.ts'
import { actionNameOf } from './action-name.ts'
import { copyBytes, effectName, type TenantRecords } from './memory-records.ts'

/** The live, visible proposals that pass every filter, in the order that is asked for. */
export function listInMemory(records: TenantRecords, query: ListQuery): readonly Proposal[] {
  const { order = 'newest', after, limit } = query
  const compare = COMPARED_BY[order]
  const last = after === undefined ? null : placeOf(records, after)
  return liveProposals(records)
    .filter((proposal) => matches(records, query, proposal) && (last === null || compare(last, proposal) < 0))
    .sort(compare)
    .slice(0, limit)
}

type Place = Pick<Proposal, 'ref' | 'expiresAt'>

const COMPARED_BY: Readonly<Record<'newest' | NonNullable<ListQuery['order']>, (a: Place, b: Place) => number>> = {
  newest: (a, b) => byRef(b, a),
  oldest: byRef,
  expiry: (a, b) => a.expiresAt - b.expiresAt || byRef(a, b),
}

function byRef(a: Place, b: Place): number {
  return a.ref === b.ref ? 0 : a.ref < b.ref ? -1 : 1
}

// Also of one that was erased since; where a reference stands in the order of expiry is known of stored ones alone.
function placeOf({ proposals }: TenantRecords, ref: Reference): Place {
  const record = proposals.get(ref)
  if (record === undefined) return { ref, expiresAt: Number.POSITIVE_INFINITY }
  return record.kind === 'live' ? record.proposal : record.tombstone
}

/** Proposals whose erasure was asked for and is not done, or whose bytes have not been scrubbed. */
export function erasuresOpenInMemory(
  records: TenantRecords,
  after: Reference | null,
  limit: number,
): readonly Reference[] {
  const asked = liveProposals(records).filter(({ erasure }) => erasure !== 'none')
  return [...asked.map(({ ref }) => ref), ...records.unscrubbed]
    .filter((ref) => after === null || ref > after)
    .sort()
    .slice(0, limit)
}

/** The wrapped keys that are under another version, by proposal. */
export function keysNotUnderInMemory(
  records: TenantRecords,
  kekVersion: string,
  after: Reference | null,
  limit: number,
): readonly StoredKey[] {
  return [...records.proposals.values()]
    .flatMap((record) => (record.kind === 'live' ? [{ proposal: record.proposal.ref, ...record.key }] : []))
    .filter((key) => key.kekVersion !== kekVersion && (after === null || key.proposal > after))
    .sort((a, b) => (a.proposal < b.proposal ? -1 : 1))
    .slice(0, limit)
    .map((key) => ({ ...key, wrapped: copyBytes(key.wrapped) }))
}

/** How many proposals wait for something. */
export function standingInMemory(records: TenantRecords): Standing {
  const live = liveProposals(records)
  const inDoubt = live.filter(({ status }) => isInDoubt(status))
  const startedAt = inDoubt.flatMap((proposal) => startOfAttempt(records, proposal))
  return {
    open: live.filter(({ status }) => isOpen(status)).length,
    inDoubt: inDoubt.length,
    inDoubtSince: startedAt.length === 0 ? null : Math.min(...startedAt),
    needsPerson: live.filter(needsSomebody).length,
  }
}

function startOfAttempt(records: TenantRecords, proposal: Proposal): readonly number[] {
  const attempts = records.effects.get(effectName(proposal.effect))?.effect.attempts ?? []
  const own = attempts.filter((attempt) => attempt.proposal === proposal.ref)
  return own.flatMap(({ number, startedAt }) =>
    'attempt' in proposal && proposal.attempt === number ? [startedAt] : [],
  )
}

function liveProposals(records: TenantRecords): Proposal[] {
  return [...records.proposals.values()].flatMap((record) => (record.kind === 'live' ? [record.proposal] : []))
}

function matches(records: TenantRecords, query: ListQuery, proposal: Proposal): boolean {
  const { statuses, actionName, requester, effect, subject, dueAt, needsPerson, decidedBy, order } = query
  return (
    proposal.erasure !== 'pending' &&
    (statuses === undefined || statuses.includes(proposal.status)) &&
    (actionName === undefined || actionNameOf(proposal.action) === actionName) &&
    (requester === undefined || principalName(proposal.requester) === requester) &&
    (effect === undefined || sameEffect(effect, proposal.effect)) &&
    (subject === undefined || proposal.subject === subject) &&
    (dueAt === undefined || isDue(records, proposal, dueAt)) &&
    (needsPerson === undefined || needsSomebody(proposal)) &&
    (decidedBy === undefined || hasDecided(records, proposal, decidedBy)) &&
    (order !== 'expiry' || isOpen(proposal.status))
  )
}

function hasDecided({ proposals }: TenantRecords, { ref }: Proposal, principal: string): boolean {
  const record = proposals.get(ref)
  return record?.kind === 'live' && record.approvals.some(({ approver }) => principalName(approver) === principal)
}

function sameEffect(a: EffectKey, b: EffectKey): boolean {
  return a.tenant === b.tenant && effectName(a) === effectName(b)
}

function needsSomebody({ status, attention }: Proposal): boolean {
  return status === 'verification_unresolved' || attention.length > 0
}

function hasExpired({ status, expiresAt }: Proposal, now: number): boolean {
  return isOpen(status) && expiresAt <= now
}

// What is due at an effect is done through the proposal that owns it.
function isDue(records: TenantRecords, proposal: Proposal, at: number): boolean {
  if (hasExpired(proposal, at)) return true
  const effect = records.effects.get(effectName(proposal.effect))?.effect
  if (effect === undefined || effect.owner !== proposal.ref) return false
  const hasLapsed = effect.attempts.some(({ ending, leaseUntil }) => ending === null && leaseUntil <= at)
  return hasLapsed || (effect.verifyDueAt !== null && effect.verifyDueAt <= at)
}
