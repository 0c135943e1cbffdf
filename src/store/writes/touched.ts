// Which rows a change rests on, in the one order in which all changes lock them (rules R13).
import type { Reference } from '../../effect/reference.ts'
import type { Change } from '../../runtime/ports.ts'

/** The identity of an effect, whatever else its key carries. */
export interface EffectIdentity {
  readonly tenant: string
  readonly domain: string
  readonly reference: string
}

/** The effect that is written, and those of which an erasure takes something along. */
export function touchedEffects({ tenant, proposals, effect, call }: Change): readonly EffectIdentity[] {
  const keys = proposals.flatMap((write) => (write.kind === 'erase' ? [write.tombstone.effect] : []))
  if (effect !== null) keys.push(effect.row.key)
  if (call?.kind === 'release') keys.push(call.key)
  const distinct = new Map(keys.map((key) => [nameOf(key), { tenant, domain: key.domain, reference: key.reference }]))
  return [...distinct].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, key]) => key)
}

/**
 * Under which names an effect is claimed that has been claimed under none of them: each can be claimed by somebody else at the
 * same time, and only one of them may be (rules R9 and R17).
 */
export function claimedNames({ tenant, effect }: Change): readonly string[] {
  if (effect === null || effect.expect !== 'absent') return []
  const names = [effect.row.key, ...effect.formerKeys].map((key) => `effect ${tenant} ${nameOf(key)}`)
  return [...new Set(names)].toSorted()
}

/** The writes of proposals. */
export function touchedProposals({ proposals }: Change): Change['proposals'] {
  return proposals.toSorted((one, other) => (refOf(one) < refOf(other) ? -1 : 1))
}

/** Names of all rows of its tenant that decide over the change: no two that share a commit have one in common. */
export function touchedRows(change: Change): readonly string[] {
  const { proposals, effect, changeId } = change
  const effects = [...touchedEffects(change), ...(effect?.formerKeys ?? [])]
  return [
    `change ${changeId}`,
    ...proposals.map((write) => `proposal ${refOf(write)}`),
    ...requestKeysOf(change).map((hash) => `request ${hash}`),
    ...effects.map((key) => `effect ${nameOf(key)}`),
  ]
}

/** The request keys that are used by the change. */
export function requestKeysOf({ proposals }: Change): readonly string[] {
  return proposals.flatMap((write) => {
    return write.kind === 'insert' && write.requestKeyHash !== null ? [write.requestKeyHash] : []
  })
}

/** The reference of the proposal that is written. */
export function refOf(write: Change['proposals'][number]): Reference {
  return write.kind === 'erase' ? write.tombstone.ref : write.proposal.ref
}

/** The name of an effect within its tenant; no domain has a space in it. */
export function nameOf({ domain, reference }: Pick<EffectIdentity, 'domain' | 'reference'>): string {
  return `${domain} ${reference}`
}
