// What differs: the fields that moved since this was prepared, and those in which it differs from what it replaces.
import { DRIFT_PATHS_MAX } from '../../../proposal/content/drift.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { wholeChanges } from '../preview/changes.ts'
import { fieldAt } from '../preview/form.ts'
import { renderShown, renderText } from '../preview/render-value.ts'
import { STATUS_WORDS } from '../words/status-words.ts'
import type { OpenedProposal } from './opened-proposal.ts'

/** Drift, replacement and related proposals, as far as there are any. */
export function differences(call: PageCall, opened: OpenedProposal): Html {
  return html`${drifted(call, opened)}${replaced(call, opened)}${related(call, opened)}`
}

// Values that moved are never stored: what they are now, the fresh proposal shows.
function drifted({ base }: PageCall, { view, schema }: OpenedProposal): Html {
  const { driftPaths, replacedBy, supersededBy } = view
  const paths = driftPaths.map(
    (path) => html`<li>${renderText(fieldAt(schema, path, null).label)} <code>${path}</code></li>`,
  )
  const moved =
    driftPaths.length === 0
      ? NOTHING
      : html`<section class="notice" aria-labelledby="drift"><h2 id="drift">Changed since it was prepared</h2><ul>${paths}</ul>${cutShort(paths.length)}</section>`
  const link = (ref: string, words: string): Html => {
    return html`<p class="notice">${words} <a href="${proposalPath(base, ref)}">Open it</a></p>`
  }
  return html`${moved}${replacedBy === null ? NOTHING : link(replacedBy, 'A fresh proposal stands in its place.')}${
    supersededBy === null ? NOTHING : link(supersededBy, 'Another proposal did it.')
  }`
}

function replaced({ base, inbox }: PageCall, { view, schema }: OpenedProposal): Html {
  if (view.replaces === null) return NOTHING
  const rows = wholeChanges(view.preview, view.changedSinceReplaced).map(({ path, before, after }) => {
    const [old, now] = [fieldAt(schema, path, before), fieldAt(schema, path, after)]
    return html`<tr><th scope="row">${renderText(now.label)}</th><td>${renderShown(old.shown, inbox.timeZone)}</td>
<td>${renderShown(now.shown, inbox.timeZone)}</td></tr>`
  })
  return html`<section class="notice" aria-labelledby="replaces"><h2 id="replaces">In place of another proposal</h2>
<p>Approvals of the other one do not count here. <a href="${proposalPath(base, view.replaces)}">Open the other one</a></p>
${
  rows.length === 0
    ? html`<p>Both show the same.</p>`
    : html`<div class="wide"><table><thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead><tbody>${rows}</tbody></table></div>${cutShort(view.changedSinceReplaced.length)}`
}</section>`
}

function cutShort(count: number): Html {
  if (count < DRIFT_PATHS_MAX) return NOTHING
  return html`<p>These are the first ${DRIFT_PATHS_MAX}. There may be more: open the other one to see all of it.</p>`
}

function related({ base }: PageCall, { view }: OpenedProposal): Html {
  if (view.related.length === 0) return NOTHING
  const lines = view.related.map(
    ({ proposal, action, status, sameEffect }) =>
      html`<li><a href="${proposalPath(base, proposal)}">${
        sameEffect ? 'The same effect' : 'About the same subject'
      }: ${STATUS_WORDS[status]}</a> <span class="quiet">${action}</span></li>`,
  )
  return html`<section class="notice" aria-labelledby="related"><h2 id="related">⚠ There are related proposals</h2>
<p>Look at them before you decide, so that nothing is done twice.</p><ul>${lines}</ul></section>`
}
