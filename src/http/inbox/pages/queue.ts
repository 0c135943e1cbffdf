// The queue: what waits for the viewer, nearest to its end first.
import type { ListInput } from '../../../runtime/list.ts'
import { html, type Html } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { type Entry, opened, type Search, search } from './entries.ts'
import { agesOf, entryLine } from './entry-line.ts'
import { pageLinks, placeIn } from './paging.ts'

/** `/inbox`. An entry is there as long as an approval of the viewer's can still count. Spec: http "The inbox page". */
export async function queuePage(call: PageCall): Promise<Page> {
  const { runtime, session, query } = call
  const filter = filterOf(query)
  const page = await search(
    runtime,
    session,
    { ...filter, order: 'expiry', ...placeIn(call) },
    ({ standing }) => standing.approval === 'counts',
  )
  return {
    title: titleOf(page, query),
    tab: 'queue',
    tag: tagOf(page.found.map(({ item }) => [item.proposal, item.revision])),
    whenChanged: 'reload',
    main: async () => {
      const entries = await opened(runtime, session, page.found)
      return html`<h1>Waits for me</h1>
${await filterForm(call)}
${entries.length === 0 ? emptyState(filter, page) : html`<ul class="entries">${entries.map((entry) => line(call, entry))}</ul>`}
${pageLinks(call, '/inbox', page)}`
    },
  }
}

// How many there are in all nobody counts; a title never says less than it knows.
function titleOf({ found, next }: Search, query: URLSearchParams): string {
  const isAll = next === null && (query.get('after') ?? '') === ''
  if (isAll) return found.length === 0 ? 'Nothing waits for you' : `${found.length} wait for you`
  return found.length === 0 ? 'Waits for me' : `${found.length} or more wait for you`
}

function line(call: PageCall, entry: Entry): Html {
  return entryLine(call, entry, agesOf(call, entry))
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

function emptyState(filter: Filter, { next }: Search): Html {
  if (next !== null) return html`<p class="empty">Nothing so far.</p>`
  return Object.keys(filter).length === 0
    ? html`<p class="empty">Nothing waits for you. What others decide is not shown here.</p>`
    : html`<p class="empty">Nothing of this kind waits for you.</p>`
}
