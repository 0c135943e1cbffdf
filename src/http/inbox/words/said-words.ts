// What became of something that was done on a page, in one sentence.
import { OUTCOMES, type OutcomeCode } from '../../../proposal/codes.ts'
import { PROBLEMS, type ProblemCode } from '../../wire/http-refusals.ts'

/** What a page can say about the request before it: an outcome, a refusal, or that there was nothing left to do. */
export type Said = OutcomeCode | ProblemCode | 'already' | 'stands' | 'moved' | 'not_told'

const OUTCOME_WORDS: Readonly<Record<OutcomeCode | 'already' | 'stands' | 'moved' | 'not_told', string>> = {
  prepared: 'It was prepared.',
  replayed: 'You had already decided so. Nothing was recorded twice.',
  approval_pending: 'Your approval is recorded. More approvals are needed.',
  approved: 'Your approval is recorded. The policy is met.',
  rejected: 'It is rejected.',
  withdrawn: 'It is withdrawn.',
  revoked: 'Your approval is taken back.',
  expired: 'It had expired. Nothing was recorded.',
  blocked: 'It could not be done now. Nothing was sent.',
  stale: 'The business has changed. Nothing was done.',
  superseded: 'The effect was already done through another proposal.',
  conflict: 'It could not be recorded, as it does not fit the status that it has now.',
  in_progress: 'An attempt is under way.',
  verification_pending: 'It was looked for, and is not seen at the provider yet.',
  failed_unknown: 'It was looked for, and is still in doubt.',
  resend_allowed: 'The provider says for good that it does not exist. It may be executed again.',
  verification_unresolved: 'It was looked for, and a person must look.',
  verified: 'It is verified.',
  failed_known: 'It is known that it did not happen.',
  closed_unknown: 'It is closed without an answer.',
  resumed: 'It is looked for again, with fresh budgets.',
  settled: 'What you found out is recorded.',
  checked: 'It was checked. It would stand as it is.',
  observed: 'A look is due now.',
  erased: 'The content is erased.',
  erasure_deferred: 'The content will be erased once the effect is settled.',
  already: 'You had already done so. Nothing was recorded twice.',
  stands: 'Checked just now: nothing has changed, it would stand as it is.',
  moved: 'Checked just now: the business has changed, so it would not be executed as it is.',
  not_told: 'Checked just now: it could not be found out whether it would stand.',
}

/** The sentence, and whether it is about something that was not done. */
export function saidWords(said: Said): { readonly sentence: string; readonly isRefusal: boolean } {
  if (isProblem(said)) return { sentence: `${PROBLEMS[said].title} Nothing was recorded.`, isRefusal: true }
  return { sentence: OUTCOME_WORDS[said], isRefusal: REFUSING.has(said) }
}

/** Whether a text is one of them. */
export function isSaid(text: string): text is Said {
  return Object.hasOwn(OUTCOME_WORDS, text) || Object.hasOwn(PROBLEMS, text)
}

const REFUSING: ReadonlySet<Said> = new Set([
  'expired',
  'blocked',
  'stale',
  'superseded',
  'conflict',
  'moved',
  'not_told',
])

function isProblem(said: Said): said is ProblemCode {
  return Object.hasOwn(PROBLEMS, said) && !Object.hasOwn(OUTCOMES, said)
}
