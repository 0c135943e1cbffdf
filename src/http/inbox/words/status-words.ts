// Statuses, flags and requirements in words that an approver uses.
import type { Attention } from '../../../proposal/proposal.ts'
import type { Status } from '../../../proposal/status.ts'
import type { ApprovalWorth } from '../../../runtime/standing.ts'

/** A status in a few words. */
export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  awaiting_approval: 'Waits for approval',
  approved: 'Approved, not executed yet',
  executing: 'Being executed',
  verification_pending: 'Sent, being verified',
  failed_unknown: 'In doubt',
  verification_unresolved: 'Unresolved, a person must look',
  verified: 'Done and verified',
  failed_known: 'Failed, nothing happened',
  closed_unknown: 'Closed without an answer',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  stale: 'Overtaken by a change',
  superseded: 'Done through another proposal',
}

/** What a flag asks a person to look at. */
export const ATTENTION_WORDS: Readonly<Record<Attention, string>> = {
  late_evidence: 'Evidence came late: the effect happened, and the status says that nothing was done.',
  conflicting_evidence: 'The evidence contradicts itself.',
  duplicate_possible: 'The effect may have happened more than once.',
  effect_mismatch: 'What was found at the provider is not what was approved.',
  reversed: 'The effect was reversed after it had happened.',
  effect_in_doubt: 'An earlier attempt may have had its effect.',
  settlement_unconfirmed:
    'One operator has recorded that nothing happened. It stays barred until a second one says the same.',
}

/** Why the viewer is not asked to approve; null where they are. */
export function worthWords(worth: ApprovalWorth): string | null {
  switch (worth) {
    case 'counts':
      return null
    case 'surplus':
      return 'Nothing that you could give is missing.'
    case 'closed':
      return 'Nothing can be decided here any more.'
    case 'agent_cannot_decide':
      return 'An agent never decides.'
    case 'separation_of_duties':
      return 'You may not decide on this proposal: the policy excludes you, as “Policy” says below. Whoever asks for something does not approve it.'
    case 'decision_not_permitted':
      return 'You have no right to decide on this proposal.'
  }
}
