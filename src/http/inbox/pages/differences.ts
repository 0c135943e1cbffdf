// What differs: the fields that moved since this was prepared, and those in which it differs from what it replaces.
import { DRIFT_PATHS_MAX } from '../../../proposal/content/drift.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { wholeChanges } from '../preview/changes.ts'
import { type Field, fieldAt } from '../preview/form.ts'
import { renderBrief, renderPiece, renderShown } from '../preview/render-value.ts'
import { rendered } from '../preview/row.ts'
import { pieces } from '../text/pieces.ts'
import { STATUS_WORDS } from '../words/status-words.ts'
import type { OpenedProposal } from './opened-proposal.ts'
import { firstPart, type LongSection } from './parts.ts'

/** Drift, replacement and related proposals, as far as there are any. */
export function differences(call: PageCall, opened: OpenedProposal): Html {
  return html`${drifted(call, opened)}${replaced(call, opened)}${related(call, opened)}`
}

// Values that moved are never stored: what they are now, the fresh proposal shows.
function drifted(call: PageCall, opened: OpenedProposal): Html {
  const { driftPaths, replacedBy, supersededBy } = opened.view
  const moved =
    driftPaths.length === 0
      ? NOTHING
      : html`<section class="notice" aria-labelledby="drift"><h2 id="drift">Changed since it was prepared</h2>${firstPart(call, opened, driftSection(opened))}${cutShort(driftPaths.length)}</section>`
  const link = (ref: string, words: string): Html => {
    return html`<p class="notice">${words} <a href="${proposalPath(call.base, ref)}">Open it</a></p>`
  }
  return html`${moved}${replacedBy === null ? NOTHING : link(replacedBy, 'A fresh proposal stands in its place.')}${
    supersededBy === null ? NOTHING : link(supersededBy, 'Another proposal did it.')
  }`
}

export function driftSection({ view, schema }: OpenedProposal): LongSection {
  const rows = view.driftPaths.flatMap((path) => {
    const [first, ...more] = pieces(path, PIECE_BYTES)
    const { label } = fieldAt(schema, path, null)
    return [
      html`<li>${renderBrief(label, '…')} <code>${renderPiece(first?.parts ?? [])}</code></li>`,
      ...more.map(({ parts }) => html`<li>and further: <code>${renderPiece(parts)}</code></li>`),
    ]
  })
  return { name: 'drift', bytesMax: 3_000, rows: rows.map(rendered), wrap: (some) => html`<ul>${some}</ul>` }
}

function replaced(call: PageCall, opened: OpenedProposal): Html {
  const { replaces, changedSinceReplaced } = opened.view
  if (replaces === null) return NOTHING
  const section = replacedSection(call, opened)
  return html`<section class="notice" aria-labelledby="replaces"><h2 id="replaces">In place of another proposal</h2>
<p>Approvals of the other one do not count here. <a href="${proposalPath(call.base, replaces)}">Open the other one</a></p>
${
  section.rows.length === 0
    ? html`<p>Both show the same.</p>`
    : html`${firstPart(call, opened, section)}${cutShort(changedSinceReplaced.length)}`
}</section>`
}

// What is too long to be compared side by side is shown below in full, and on the page of the other one.
export function replacedSection({ inbox }: PageCall, { view, schema }: OpenedProposal): LongSection {
  const cell = (field: Field): Html => {
    const whole = renderShown(field.shown, inbox.timeZone)
    if (Buffer.byteLength(whole.toString()) <= CELL_BYTES) return whole
    return html`${renderBrief('text' in field.shown ? (field.shown.text ?? '') : '', '…')} <em>too long for a table: both stand in full in their previews</em>`
  }
  const rows = wholeChanges(view.preview, view.changedSinceReplaced).map(({ path, before, after }) => {
    const [old, now] = [fieldAt(schema, path, before), fieldAt(schema, path, after)]
    return html`<tr><th scope="row">${renderBrief(now.label, '…')}</th><td>${cell(old)}</td>
<td>${cell(now)}</td></tr>`
  })
  return {
    name: 'replaces',
    bytesMax: 5_000,
    rows: rows.map(rendered),
    wrap: (some) =>
      html`<div class="wide"><table><thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead><tbody>${some}</tbody></table></div>`,
  }
}

const PIECE_BYTES = 1_000
const CELL_BYTES = 1_500

function related(call: PageCall, opened: OpenedProposal): Html {
  if (opened.view.related.length === 0) return NOTHING
  return html`<section class="notice" aria-labelledby="related"><h2 id="related">⚠ There are related proposals</h2>
<p>Look at them before you decide, so that nothing is done twice.</p>${firstPart(call, opened, relatedSection(call, opened))}</section>`
}

export function relatedSection({ base }: PageCall, { view }: OpenedProposal): LongSection {
  const rows = view.related.map(
    ({ proposal, action, status, sameEffect }) =>
      html`<li><a href="${proposalPath(base, proposal)}">${
        sameEffect ? 'The same effect' : 'About the same subject'
      }: ${STATUS_WORDS[status]}</a> <span class="quiet">${action}</span></li>`,
  )
  return { name: 'related', bytesMax: 4_000, rows: rows.map(rendered), wrap: (some) => html`<ul>${some}</ul>` }
}

function cutShort(shown: number): Html {
  return shown < DRIFT_PATHS_MAX ? NOTHING : html`<p>These are the first ${shown}.</p>`
}
