// My decisions: what the viewer decided, and what became of it, the newest proposals first.
import { principalName } from '../../../proposal/principal.ts'
import { parseSession } from '../../../proposal/session.ts'
import { html, type Html } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { shownInstant } from '../text/amounts-and-times.ts'
import { type Entry, opened, search } from './entries.ts'
import { entryLine, statusOf } from './entry-line.ts'
import { pageLinks, placeIn } from './paging.ts'

/** `/inbox/decided`. Spec: http "The inbox page". */
export async function decidedPage(call: PageCall): Promise<Page> {
  const { runtime, session } = call
  const decidedBy = principalName(parseSession(session).principal)
  const page = await search(runtime, session, { decidedBy, ...placeIn(call) }, () => true)
  return {
    title: 'My decisions',
    tab: 'decided',
    tag: tagOf(page.found.map(({ item }) => [item.proposal, item.revision])),
    whenChanged: 'reload',
    main: async () => {
      const entries = await opened(runtime, session, page.found)
      return html`<h1>My decisions</h1>
<p class="quiet">The newest proposals come first.</p>
${
  entries.length === 0
    ? html`<p class="empty">${page.next === null ? 'You have decided nothing yet.' : 'Nothing so far.'}</p>`
    : html`<ul class="entries">${entries.map((entry) => line(call, entry))}</ul>`
}
${pageLinks(call, '/inbox/decided', page)}`
    },
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
