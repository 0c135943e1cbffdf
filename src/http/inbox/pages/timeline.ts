// The timeline of a proposal: its receipts in words, and what of it is new since a page was opened.
import type { Receipt } from '../../../proposal/receipts/receipt.ts'
import { html, type Html, NOTHING } from '../html.ts'
import type { PageCall } from '../page-call.ts'
import { renderBrief, renderText } from '../preview/render-value.ts'
import { rendered } from '../preview/row.ts'
import { shownInstant } from '../text/amounts-and-times.ts'
import { RECEIPT_WORDS } from '../words/receipt-words.ts'
import { STATUS_WORDS } from '../words/status-words.ts'
import type { OpenedProposal } from './opened-proposal.ts'
import { type LongSection, partPath } from './parts.ts'

/** Of a longer chain the older part is behind a click. */
const OPEN_RECEIPTS = 12
/** Details of one receipt; more are only the paths of a drift, which have a section of their own. */
const DETAILS_MAX = 6

/** So much of the older part is in the page itself; what is longer has pages of its own. */
const OLDER_BYTES = 2_500

/** All of it, newest last. */
export function timeline(call: PageCall, opened: OpenedProposal): Html {
  const { isWhole, view } = opened
  const rows = opened.receipts.map((receipt) => receiptLine(receipt, call.inbox.timeZone))
  const older = rows.slice(0, -OPEN_RECEIPTS)
  const isShort = older.reduce((sum, row) => sum + Buffer.byteLength(row.toString()), 0) <= OLDER_BYTES
  return html`<section aria-labelledby="timeline"><h2 id="timeline">What happened</h2>
${isWhole ? NOTHING : html`<p class="wrong">The chain of receipts is not whole. Tell an operator before you decide.</p>`}
${
  older.length === 0
    ? NOTHING
    : isShort
      ? html`<details><summary>Show ${older.length} older entries</summary><ol class="timeline">${older}</ol></details>`
      : html`<p><a href="${partPath(call, view.proposal, 'timeline', 1)}">Show all ${rows.length} entries, from the first</a></p>`
}
<ol class="timeline" start="${older.length + 1}">${rows.slice(-OPEN_RECEIPTS)}</ol></section>`
}

/** The whole of it, from the first. */
export function timelineSection({ receipts }: OpenedProposal, timeZone: string): LongSection {
  return {
    name: 'timeline',
    bytesMax: 20_000,
    rows: receipts.map((receipt) => rendered(receiptLine(receipt, timeZone))),
    wrap: (rows, start) => html`<ol class="timeline" start="${start}">${rows}</ol>`,
  }
}

/** What happened after a revision; nothing if nothing did. */
export function changesSince({ receipts }: OpenedProposal, revision: number, timeZone: string): Html {
  const since = receipts.filter(({ sequence }) => sequence > revision + 1)
  if (since.length === 0) return NOTHING
  return html`<section class="notice" aria-labelledby="since"><h2 id="since">Since you opened it</h2>
${since.length > OPEN_RECEIPTS ? html`<p>${since.length} things happened; these are the newest.</p>` : NOTHING}
<ol class="timeline">${since.slice(-OPEN_RECEIPTS).map((receipt) => receiptLine(receipt, timeZone))}</ol></section>`
}

function receiptLine({ body }: Receipt, timeZone: string): Html {
  if (body === null) return html`<li>Erased</li>`
  const { type, at, participant, reason, detail, status, externalReference } = body
  return html`<li><strong>${RECEIPT_WORDS[type]}</strong>${
    participant === null ? NOTHING : html`, by ${renderText(participant)}`
  } <span class="quiet">${shownInstant(at, timeZone)} · ${STATUS_WORDS[status]}${
    reason === null ? NOTHING : html` · ${renderText(reason)}`
  }${externalReference === null ? NOTHING : html` · ${type === 'operation.settled' ? 'evidence is kept at' : 'the provider calls it'} ${renderText(externalReference)}`}${detail.slice(0, DETAILS_MAX).map((one) => html` · ${renderBrief(one)}`)}${
    detail.length > DETAILS_MAX ? html` · and ${detail.length - DETAILS_MAX} more, which stand above` : NOTHING
  }</span></li>`
}
