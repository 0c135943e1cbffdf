// The policy as a checklist: what is met and by whom, what is missing and who could give it, who may not; and the comments.
import type { ApprovalView } from '../../../runtime/read.ts'
import type { RequirementExplanation } from '../../../proposal/policy/explain-policy.ts'
import { principalName } from '../../../proposal/principal.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { renderNotes, renderText } from '../preview/render-value.ts'
import { shownInstant } from '../text/amounts-and-times.ts'
import type { OpenedProposal } from './opened-proposal.ts'

const STATES = { met: '✓ met', missing: '○ missing', does_not_apply: '– not asked for' } as const

/** The checklist, and every decision on record. */
export function policyChecklist({ view }: OpenedProposal, timeZone: string): Html {
  const { policy, approvals } = view
  const own = new Set(policy.requirements.map(({ sentence }) => sentence))
  return html`<section aria-labelledby="policy"><h2 id="policy">Policy</h2>
<ul class="checklist">${policy.requirements.map(requirementLine)}</ul>
${policy.sentences.filter((sentence) => !own.has(sentence)).map((sentence) => html`<p>${renderText(sentence)}</p>`)}
${
  approvals.length === 0
    ? html`<p class="quiet">Nobody has decided yet.</p>`
    : html`<ul class="decisions">${approvals.map((one) => decisionLine(one, timeZone))}</ul>`
}</section>`
}

function requirementLine({ state, sentence }: RequirementExplanation): Html {
  return html`<li class="${state}"><span class="state">${STATES[state]}</span> ${renderText(sentence)}</li>`
}

function decisionLine(
  { decision, approver, decidedAt, expiresAt, revokedAt, comment }: ApprovalView,
  timeZone: string,
): Html {
  const word = decision === 'approve' ? 'approved' : 'rejected'
  const until = decision === 'approve' ? html`, counts until ${shownInstant(expiresAt, timeZone)}` : NOTHING
  const revoked = revokedAt === null ? NOTHING : html`, taken back ${shownInstant(revokedAt, timeZone)}`
  return html`<li>${renderText(principalName(approver))} ${word}, ${shownInstant(decidedAt, timeZone)}${until}${revoked}${
    comment === null
      ? NOTHING
      : html`<blockquote>${renderText(comment, { lines: true })}${renderNotes(comment)}</blockquote>`
  }</li>`
}
