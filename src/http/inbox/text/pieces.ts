// Pieces of a long text: runs of its visible parts, none of which takes more than so many bytes of HTML, and all of which are the text.
import { eachVisiblePart, type TextPart } from './visible-text.ts'

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** A mark, or a line break, with the elements around it. */
const MARK_BYTES = 90
/** A character after it is escaped, at the most. */
const ESCAPED_BYTES = 6

/** A piece, and what it takes as HTML at the most. */
export interface Piece {
  readonly parts: readonly TextPart[]
  readonly bytes: number
}

/**
 * The text cut between characters that are seen as one. What is a mark in the whole text is a mark in its piece, and only
 * a character that is longer than a piece by itself is cut.
 */
export function* pieces(
  text: string,
  bytesMax: number,
  options: { readonly lines?: boolean } = {},
): Generator<Piece, void> {
  let parts: TextPart[] = []
  let bytes = 0
  for (const { part, cost } of smallest(text, bytesMax, options)) {
    if (parts.length > 0 && bytes + cost > bytesMax) {
      yield { parts, bytes }
      parts = []
      bytes = 0
    }
    const last = parts.at(-1)
    if (part.kind === 'plain' && last?.kind === 'plain')
      parts[parts.length - 1] = { ...last, text: last.text + part.text }
    else parts.push(part)
    bytes += cost
  }
  if (parts.length > 0) yield { parts, bytes }
}

/** The first piece of a text, and whether it is all of it; the rest is not looked at. */
export function firstPiece(
  text: string,
  bytesMax: number,
  options: { readonly lines?: boolean } = {},
): Piece & { readonly isAll: boolean } {
  const all = pieces(text, bytesMax, options)
  const first = all.next()
  if (first.done === true) return { parts: [], bytes: 0, isAll: true }
  return { ...first.value, isAll: all.next().done === true }
}

function* smallest(
  text: string,
  bytesMax: number,
  options: { readonly lines?: boolean },
): Generator<{ readonly part: TextPart; readonly cost: number }, void> {
  for (const part of eachVisiblePart(text, options)) {
    if (part.kind === 'plain') {
      for (const { segment } of GRAPHEMES.segment(part.text)) {
        for (const run of runs(segment, bytesMax)) yield { part: { kind: 'plain', text: run }, cost: bytesOf(run) }
      }
    } else yield { part, cost: MARK_BYTES }
  }
}

// Accents without end on one letter would be one character, which no page could hold.
function runs(grapheme: string, bytesMax: number): readonly string[] {
  const length = Math.max(1, Math.floor(bytesMax / ESCAPED_BYTES / 2))
  if (grapheme.length <= length) return [grapheme]
  const points = [...grapheme]
  return Array.from({ length: Math.ceil(points.length / length) }, (_, index) =>
    points.slice(index * length, (index + 1) * length).join(''),
  )
}

/** What a text takes once it is escaped. */
export function bytesOf(text: string): number {
  const escaped = text.match(/[&<>"']/g)?.length ?? 0
  return Buffer.byteLength(text) + escaped * (ESCAPED_BYTES - 1)
}

/** The beginning of a text in one line, for a title; a short one is whole. */
export function briefLine(text: string): string {
  const { parts, isAll } = firstPiece(text, LINE_BYTES)
  const line = parts.map((part) => (part.kind === 'mark' ? `[${part.code}]` : part.kind === 'plain' ? part.text : ' '))
  return line.join('') + (isAll ? '' : '…')
}

const LINE_BYTES = 400
