// What needs a person: effects in doubt, unresolved or other than approved, oldest first.
import { html, type Html, NOTHING } from '../html.ts'
import { type Page, tagOf } from '../page.ts'
import type { PageCall } from '../page-call.ts'
import { shownDuration, shownInstant } from '../text/amounts-and-times.ts'
import { type Entry, type Found, opened, search } from './entries.ts'
import { entryLine, statusOf } from './entry-line.ts'
import { pageOf } from './paging.ts'

/** `/inbox/attention`. Spec: http "The inbox page". */
export async function attentionPage(call: PageCall): Promise<Page> {
  const { runtime, session } = call
  const all = (): boolean => true
  const inDoubt = {
    statuses: ['executing', 'verification_pending', 'failed_unknown', 'verification_unresolved'],
  } as const
  const searches = await Promise.all([
    search(runtime, session, { needsPerson: true }, all),
    search(runtime, session, inDoubt, all),
  ])
  const byRef = new Map(searches.flatMap(({ found }) => found).map((one) => [one.item.proposal, one]))
  const sorted = [...byRef.values()].toSorted(oldestFirst)
  const { shown, links } = pageOf(call, '/inbox/attention', sorted)
  const entries = await opened(runtime, session, shown)
  return {
    title: 'Needs a person',
    tab: 'attention',
    tag: tagOf(sorted.map(({ item, standing }) => [item.proposal, item.revision, standing.nextLookAt])),
    whenChanged: 'reload',
    main: html`<h1>Needs a person</h1>
<p class="quiet">What was sent and is not settled, and what the evidence raised a question about.</p>
${
  entries.length === 0
    ? html`<p class="empty">Nothing is in doubt.</p>`
    : html`<ul class="entries">${entries.map((entry) => line(call, entry))}</ul>`
}
${links}
${searches.some(({ isCutShort }) => isCutShort) ? html`<p class="wrong">There are more than were looked at.</p>` : NOTHING}`,
  }
}

function line(call: PageCall, entry: Entry): Html {
  const { now, inbox } = call
  const { item, standing } = entry
  const next = standing.nextLookAt
  return entryLine(
    call,
    entry,
    html`${statusOf(entry)}<p>Prepared ${shownDuration(now - item.createdAt)} ago · ${
      next === null
        ? 'no further look is planned'
        : next <= now
          ? 'a look is due now'
          : `next look in ${shownDuration(next - now)}, ${shownInstant(next, inbox.timeZone)}`
    }</p>`,
  )
}

function oldestFirst({ item: a }: Found, { item: b }: Found): number {
  return a.createdAt - b.createdAt || (a.proposal < b.proposal ? -1 : 1)
}
