// The second step of an approval: what exactly is approved, once more, and a button that names the amount and the target.
import { html, NOTHING } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { briefLine } from '../text/pieces.ts'
import { worthWords } from '../words/status-words.ts'
import { actForm, commentField, namedInButton } from './choices.ts'
import { differences } from './differences.ts'
import { openProposal } from './opened-proposal.ts'
import { askedPart, partOf } from './parts.ts'
import { consequences, heading, previewSection, proposalPage, proposalTag } from './proposal.ts'
import { changesSince } from './timeline.ts'

/** `/inbox/proposals/:ref/approve`. Opening it does nothing, whoever does. @throws NotFound */
export async function approvePage(call: PageCall): Promise<Page> {
  const opened = await openProposal(call)
  if (opened.kind === 'erased') return proposalPage(call)
  const { view, standing, form } = opened
  const why = view.contentAvailable ? worthWords(standing.approval) : 'Its content cannot be opened.'
  const seen = /^\d{1,15}$/.exec(call.query.get('revision') ?? '')?.[0]
  const label = namedInButton('Approve', form, view.action)
  const part = partOf(previewSection(call, opened), askedPart(call), (wanted) => {
    const search = new URLSearchParams({ ...(seen === undefined ? {} : { revision: seen }), part: String(wanted) })
    return `${proposalPath(call.base, view.proposal, '/approve')}?${search.toString()}`
  })
  const inside = html`<input type="hidden" name="commitment" value="${view.commitment}">${commentField('comment')}<button class="primary">${label}</button>`
  return {
    title: `Approve? ${briefLine(form.title ?? view.action)}`,
    tag: proposalTag(opened),
    main: html`${seen === undefined ? NOTHING : changesSince(opened, Number(seen), call.inbox.timeZone)}
${heading(opened)}
${differences(call, opened)}
<section aria-labelledby="preview"><h2 id="preview">You approve exactly this</h2>
${consequences(form)}${view.contentAvailable ? part.shown : NOTHING}</section>
<section class="decide" aria-labelledby="decide"><h2 id="decide">Approve?</h2>
${why === null ? (part.isLast ? actForm(call, opened, 'approve', inside) : html`<p>The preview goes on: the button stands below its last part.</p>`) : html`<p>${why}</p>`}
<p><a href="${proposalPath(call.base, view.proposal)}">Back, without a decision</a></p></section>`,
  }
}
