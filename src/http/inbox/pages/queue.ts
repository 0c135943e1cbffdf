// The queue: what waits for the viewer, nearest to its end first.
import type { ListInput } from '../../../runtime/list.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { type Entry, type Found, opened, search } from './entries.ts'
import { agesOf, entryLine } from './entry-line.ts'
import { pageOf } from './paging.ts'

/** `/inbox`. An entry is there as long as an approval of the viewer's can still count. Spec: http "The inbox page". */
export async function queuePage(call: PageCall): Promise<Page> {
  const { runtime, session, query } = call
  const filter = filterOf(query)
  const { found, isCutShort } = await search(
    runtime,
    session,
    { ...filter, statuses: ['awaiting_approval', 'approved'] },
    ({ standing }) => standing.approval === 'counts',
  )
  const sorted = found.toSorted(nearestFirst)
  const { shown, links } = pageOf(call, '/inbox', sorted)
  const entries = await opened(runtime, session, shown)
  return {
    title: found.length === 0 ? 'Nothing waits for you' : `${found.length} wait for you`,
    tab: 'queue',
    tag: tagOf(sorted.map(({ item }) => [item.proposal, item.revision])),
    whenChanged: 'reload',
    main: html`<h1>Waits for me</h1>
${await filterForm(call)}
${entries.length === 0 ? emptyState(filter) : html`<ul class="entries">${entries.map((entry) => line(call, entry))}</ul>`}
${links}
${isCutShort ? html`<p class="wrong">There are more open proposals than were looked at; filter by action or requester.</p>` : NOTHING}`,
  }
}

function line(call: PageCall, entry: Entry): Html {
  return entryLine(call, entry, agesOf(call, entry))
}

function nearestFirst({ item: a }: Found, { item: b }: Found): number {
  return a.expiresAt - b.expiresAt || a.createdAt - b.createdAt || (a.proposal < b.proposal ? -1 : 1)
}

type Filter = Pick<ListInput, 'action' | 'requester'>

function filterOf(query: URLSearchParams): Filter {
  const [action, requester] = [query.get('action') ?? '', (query.get('requester') ?? '').trim()]
  return { ...(action === '' ? {} : { action }), ...(requester === '' ? {} : { requester }) }
}

async function filterForm({ runtime, session, base, query }: PageCall): Promise<Html> {
  const types = (await runtime.actions(session)).map(({ action }) => action.slice(0, action.lastIndexOf('@')))
  const chosen = query.get('action') ?? ''
  // What the list is filtered by is shown also where nobody can prepare it any more.
  const options = [...new Set(chosen === '' ? types : [...types, chosen])].map((name) =>
    name === chosen ? html`<option selected>${name}</option>` : html`<option>${name}</option>`,
  )
  return html`<form class="filter" method="get" action="${base}/inbox">
<div><label for="action">Action</label> <select id="action" name="action"><option value="">all</option>${options}</select></div>
<div><label for="requester">Requester</label> <input id="requester" name="requester" value="${
    query.get('requester') ?? ''
  }" placeholder="user:name" autocomplete="off"></div>
<button>Filter</button></form>`
}

function emptyState(filter: Filter): Html {
  return Object.keys(filter).length === 0
    ? html`<p class="empty">Nothing waits for you. What others decide is not shown here.</p>`
    : html`<p class="empty">Nothing of this kind waits for you.</p>`
}
