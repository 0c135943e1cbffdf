// The page of a proposal: what would happen, who must agree, what is known, what happened, and what the viewer can do.
import { html, type Html, NOTHING } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { fieldRows } from '../preview/field-rows.ts'
import type { Field, PreviewForm } from '../preview/form.ts'
import { isBrief, renderBrief, renderNotes, renderText } from '../preview/render-value.ts'
import { isProof } from '../session/form-secret.ts'
import { shownDuration, shownInstant, shownMoney } from '../text/amounts-and-times.ts'
import { briefLine } from '../text/pieces.ts'
import { evidenceWords } from '../words/evidence-words.ts'
import { isSaid, saidWords } from '../words/said-words.ts'
import { ATTENTION_WORDS, STATUS_WORDS } from '../words/status-words.ts'
import { decision, operatorActs } from './choices.ts'
import { differences } from './differences.ts'
import { requestedBy } from './entry-line.ts'
import { type OpenedProposal, type OpenedRemains, openProposal } from './opened-proposal.ts'
import { firstPart, type LongSection } from './parts.ts'
import { policyChecklist } from './policy-checklist.ts'
import { changesSince, timeline } from './timeline.ts'

/** `/inbox/proposals/:ref`. @throws NotFound */
export async function proposalPage(call: PageCall): Promise<Page> {
  const opened = await openProposal(call)
  return opened.kind === 'erased' ? erasedPage(call, opened) : openPage(call, opened)
}

function openPage(call: PageCall, opened: OpenedProposal): Page {
  const { inbox } = call
  const { view, form } = opened
  const since = /^\d{1,15}$/.exec(call.query.get('since') ?? '')?.[0]
  return {
    title: briefLine(form.title ?? view.action),
    tag: proposalTag(opened),
    main: html`${told(call, view.proposal)}${
      since === undefined ? NOTHING : changesSince(opened, Number(since), inbox.timeZone)
    }
${heading(opened)}
<p class="status-line"><span class="status">${STATUS_WORDS[view.status]}</span> ${times(call, opened)}</p>
<p class="quiet">Asked for by ${requestedBy({ view })} · ${view.action}</p>
${view.attention.map((flag) => html`<p class="wrong">⚠ ${ATTENTION_WORDS[flag]}</p>`)}
${view.blockedBy === null ? NOTHING : html`<p class="wrong">Execution was last refused: ${renderText(view.blockedBy)}.</p>`}
${differences(call, opened)}
<section aria-labelledby="preview"><h2 id="preview">What would happen</h2>
${consequences(form)}
${view.contentAvailable ? firstPart(call, opened, previewSection(call, opened)) : html`<p class="wrong">The content cannot be opened.</p>`}</section>
${decision(call, opened)}
${policyChecklist(call, opened)}
<section aria-labelledby="evidence"><h2 id="evidence">What is known</h2>
${evidenceWords(view, opened.receipts).map((sentence) => html`<p>${sentence}</p>`)}${nextLook(call, opened)}${result(call, opened)}</section>
${operatorActs(call, opened)}
${timeline(call, opened)}
<p class="quiet">Proposal <code>${view.proposal}</code>, revision ${view.revision}. An approval is given for exactly this: <code class="long">${view.commitment}</code></p>`,
  }
}

/** Changes when the proposal does, or what the viewer may do with it. */
export function proposalTag({ view, standing }: OpenedProposal): string {
  return tagOf([view.revision, view.status, view.evidence, view.attention, standing])
}

/** A title or a target that is too long to head a page is a field of the preview in any case. */
const REST = '… (the rest is below)'

/** The amount and what it is about, as large as they are important. */
export function heading({ view, form }: OpenedProposal): Html {
  const target =
    form.target === null
      ? NOTHING
      : html`<p class="target">${renderBrief(form.target, REST)}</p>${renderNotes(form.target)}`
  return html`<h1>${renderBrief(form.title ?? view.action, REST)}</h1>${form.title === null ? NOTHING : renderNotes(form.title)}
${form.amount === null ? NOTHING : html`<p class="amount"><bdi class="money">${shownMoney(form.amount)}</bdi></p>`}${target}`
}

