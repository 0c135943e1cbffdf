// The pages of a list: the way back to its beginning and on to what comes after.
import { html, type Html, NOTHING } from '../html.ts'
import type { PageCall } from '../page-call.ts'
import type { Search } from './entries.ts'

/** Where the page begins that is asked for. `name` tells the lists of one address apart. */
export function placeIn({ query }: PageCall, name = 'after'): { readonly after?: string } {
  const after = query.get(name) ?? ''
  return after === '' ? {} : { after }
}

/**
 * The links of a page; nothing if it is all there is. Pages follow each other by key, so that none of them depends on how
 * many there are, and nothing is shown twice or left out while people work on the list. The filters of the address stay.
 */
export function pageLinks({ base, query }: PageCall, path: string, { next }: Search, name = 'after'): Html {
  const isFirst = (query.get(name) ?? '') === ''
  if (isFirst && next === null) return NOTHING
  const to = (after: string | null, words: string): Html => {
    const others = [...query].filter(([one]) => KEPT.has(one) && one !== name)
    const place: [string, string][] = after === null ? [] : [[name, after]]
    const search = new URLSearchParams([...others, ...place]).toString()
    return html` <a href="${`${base}${path}${search === '' ? '' : `?${search}`}`}">${words}</a>`
  }
  return html`<nav aria-label="Pages"><span>${
    next === null ? 'These are the last.' : 'This is not all: the list goes on.'
  }</span>${isFirst ? NOTHING : to(null, 'To the first')}${next === null ? NOTHING : to(next, 'Those after')}</nav>`
}

const KEPT: ReadonlySet<string> = new Set(['action', 'requester', 'after', 'doubt'])
