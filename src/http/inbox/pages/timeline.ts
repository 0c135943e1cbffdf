// The timeline of a proposal: its receipts in words, and what of it is new since a page was opened.
import type { Receipt } from '../../../proposal/receipts/receipt.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { renderText } from '../preview/render-value.ts'
import { shownInstant } from '../text/amounts-and-times.ts'
import { RECEIPT_WORDS } from '../words/receipt-words.ts'
import { STATUS_WORDS } from '../words/status-words.ts'
import type { OpenedProposal } from './opened-proposal.ts'

/** Of a longer chain the older part is behind a click. */
const OPEN_RECEIPTS = 12

/** All of it, newest last. */
export function timeline({ receipts, isWhole }: OpenedProposal, timeZone: string): Html {
  const lines = receipts.map((receipt) => receiptLine(receipt, timeZone))
  const older = lines.slice(0, -OPEN_RECEIPTS)
  return html`<section aria-labelledby="timeline"><h2 id="timeline">What happened</h2>
${isWhole ? NOTHING : html`<p class="wrong">The chain of receipts is not whole. Tell an operator before you decide.</p>`}
${
  older.length === 0
    ? NOTHING
    : html`<details><summary>Show ${older.length} older entries</summary><ol class="timeline">${older}</ol></details>`
}
<ol class="timeline" start="${older.length + 1}">${lines.slice(-OPEN_RECEIPTS)}</ol></section>`
}

/** What happened after a revision; nothing if nothing did. */
export function changesSince({ receipts }: OpenedProposal, revision: number, timeZone: string): Html {
  const since = receipts.filter(({ sequence }) => sequence > revision + 1)
  if (since.length === 0) return NOTHING
  return html`<section class="notice" aria-labelledby="since"><h2 id="since">Since you opened it</h2>
<ol class="timeline">${since.map((receipt) => receiptLine(receipt, timeZone))}</ol></section>`
}

function receiptLine({ body }: Receipt, timeZone: string): Html {
  if (body === null) return html`<li>Erased</li>`
  const { type, at, participant, reason, detail, status, externalReference } = body
  return html`<li><strong>${RECEIPT_WORDS[type]}</strong>${
    participant === null ? NOTHING : html`, by ${renderText(participant)}`
  } <span class="quiet">${shownInstant(at, timeZone)} · ${STATUS_WORDS[status]}${
    reason === null ? NOTHING : html` · ${renderText(reason)}`
  }${externalReference === null ? NOTHING : html` · ${type === 'operation.settled' ? 'evidence is kept at' : 'the provider calls it'} ${renderText(externalReference)}`}${detail.map(
    (one) => html` · ${renderText(one)}`,
  )}</span></li>`
}
