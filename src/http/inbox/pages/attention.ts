// What needs a person, and what is in doubt and still looked for by itself; each oldest first.
import { html, type Html } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { shownDuration, shownInstant } from '../text/amounts-and-times.ts'
import { type Entry, opened, type Search, search } from './entries.ts'
import { entryLine, statusOf } from './entry-line.ts'
import { pageLinks, placeIn } from './paging.ts'

const PATH = '/inbox/attention'
const IN_DOUBT = { statuses: ['executing', 'verification_pending', 'failed_unknown'], order: 'oldest' } as const

/** `/inbox/attention`. Spec: http "The inbox page". */
export async function attentionPage(call: PageCall): Promise<Page> {
  const { runtime, session } = call
  const [person, doubt] = await Promise.all([
    search(runtime, session, { needsPerson: true, order: 'oldest', ...placeIn(call) }, () => true),
    search(runtime, session, { ...IN_DOUBT, ...placeIn(call, 'doubt') }, ({ item }) => item.attention.length === 0),
  ])
  return {
    title: 'Needs a person',
    tab: 'attention',
    tag: tagOf([person, doubt].map(({ found }) => found.map(said))),
    whenChanged: 'reload',
    main: async () => html`<h1>Needs a person</h1>
<p class="quiet">What the evidence raised a question about, and what one operator settled and a second one must confirm.</p>
${await entriesOf(call, person, 'Nothing asks for a person.')}
${pageLinks(call, PATH, person)}
<h2>In doubt</h2>
<p class="quiet">What was sent and is not settled. It is looked for by itself.</p>
${await entriesOf(call, doubt, 'Nothing is in doubt.')}
${pageLinks(call, PATH, doubt, 'doubt')}`,
  }
}

function said({ item, standing }: Search['found'][number]): readonly unknown[] {
  return [item.proposal, item.revision, standing.nextLookAt]
}

async function entriesOf(call: PageCall, { found, next }: Search, empty: string): Promise<Html> {
  const entries = await opened(call.runtime, call.session, found)
  if (entries.length > 0) return html`<ul class="entries">${entries.map((entry) => line(call, entry))}</ul>`
  return html`<p class="empty">${next === null ? empty : 'Nothing so far.'}</p>`
}

function line(call: PageCall, entry: Entry): Html {
  return entryLine(call, entry, html`${statusOf(entry)}<p>${ageOf(call, entry)} · ${nextLookOf(call, entry)}</p>`)
}

function ageOf({ now, inbox }: PageCall, { item, standing: { inDoubtSince: since } }: Entry): Html {
  if (since === null) return html`Prepared ${shownDuration(now - item.createdAt)} ago`
  return html`<strong>In doubt for ${shownDuration(now - since)}</strong> <span class="quiet">since ${shownInstant(since, inbox.timeZone)}</span>`
}

function nextLookOf({ now, inbox }: PageCall, { standing: { nextLookAt: next } }: Entry): string {
  if (next === null) return 'no further look is planned'
  if (next <= now) return 'a look is due now'
  return `next look in ${shownDuration(next - now)}, ${shownInstant(next, inbox.timeZone)}`
}
