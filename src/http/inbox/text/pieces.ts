// Pieces of a long text: runs of its visible parts, none of which takes more than so many bytes of HTML, and all of which are the text.
import { type TextPart, visibleParts } from './visible-text.ts'

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** A mark, or a line break, with the elements around it. */
const MARK_BYTES = 90
/** A character after it is escaped, at the most. */
const ESCAPED_BYTES = 6

/**
 * The text cut between characters that are seen as one. What is a mark in the whole text is a mark in its piece, and only
 * a character that is longer than a piece by itself is cut.
 */
export function pieces(
  text: string,
  bytesMax: number,
  options: { readonly lines?: boolean } = {},
): readonly (readonly TextPart[])[] {
  const found: TextPart[][] = []
  let piece: TextPart[] = []
  let bytes = 0
  const add = (part: TextPart, cost: number): void => {
    if (piece.length > 0 && bytes + cost > bytesMax) {
      found.push(piece)
      piece = []
      bytes = 0
    }
    const last = piece.at(-1)
    if (part.kind === 'plain' && last?.kind === 'plain')
      piece[piece.length - 1] = { ...last, text: last.text + part.text }
    else piece.push(part)
    bytes += cost
  }
  for (const part of visibleParts(text, options)) {
    if (part.kind === 'plain') {
      for (const { segment } of GRAPHEMES.segment(part.text)) {
        for (const run of runs(segment, bytesMax)) add({ kind: 'plain', text: run }, bytesOf(run))
      }
    } else add(part, MARK_BYTES)
  }
  return piece.length === 0 ? found : [...found, piece]
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

function bytesOf(text: string): number {
  const escaped = text.match(/[&<>"']/g)?.length ?? 0
  return Buffer.byteLength(text) + escaped * (ESCAPED_BYTES - 1)
}

/** The beginning of a text in one line, for a title; a short one is whole. */
export function briefLine(text: string): string {
  const [first = [], ...more] = pieces(text, LINE_BYTES)
  const line = first.map((part) => (part.kind === 'mark' ? `[${part.code}]` : part.kind === 'plain' ? part.text : ' '))
  return line.join('') + (more.length === 0 ? '' : '…')
}

const LINE_BYTES = 400
