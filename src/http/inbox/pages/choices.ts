// What the viewer can do with a proposal: decide, take back, withdraw, check; and what an operator can do.
import type { OpenedProposal } from './opened-proposal.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { tokenField } from '../page.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { shownMoney } from '../text/amounts-and-times.ts'
import { renderBrief } from '../preview/render-value.ts'
import type { PreviewForm } from '../preview/form.ts'
import { principalName } from '../../../proposal/principal.ts'
import { parseSession } from '../../../proposal/session.ts'
import { isClosed, isOpen } from '../../../proposal/status.ts'
import { settledAloneBy } from '../words/evidence-words.ts'
import { worthWords } from '../words/status-words.ts'

/** Approve and reject, or why not. */
export function decision(call: PageCall, opened: OpenedProposal): Html {
  const { view, standing } = opened
  const why = worthWords(standing.approval)
  const mayReject = (standing.approval === 'counts' || standing.approval === 'surplus') && view.contentAvailable
  const approve =
    standing.approval === 'counts' && view.contentAvailable
      ? html`<form method="get" action="${proposalPath(call.base, view.proposal, '/approve')}">
<input type="hidden" name="revision" value="${view.revision}"><button class="primary">Approve …</button></form>`
      : NOTHING
  return html`<section class="decide" aria-labelledby="decide"><h2 id="decide">Decide</h2>
${why === null ? NOTHING : html`<p>${why}</p>`}
${view.contentAvailable ? NOTHING : html`<p class="wrong">Its content cannot be opened, so it cannot be decided on.</p>`}
${approve}${mayReject ? rejectForm(call, opened) : NOTHING}${revokeForms(call, opened)}${withdrawForm(call, opened)}${checkForm(call, opened)}
</section>`
}

/** What an operator can do, where there is anything to do. */
export function operatorActs(call: PageCall, opened: OpenedProposal): Html {
  const { view, standing } = opened
  const alone = settledAloneBy(view, opened.receipts)
  const isOpenYet = !isClosed(view.status) || view.attention.length > 0 || alone !== null
  const isSent = view.evidence !== null && isOpenYet
  const mayLook = standing.permitted.includes('reconcile') || standing.permitted.includes('operate')
  if (!isSent || !mayLook) return NOTHING
  const mayOperate = standing.permitted.includes('operate')
  const waits = view.nextStep === 'operator' && alone === null && mayOperate
  const mayConfirm = alone !== null && alone !== nameOf(call) && mayOperate
  return html`<section class="operate" aria-labelledby="operate"><h2 id="operate">For operators</h2>
${actForm(call, opened, 'reconcile', html`<button>Look at the provider now</button>`)}
${waits ? actForm(call, opened, 'resume', html`${reasonField('resume-reason')}<button>Look again, with fresh budgets</button>`) : NOTHING}
${waits ? settleForm(call, opened) : NOTHING}${mayConfirm ? confirmForm(call, opened) : NOTHING}</section>`
}

function nameOf({ session }: PageCall): string {
  return principalName(parseSession(session).principal)
}

/** `Approve 10.00 EUR · ORD-1001`: what is approved, in the button itself; neither can turn the other around. */
export function namedInButton(verb: string, { amount, target, title }: PreviewForm, action: string): Html {
  if (amount === null) return html`${verb} ${renderBrief(target ?? title ?? action, '…')}`
  const money = html`${verb} <bdi class="money">${shownMoney(amount)}</bdi>`
  return target === null ? money : html`${money} · ${renderBrief(target, '…')}`
}

/** A form that does something to exactly what is shown. */
export function actForm(call: PageCall, { view }: OpenedProposal, act: string, inside: Html): Html {
  return html`<form method="post" action="${proposalPath(call.base, view.proposal, `/${act}`)}">${tokenField(call.token)}
<input type="hidden" name="revision" value="${view.revision}">${inside}</form>`
}

/** The comment of a decision. */
export function commentField(id: string): Html {
  return html`<label for="${id}">Comment (is kept with the decision)</label>
<textarea id="${id}" name="comment" rows="2" maxlength="2000"></textarea>`
}

function rejectForm(call: PageCall, opened: OpenedProposal): Html {
  const label = namedInButton('Reject', opened.form, opened.view.action)
  const inside = html`<input type="hidden" name="commitment" value="${opened.view.commitment}">${commentField('reject-comment')}<button>${label}</button>`
  return html`<details><summary>Reject …</summary>${actForm(call, opened, 'reject', inside)}</details>`
}

function revokeForms(call: PageCall, opened: OpenedProposal): Html {
  const { view, standing } = opened
  if (!isOpen(view.status)) return NOTHING
  const mine = standing.decisions.filter(({ decision: one, revokedAt, expiresAt }) => {
    return one === 'approve' && revokedAt === null && call.now < expiresAt
  })
  return html`${mine.map(({ approvalId }) =>
    actForm(call, opened, `approvals/${approvalId}/revoke`, html`<button>Take my approval back</button>`),
  )}`
}

function withdrawForm(call: PageCall, opened: OpenedProposal): Html {
  const { view, standing } = opened
  if (!isOpen(view.status) || !standing.permitted.includes('withdraw')) return NOTHING
  const inside = html`<button>${namedInButton('Withdraw', opened.form, view.action)}</button>`
  return html`<details><summary>Withdraw …</summary>${actForm(call, opened, 'withdraw', inside)}</details>`
}

function checkForm(call: PageCall, opened: OpenedProposal): Html {
  if (!isOpen(opened.view.status) || !opened.standing.permitted.includes('check')) return NOTHING
  return actForm(call, opened, 'check', html`<button>Check whether it would still stand</button>`)
}

function settleForm(call: PageCall, opened: OpenedProposal): Html {
  const inside = html`<fieldset><legend>What you found out</legend>
<div><input type="radio" id="occurred" name="verdict" value="occurred" required> <label for="occurred">It happened</label></div>
<div><input type="radio" id="did_not_occur" name="verdict" value="did_not_occur"> <label for="did_not_occur">It did not happen (a second operator must say the same)</label></div>
<div><input type="radio" id="closed_unknown" name="verdict" value="closed_unknown"> <label for="closed_unknown">It cannot be found out</label></div></fieldset>
${findingFields('settle')}
<button>Record it</button>`
  return html`<details><summary>Settle …</summary>${actForm(call, opened, 'settle', inside)}</details>`
}

// One operator has said so already. What was sent stays barred until another one has looked, too.
function confirmForm(call: PageCall, opened: OpenedProposal): Html {
  const inside = html`<input type="hidden" name="verdict" value="did_not_occur">
${findingFields('confirm')}
<button>I looked, too: it did not happen</button>`
  return html`<details><summary>Confirm that it did not happen …</summary>${actForm(call, opened, 'settle', inside)}</details>`
}

function findingFields(id: string): Html {
  return html`${reasonField(`${id}-reason`)}
<label for="evidenceReference">Where the evidence is kept (a case, a ticket)</label> <input id="evidenceReference" name="evidenceReference" required maxlength="128" autocomplete="off">`
}

function reasonField(id: string): Html {
  return html`<label for="${id}">Reason (a code: small letters, digits, _ . -)</label> <input id="${id}" name="reason" required pattern="[a-z0-9_.\\-]{1,64}" autocomplete="off">`
}
