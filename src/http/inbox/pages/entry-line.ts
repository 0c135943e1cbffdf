// One line of a list: the amount and what it is about, who asks for it, how old it is and how long it waits.
import { principalName, samePrincipal } from '../../../proposal/principal.ts'
import { html, type Html, NOTHING } from '../html.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import { renderBrief, renderNotes, renderText } from '../preview/render-value.ts'
import { shownDuration, shownInstant, shownMoney } from '../text/amounts-and-times.ts'
import { ATTENTION_WORDS, STATUS_WORDS } from '../words/status-words.ts'
import type { Entry } from './entries.ts'

/** A line, with what a list adds to it. */
export function entryLine({ base }: PageCall, entry: Entry, added: Html): Html {
  const { view, form } = entry
  const amount = form.amount === null ? NOTHING : html`<bdi class="money">${shownMoney(form.amount)}</bdi> `
  const [target, title] = [form.target ?? view.action, form.title ?? view.action]
  const misleads = [target, title].some((text) => renderNotes(text) !== NOTHING)
  return html`<li class="entry"><a href="${proposalPath(base, view.proposal)}">${amount}${renderBrief(target)}</a>
<p>${renderBrief(title)} <span class="quiet">${view.action}</span></p>
<p class="quiet">Asked for by ${requestedBy(entry)}</p>
${misleads ? html`<p class="wrong">⚠ has characters that mislead: its page says which</p>` : NOTHING}
${added}${view.contentAvailable ? NOTHING : html`<p class="wrong">Its content cannot be opened.</p>`}</li>`
}

/** How old it is and how long it still waits. */
export function agesOf({ now, inbox }: PageCall, { item }: Entry): Html {
  const left = item.expiresAt - now
  return html`<p>Prepared ${shownDuration(now - item.createdAt)} ago · ${
    left > 0 ? html`<strong>${shownDuration(left)} left</strong>` : html`<strong>expired</strong>`
  } <span class="quiet">until ${shownInstant(item.expiresAt, inbox.timeZone)}</span></p>`
}

/** Its status, and what a person must look at. */
export function statusOf({ item }: Pick<Entry, 'item'>): Html {
  return html`<p><span class="status">${STATUS_WORDS[item.status]}</span></p>${item.attention.map(
    (flag) => html`<p class="wrong">${ATTENTION_WORDS[flag]}</p>`,
  )}`
}

/** The requester; and the agent that proposes, and for whom. */
export function requestedBy({ view }: Pick<Entry, 'view'>): Html {
  const { requester, agent, agentOwner } = view
  const owner = agentOwner === null ? NOTHING : html`, for ${renderText(principalName(agentOwner))}`
  if (agent === null) return html`${renderText(principalName(requester))}${owner}`
  const through = html`the agent ${renderText(principalName(agent))}${owner}`
  return samePrincipal(requester, agent) ? through : html`${renderText(principalName(requester))}, through ${through}`
}
