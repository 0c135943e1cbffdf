// A part of something long by itself: the preview, what differs, the decisions or the receipts of a proposal.
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { UnknownPath } from '../../wire/http-refusals.ts'
import { briefLine } from '../text/pieces.ts'
import { driftSection, relatedSection, replacedSection } from './differences.ts'
import { type OpenedProposal, openProposal } from './opened-proposal.ts'
import { askedPart, type LongSection, partOf, partPath } from './parts.ts'
import { decisionsSection } from './policy-checklist.ts'
import { heading, previewSection, proposalPage, proposalTag, resultSection } from './proposal.ts'
import { timelineSection } from './timeline.ts'

type MakeSection = (call: PageCall, opened: OpenedProposal) => LongSection

// By name, so that none is made but the one that is asked for.
const SECTIONS: ReadonlyMap<string, MakeSection> = new Map<LongSection['name'], MakeSection>([
  ['preview', previewSection],
  ['drift', (_, opened) => driftSection(opened)],
  ['replaces', replacedSection],
  ['related', relatedSection],
  ['decisions', ({ inbox }, opened) => decisionsSection(opened, inbox.timeZone)],
  ['result', resultSection],
  ['timeline', ({ inbox }, opened) => timelineSection(opened, inbox.timeZone)],
])

/** `/inbox/proposals/:ref/whole/:section`. @throws NotFound, UnknownPath */
export async function wholePage(call: PageCall): Promise<Page> {
  const opened = await openProposal(call)
  if (opened.kind === 'erased') return proposalPage(call)
  const { view, form } = opened
  const section = SECTIONS.get(call.param('section'))?.(call, opened)
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
