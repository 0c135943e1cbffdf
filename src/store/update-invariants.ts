// What may become of a stored proposal and a stored effect: the guards that the SQL triggers repeat, as pure functions.
import type { Effect } from '../effect/effect.ts'
import type { Erasure, Proposal } from '../proposal/proposal.ts'
import { mayMove, type Status } from '../proposal/status.ts'
import type { EffectWrite } from '../runtime/ports.ts'
import { invariant } from './broken-invariant.ts'
import { canonicalText } from './canonical-text.ts'

const ERASURES: readonly Erasure[] = ['none', 'requested', 'pending', 'erased']

/** @throws BrokenInvariant unless the proposal may become this. Spec: store 2, guarantees 2 and 6. */
export function assertProposalUpdate(before: Proposal, after: Proposal): void {
  invariant(identityOf(before) === identityOf(after), 'identity, creation and authority of a proposal never change')
  assertMove(before, after)
  invariant(after.updatedAt >= before.updatedAt, 'the time of a proposal never goes back')
}

/** @throws BrokenInvariant unless status and erasure may go this way. */
export function assertMove(
  before: { readonly status: Status; readonly erasure: Erasure },
  after: { readonly status: Status; readonly erasure: Erasure },
): void {
  invariant(mayMove(before.status, after.status), 'a status changes only as the lifecycle says')
  invariant(ERASURES.indexOf(after.erasure) >= ERASURES.indexOf(before.erasure), 'erasure never goes back')
}

/** @throws BrokenInvariant unless the effect may become this; `before` is null for a claim. Spec: store 2, guarantee 4. */
export function assertEffectWrite(before: Effect | null, { row, opened, ended, observed }: EffectWrite): void {
  const attempts = before?.attempts ?? []
  const observations = before?.observations ?? []
  invariant(before === null || row.epoch >= before.epoch, 'the fence never comes down')
  invariant(opened === null || opened.number === attempts.length + 1, 'attempts are numbered without gaps')
  const stillOpen = attempts.filter(({ number, ending }) => ending === null && number !== ended?.number)
  invariant(opened === null || stillOpen.length === 0, 'an effect has one open attempt')
  invariant(
    observed === null || observed.observation.sequence === observations.length + 1,
    'observations are numbered without gaps',
  )
  invariant(
    observed === null || observed.observation.covers.to <= attempts.length,
    'an observation covers attempts that were started',
  )
  const made = [...attempts, ...(opened === null ? [] : [opened])]
  const ofOwner = row.owner === null || made.some(({ proposal }) => proposal === row.owner)
  invariant(ofOwner, 'an effect is never owned without an attempt of its owner')
}

// Everything but what the statuses have of their own and the five fields that change.
function identityOf(proposal: Proposal): string {
  const { tenant, ref, action, definitionDigest, effect, subject, requester, agent, agentOwner, replaces } = proposal
  const { policy, commandFingerprint, commitment, createdAt, expiresAt } = proposal
  return canonicalText([
    [tenant, ref, action, definitionDigest, effect.domain, effect.reference, subject, replaces, commandFingerprint],
    [commitment, createdAt, expiresAt, requester, agent, agentOwner, policy],
  ])
}
