// The rows of a preview: one for each field, or several for a field that is too large for a part of a page.
import { html, NOTHING } from '../html.ts'
import { briefLine, bytesOf, pieces } from '../text/pieces.ts'
import type { Field, Shown } from './form.ts'
import { NOTES_BYTES_MAX, renderField, renderNotes, renderPiece, renderText } from './render-value.ts'
import { rendered, type Row } from './row.ts'

/** No row takes more, so that any number of parts can be made of them. */
const ROW_BYTES = 3_000
const PIECE_BYTES = 2_000
const LABEL_CHARACTERS = 80
/** The elements of a row, without what is in them. */
const FRAME_BYTES = 160
/** Nothing in it is marked or needs a note, so that its size is known before it is rendered. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/

type Labelled = Pick<Field, 'label' | 'shown'>

/** All of the fields, in rows of a `dl`. Nothing is left out: a long text is several rows, and so is a long list. */
export function fieldRows(fields: readonly Labelled[], timeZone: string): readonly Row[] {
  return fields.flatMap((field) => rowsOf(field, timeZone))
}

function rowsOf(field: Labelled, timeZone: string): readonly Row[] {
  if (charactersOf(field.shown) + field.label.length <= ROW_BYTES) {
    const whole = plainRow(field, timeZone) ?? rendered(renderField(field, timeZone))
    if (whole.bytes <= ROW_BYTES) return [whole]
  }
  const { label, shown } = field
  if (label.length > LABEL_CHARACTERS) {
    const short = briefLine(label).slice(0, LABEL_CHARACTERS)
    return [
      ...textRows('The name of what follows', label),
      ...rowsOf({ label: `${short.toWellFormed()}…`.slice(0, LABEL_CHARACTERS), shown }, timeZone),
    ]
  }
  return split({ label, shown }, timeZone)
}

// Most rows of a list that is meant to be long are such.
function plainRow(field: Labelled, timeZone: string): Row | null {
  const { label, shown } = field
  if (shown.as !== 'text' || !PLAIN.test(shown.text) || !PLAIN.test(label)) return null
  return { bytes: FRAME_BYTES + bytesOf(label) + bytesOf(shown.text), render: () => renderField(field, timeZone) }
}

function split({ label, shown }: Labelled, timeZone: string): readonly Row[] {
  switch (shown.as) {
    case 'text':
    case 'party':
      return textRows(label, shown.text)
    case 'note':
      return textRows(label, shown.text, { lines: true })
    case 'list':
      return fieldRows(
        shown.items.map((item, index) => ({ label: `${label}, no. ${index + 1}`, shown: item })),
        timeZone,
      )
    case 'fields':
      return fieldRows(
        shown.fields.map((inner) => ({ label: `${label}, ${inner.label}`, shown: inner.shown })),
        timeZone,
      )
    case 'identifier':
      return [
        ...(shown.before === undefined ? [] : textRows(`${label}, before`, shown.before ?? '')),
        ...textRows(shown.before === undefined ? label : `${label}, new`, shown.text ?? ''),
      ]
    case 'nothing':
    case 'money':
    case 'day':
    case 'instant':
      return [rendered(renderField({ label, shown }, timeZone))]
  }
}

function textRows(label: string, text: string, options: { readonly lines?: boolean } = {}): readonly Row[] {
  const all = [...pieces(text, PIECE_BYTES, options)]
  if (all.length === 0) return [rendered(renderField({ label, shown: { as: 'text', text } }, ''))]
  const name = renderText(label)
  const frame = FRAME_BYTES + Buffer.byteLength(name.toString())
  return all.map(({ parts, bytes }, index) => {
    const which = all.length === 1 ? '' : ` (${index + 1} of ${all.length})`
    const isFirst = index === 0
    return {
      bytes: frame + bytes + (isFirst ? NOTES_BYTES_MAX : 0),
      render: () =>
        html`<div><dt>${name}${which}</dt><dd>${renderPiece(parts)}${isFirst ? renderNotes(text, options) : NOTHING}</dd></div>`,
    }
  })
}

// Looked at before anything is rendered, so that what is nested deep is not rendered once for each level.
function charactersOf(shown: Shown): number {
  switch (shown.as) {
    case 'list':
      return shown.items.reduce((sum, item) => sum + charactersOf(item), 0)
    case 'fields':
      return shown.fields.reduce((sum, field) => sum + field.label.length + charactersOf(field.shown), 0)
    case 'text':
    case 'party':
    case 'note':
      return shown.text.length
    case 'identifier':
      return (shown.text?.length ?? 0) + (shown.before?.length ?? 0)
    case 'nothing':
    case 'money':
    case 'day':
    case 'instant':
      return 40
  }
}
