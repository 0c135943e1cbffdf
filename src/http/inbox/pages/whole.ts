// A part of something long by itself: the preview, what differs, the decisions or the receipts of a proposal.
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { UnknownPath } from '../../wire/http-refusals.ts'
import { briefLine } from '../text/pieces.ts'
import { differingSections } from './differences.ts'
import { openProposal } from './opened-proposal.ts'
import { askedPart, partOf, partPath } from './parts.ts'
import { decisionsSection } from './policy-checklist.ts'
import { heading, previewSection, proposalPage, proposalTag, resultSection } from './proposal.ts'
import { timelineSection } from './timeline.ts'

/** `/inbox/proposals/:ref/whole/:section`. @throws NotFound, UnknownPath */
export async function wholePage(call: PageCall): Promise<Page> {
  const opened = await openProposal(call)
  if (opened.kind === 'erased') return proposalPage(call)
  const { view, form } = opened
  const sections = [
    previewSection(call, opened),
    ...differingSections(call, opened),
    decisionsSection(opened, call.inbox.timeZone),
    resultSection(call, opened),
    timelineSection(opened, call.inbox.timeZone),
  ]
  const section = sections.find(({ name }) => name === call.param('section'))
  if (section === undefined) throw new UnknownPath()
  const { shown } = partOf(section, askedPart(call), (part) => partPath(call, view.proposal, section.name, part))
  return {
    title: briefLine(form.title ?? view.action),
    tag: proposalTag(opened),
    main: html`${heading(opened)}
<section aria-label="${section.name}">${shown}</section>
<p><a href="${proposalPath(call.base, view.proposal)}">Back to the proposal</a></p>`,
  }
}
