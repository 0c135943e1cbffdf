// My decisions: what the viewer decided, and what became of it, newest first.
import { html, type Html, NOTHING } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { shownInstant } from '../text/amounts-and-times.ts'
import { type Entry, opened, search } from './entries.ts'
import { entryLine, statusOf } from './entry-line.ts'
import { pageOf } from './paging.ts'

/** `/inbox/decided`. Spec: http "The inbox page". */
export async function decidedPage(call: PageCall): Promise<Page> {
  const { runtime, session } = call
  const { found, isCutShort } = await search(runtime, session, {}, ({ standing }) => standing.decisions.length > 0)
  const sorted = found.toSorted((a, b) => lastDecision(b) - lastDecision(a))
  const { shown, links } = pageOf(call, '/inbox/decided', sorted)
  const entries = await opened(runtime, session, shown)
  return {
    title: 'My decisions',
    tab: 'decided',
    tag: tagOf(sorted.map(({ item }) => [item.proposal, item.revision])),
    whenChanged: 'reload',
    main: html`<h1>My decisions</h1>
${
  entries.length === 0
    ? html`<p class="empty">You have decided nothing yet.</p>`
    : html`<ul class="entries">${entries.map((entry) => line(call, entry))}</ul>`
}
${links}
${isCutShort ? html`<p class="quiet">Only the newest proposals were looked at.</p>` : NOTHING}`,
  }
}

function line(call: PageCall, entry: Entry): Html {
  const decisions = entry.standing.decisions.map(({ decision, decidedAt, revokedAt }) => {
    const at = shownInstant(decidedAt, call.inbox.timeZone)
    const words = decision === 'approve' ? `You approved it, ${at}` : `You rejected it, ${at}`
    return html`<p>${words}${revokedAt === null ? '' : ', and took that back'}.</p>`
  })
  return entryLine(call, entry, html`${statusOf(entry)}${decisions}`)
}

function lastDecision({ standing }: Pick<Entry, 'standing'>): number {
  return Math.max(...standing.decisions.map(({ decidedAt, revokedAt }) => revokedAt ?? decidedAt))
}
