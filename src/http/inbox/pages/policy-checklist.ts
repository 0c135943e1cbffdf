// The policy as a checklist: what is met and by whom, what is missing and who could give it, who may not; and the comments.
import type { ApprovalView } from '../../../runtime/read.ts'
import type { RequirementExplanation } from '../../../proposal/policy/explain-policy.ts'
import { principalName } from '../../../proposal/principal.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { renderNotes, renderPiece, renderText } from '../preview/render-value.ts'
import { rendered } from '../preview/row.ts'
import type { PageCall } from '../page-call.ts'
import { shownInstant } from '../text/amounts-and-times.ts'
import { type Piece, pieces } from '../text/pieces.ts'
import type { OpenedProposal } from './opened-proposal.ts'
import { firstPart, type LongSection } from './parts.ts'

const STATES = { met: '✓ met', missing: '○ missing', does_not_apply: '– not asked for' } as const

/** The checklist, and every decision on record. */
export function policyChecklist(call: PageCall, opened: OpenedProposal): Html {
  const { policy, approvals } = opened.view
  const own = new Set(policy.requirements.map(({ sentence }) => sentence))
  return html`<section aria-labelledby="policy"><h2 id="policy">Policy</h2>
<ul class="checklist">${policy.requirements.map(requirementLine)}</ul>
${policy.sentences.filter((sentence) => !own.has(sentence)).map((sentence) => html`<p>${renderText(sentence)}</p>`)}
${
  approvals.length === 0
    ? html`<p class="quiet">Nobody has decided yet.</p>`
    : firstPart(call, opened, decisionsSection(opened, call.inbox.timeZone))
}</section>`
}

/** Every decision on record. */
export function decisionsSection({ view }: OpenedProposal, timeZone: string): LongSection {
  const rows = view.approvals.flatMap((one) => decisionLines(one, timeZone)).map(rendered)
  return { name: 'decisions', bytesMax: 4_500, rows, wrap: (some) => html`<ul class="decisions">${some}</ul>` }
}

function requirementLine({ state, sentence }: RequirementExplanation): Html {
  return html`<li class="${state}"><span class="state">${STATES[state]}</span> ${renderText(sentence)}</li>`
}

// A comment that is too strange for one row is several.
function decisionLines(
  { decision, approver, decidedAt, expiresAt, revokedAt, comment }: ApprovalView,
  timeZone: string,
): readonly Html[] {
  const word = decision === 'approve' ? 'approved' : 'rejected'
  const until = decision === 'approve' ? html`, counts until ${shownInstant(expiresAt, timeZone)}` : NOTHING
  const revoked = revokedAt === null ? NOTHING : html`, taken back ${shownInstant(revokedAt, timeZone)}`
  const name = renderText(principalName(approver))
  const [first, ...more] = comment === null ? [] : pieces(comment, COMMENT_BYTES, { lines: true })
  const quote = ({ parts }: Piece): Html => html`<blockquote>${renderPiece(parts)}</blockquote>`
  return [
    html`<li>${name} ${word}, ${shownInstant(decidedAt, timeZone)}${until}${revoked}${
      first === undefined ? NOTHING : html`${quote(first)}${renderNotes(comment ?? '', { lines: true })}`
    }</li>`,
    ...more.map((piece) => html`<li>${name}, further: ${quote(piece)}</li>`),
  ]
}

/** A comment of the longest kind in ordinary letters. */
const COMMENT_BYTES = 2_200
