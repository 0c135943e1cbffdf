// The pages of a list: which entries one shows, and the links to those before and after it.
import { html, type Html, NOTHING } from '../html.ts'
import type { PageCall } from '../page-call.ts'

/** So many entries are shown on one page, which keeps it small. */
const SHOWN_MAX = 50

/** One page of a list. */
export interface PageOf<Item> {
  readonly shown: readonly Item[]
  /** Which of how many these are, and the way to the others; nothing if these are all. */
  readonly links: Html
}

/**
 * The page that the address asks for with `page`, counted from 1; the last one where there is none so late, as entries
 * leave a list while people work on it. The filters of the address stay.
 */
export function pageOf<Item>({ base, query }: PageCall, path: string, all: readonly Item[]): PageOf<Item> {
  const last = Math.max(1, Math.ceil(all.length / SHOWN_MAX))
  const asked = /^[1-9]\d{0,5}$/.exec(query.get('page') ?? '')?.[0]
  const page = Math.min(last, Number(asked ?? 1))
  const start = (page - 1) * SHOWN_MAX
  const shown = all.slice(start, start + SHOWN_MAX)
  if (last === 1) return { shown, links: NOTHING }
  const link = (to: number, words: string): Html => {
    if (to < 1 || to > last) return NOTHING
    const others = [...query].filter(([name]) => name === 'action' || name === 'requester')
    const search = new URLSearchParams([...others, ['page', String(to)]])
    return html` <a href="${`${base}${path}?${search.toString()}`}">${words}</a>`
  }
  return {
    shown,
    links: html`<nav aria-label="Pages"><span>${start + 1} to ${start + shown.length} of ${all.length}</span>${link(
      page - 1,
      'Those before',
    )}${link(page + 1, 'Those after')}</nav>`,
  }
}
