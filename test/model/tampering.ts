// What an attacker with access to the rows does to a proposal: the same damage in memory and in a file.
import type { Reference } from '../../src/effect/reference.ts'
import type { Approval } from '../../src/proposal/approval.ts'
import type { Proposal } from '../../src/proposal/proposal.ts'
import { StoredDataCorrupt } from '../../src/proposal/errors.ts'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { Effect } from '../../src/effect/effect.ts'
import type { Change, LiveProposal, Sealed, Store } from '../../src/runtime/ports.ts'
import { InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { nameOf } from './effect-name.ts'

/** The ways to tamper with a proposal. */
export const TAMPERINGS = [
  'snapshot_flipped',
  'preview_flipped',
  'result_flipped',
  'contents_swapped',
  'snapshot_of_another',
  'key_flipped',
  'key_renamed',
  'key_of_another',
  'policy_loosened',
  'requester_changed',
  'agent_forgotten',
  'fingerprint_changed',
  'digest_changed',
  'approvals_planted',
] as const

export type Tampering = (typeof TAMPERINGS)[number]

/** What the guards of the database let pass; the rest needs an attacker who takes the guards away first. */
export const LET_THROUGH: ReadonlySet<Tampering> = new Set([
  'key_flipped',
  'key_renamed',
  'key_of_another',
  'approvals_planted',
])

/** The damaged rows in place of those that were stored. */
export interface Damage {
  readonly proposal: Proposal
  readonly content: LiveProposal['content']
  /** Null where the result is as it was. */
  readonly result: Sealed | null
  readonly key: LiveProposal['key']
  readonly planted: readonly Approval[]
}

/** The damage that an attack does to a proposal, with what another one holds; null where there is nothing to damage. */
export function damageOf(tampering: Tampering, live: LiveProposal, other: LiveProposal | null): Damage | null {
  const { proposal, content, result, key } = live
  const whole: Damage = { proposal, content, result: null, key, planted: [] }
  switch (tampering) {
    case 'snapshot_flipped':
      return { ...whole, content: { ...content, snapshot: flipped(content.snapshot) } }
    case 'preview_flipped':
      return { ...whole, content: { ...content, preview: flipped(content.preview) } }
    case 'result_flipped':
      return result === null ? null : { ...whole, result: flipped(result) }
    case 'contents_swapped':
      return { ...whole, content: { snapshot: content.preview, preview: content.snapshot } }
    case 'snapshot_of_another':
      return other === null ? null : { ...whole, content: { ...content, snapshot: other.content.snapshot } }
    case 'key_flipped':
      return { ...whole, key: { ...key, wrapped: flipped(key.wrapped) } }
    case 'key_renamed':
      return { ...whole, key: { ...key, kekVersion: 'gone' } }
    case 'key_of_another':
      return other === null ? null : { ...whole, key: other.key }
    case 'approvals_planted':
      return other === null || other.approvals.length === 0 ? null : { ...whole, planted: planted(live, other) }
    case 'policy_loosened':
    case 'requester_changed':
    case 'agent_forgotten':
    case 'fingerprint_changed':
    case 'digest_changed': {
      const changed = forged(tampering, proposal)
      return JSON.stringify(changed) === JSON.stringify(proposal) ? null : { ...whole, proposal: changed }
    }
  }
}

/** A memory store whose reads an attacker has got at; what was never damaged is passed on. */
export class TamperedStore extends InterceptedStore {
  readonly #damage = new Map<Reference, { damage: Damage; readonly before: Proposal }>()
  readonly #corrupt = new Set<string>()

  constructor(store: Store) {
    super(store, (_name, call) => call())
  }

  damage(ref: Reference, damage: Damage, before: Proposal): void {
    this.#damage.set(ref, { damage, before })
  }

  corrupt(key: EffectKey): void {
    this.#corrupt.add(nameOf(key))
  }

  repair(ref: Reference): void {
    this.#damage.delete(ref)
  }

  mend(key: EffectKey): void {
    this.#corrupt.delete(nameOf(key))
  }

  override async proposal(...input: Parameters<Store['proposal']>): ReturnType<Store['proposal']> {
    const stored = await super.proposal(...input)
    const damaged = stored?.kind === 'live' ? this.#damage.get(stored.proposal.ref) : undefined
    if (stored?.kind !== 'live' || damaged === undefined) return stored
    const { damage } = damaged
    return {
      ...stored,
      proposal: withIdentity(stored.proposal, damage.proposal),
      approvals: [...stored.approvals, ...damage.planted],
      content: damage.content,
      result: damage.result ?? stored.result,
      key: damage.key,
    }
  }

  override async effect(...input: Parameters<Store['effect']>): Promise<Effect | null> {
    const [key] = input
    if (this.#corrupt.has(nameOf(key))) {
      throw new StoredDataCorrupt(`effects/${key.tenant}/${key.domain}/${key.reference}`)
    }
    return super.effect(...input)
  }

  // An update writes nothing of what a proposal is from its creation on, so the damage stays; a new result replaces it.
  override async commit(change: Change): ReturnType<Store['commit']> {
    const proposals = change.proposals.map((write) => {
      const damaged = write.kind === 'update' ? this.#damage.get(write.proposal.ref) : undefined
      if (write.kind !== 'update' || damaged === undefined) return write
      return { ...write, proposal: withIdentity(write.proposal, damaged.before) }
    })
    const answer = await super.commit({ ...change, proposals })
    for (const write of answer.kind === 'committed' ? change.proposals : []) {
      const damaged =
        write.kind === 'update' && write.result !== undefined ? this.#damage.get(write.proposal.ref) : undefined
      if (damaged !== undefined) damaged.damage = { ...damaged.damage, result: null }
    }
    return answer
  }
}

/** The proposal with what it is from its creation on taken from another one. */
export function withIdentity(proposal: Proposal, identity: Proposal): Proposal {
  const { requester, agent, agentOwner, policy, commandFingerprint, definitionDigest } = identity
  return { ...proposal, requester, agent, agentOwner, policy, commandFingerprint, definitionDigest }
}

function forged(
  tampering: 'policy_loosened' | 'requester_changed' | 'agent_forgotten' | 'fingerprint_changed' | 'digest_changed',
  proposal: Proposal,
): Proposal {
  const { policy } = proposal
  switch (tampering) {
    case 'policy_loosened':
      return {
        ...proposal,
        policy: { ...policy, excluded: [], require: policy.require.slice(0, 1).map((one) => ({ ...one, count: 1 })) },
      }
    case 'requester_changed':
      return {
        ...proposal,
        requester: { kind: 'user', id: proposal.requester.id === 'rita' ? 'ruth' : 'rita' } as Proposal['requester'],
      }
    case 'agent_forgotten':
      return { ...proposal, agent: null, agentOwner: null }
    case 'fingerprint_changed':
      return { ...proposal, commandFingerprint: turned(proposal.commandFingerprint ?? '') }
    case 'digest_changed':
      return { ...proposal, definitionDigest: turned(proposal.definitionDigest) }
  }
}

// Approvals that another proposal's people gave to that one, under ids of their own.
function planted({ proposal }: LiveProposal, other: LiveProposal): readonly Approval[] {
  return other.approvals
    .filter(({ decision, revokedAt }) => decision === 'approve' && revokedAt === null)
    .map((approval, index) => ({ ...approval, approvalId: `PLANTED${index}${proposal.ref.slice(7)}` as Reference }))
}

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes)
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1
  return copy
}

function turned(text: string): string {
  return [...text].toReversed().join('')
}