/** What it would do, and whether it can be undone. */
export function consequences({ effect, undo }: PreviewForm): Html {
  return html`${effect === null ? NOTHING : html`<p>${renderText(effect)}</p>`}<p><strong>${
    undo === null ? 'Whether it can be undone is not said: take it that it cannot.' : renderText(undo)
  }</strong></p>`
}

// Only what this browser was told by this app; a link that says so too is passed over.
function told({ viewer, query }: PageCall, ref: string): Html {
  const [said, proof] = [query.get('said') ?? '', query.get('proof') ?? '']
  if (!isSaid(said) || !isProof(proof, viewer.secret, [ref, said])) return NOTHING
  const { sentence, isRefusal } = saidWords(said)
  return html`<p class="${isRefusal ? 'notice wrong' : 'notice done'}" role="status">${isRefusal ? '✗' : '✓'} ${sentence}</p>`
}

function times({ now, inbox }: PageCall, { view }: OpenedProposal): Html {
  const left = view.expiresAt - now
  const isOver = view.status !== 'awaiting_approval' && view.status !== 'approved'
  const age = html`Prepared ${shownDuration(now - view.createdAt)} ago`
  if (isOver) return age
  return html`${age} · <strong>${left > 0 ? `${shownDuration(left)} left` : 'expired'}</strong> <span class="quiet">until ${shownInstant(view.expiresAt, inbox.timeZone)}</span>`
}

function nextLook({ now, inbox }: PageCall, { standing }: OpenedProposal): Html {
  const at = standing.nextLookAt
  if (at === null) return NOTHING
  return html`<p class="quiet">${at <= now ? 'A look at the provider is due now.' : `Next look at the provider: ${shownInstant(at, inbox.timeZone)}.`}</p>`
}

function result(call: PageCall, opened: OpenedProposal): Html {
  const section = resultSection(call, opened)
  return section.rows.length === 0 ? NOTHING : firstPart(call, opened, section)
}

/** What was found at the provider, once it is verified. */
export function resultSection({ inbox }: PageCall, { view }: OpenedProposal): LongSection {
  const { result: found } = view
  const fields = found === null || typeof found !== 'object' || Array.isArray(found) ? [] : Object.entries(found)
  const shown = fields.map(([label, value]): Pick<Field, 'label' | 'shown'> => {
    return { label, shown: { as: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) } }
  })
  return { name: 'result', bytesMax: 3_500, rows: fieldRows(shown, inbox.timeZone), wrap: fieldList }
}

/** The preview in full: every field, and a title that heads the page but is too long for that. */
export function previewSection({ inbox }: PageCall, { form }: OpenedProposal): LongSection {
  const { title, fields } = form
  const longTitle: readonly Pick<Field, 'label' | 'shown'>[] =
    title === null || isBrief(title) ? [] : [{ label: 'Title', shown: { as: 'note', text: title } }]
  const rows = fieldRows([...longTitle, ...fields], inbox.timeZone)
  return { name: 'preview', bytesMax: 12_000, rows, wrap: fieldList }
}

function fieldList(rows: readonly Html[]): Html {
  return html`<dl class="fields">${rows}</dl>`
}

function erasedPage({ inbox }: PageCall, { view }: OpenedRemains): Page {
  const { tombstone, attention } = view
  return {
    title: 'Erased',
    tag: tagOf([tombstone.revision, view.evidence]),
    main: html`<h1>Its content is erased</h1>
<p>${tombstone.action} · ${STATUS_WORDS[tombstone.status]} · erased ${shownInstant(tombstone.erasedAt, inbox.timeZone)}</p>
${attention.map((flag) => html`<p class="wrong">⚠ ${ATTENTION_WORDS[flag]}</p>`)}
<p class="quiet">Proposal <code>${tombstone.ref}</code>. What is left says that it was there, and bars it from being done again.</p>`,
  }
}
