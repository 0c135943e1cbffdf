// Parts: what is too long for one page, in parts that follow each other, so that a page stays small and nothing is cut.
import { html, type Html, NOTHING } from '../html.ts'
import { type PageCall, proposalPath } from '../page-call.ts'
import type { Row } from '../preview/row.ts'
import type { OpenedProposal } from './opened-proposal.ts'

/** Rows that can go on over several pages; only those of the part that is asked for are rendered. */
export interface LongSection {
  /** In the address of its parts. */
  readonly name: 'preview' | 'replaces' | 'related' | 'drift' | 'decisions' | 'timeline' | 'result'
  /** What one part may take of a page. */
  readonly bytesMax: number
  readonly rows: readonly Row[]
  /** The rows within their list or table; `start` is the number of the first one, from 1. */
  readonly wrap: (rows: readonly Html[], start: number) => Html
}

/** One part of a section, with the way to the others. */
export interface ShownPart {
  readonly shown: Html
  readonly isLast: boolean
}

/** The part that is asked for, from 1; the last one where there is none so late. `to` leads to another one. */
export function partOf(section: LongSection, asked: number, to: (part: number) => string): ShownPart {
  const parts = portions(section)
  const part = Math.min(Math.max(1, asked), parts.length)
  const { rows, start } = parts[part - 1] ?? { rows: [], start: 1 }
  const link = (wanted: number, words: string): Html =>
    wanted < 1 || wanted > parts.length || wanted === part ? NOTHING : html` <a href="${to(wanted)}">${words}</a>`
  const links =
    parts.length === 1
      ? NOTHING
      : html`<nav class="parts" aria-label="${`Parts of ${section.name}`}"><strong>Part ${part} of ${parts.length}.</strong>${link(part + 1, 'Next part')}${link(part - 1, 'Part before')}${link(1, 'First part')}</nav>`
  const shown = section.wrap(
    rows.map((row) => row.render()),
    start,
  )
  return { shown: html`${shown}${links}`, isLast: part === parts.length }
}

/** The first part, as the page of the proposal has it. */
export function firstPart(call: PageCall, { view }: OpenedProposal, section: LongSection): Html {
  return partOf(section, 1, (part) => partPath(call, view.proposal, section.name, part)).shown
}

/** Where a part of a section is shown by itself. */
export function partPath({ base }: PageCall, ref: string, name: string, part: number): string {
  return `${proposalPath(base, ref, `/whole/${name}`)}?part=${part}`
}

/** The part that an address asks for. */
export function askedPart({ query }: PageCall): number {
  return Number(/^[1-9]\d{0,5}$/.exec(query.get('part') ?? '')?.[0] ?? 1)
}

interface Portion {
  readonly rows: readonly Row[]
  readonly start: number
}

function portions({ rows, bytesMax }: LongSection): readonly Portion[] {
  const found: { rows: Row[]; start: number }[] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const [index, row] of rows.entries()) {
    if (bytes + row.bytes > bytesMax) {
      found.push({ rows: [], start: index + 1 })
      bytes = 0
    }
    found.at(-1)?.rows.push(row)
    bytes += row.bytes
  }
  return found.length === 0 ? [{ rows: [], start: 1 }] : found
}
