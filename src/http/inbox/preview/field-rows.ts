// The rows of a preview: one for each field, or several for a field that is too large for a part of a page.
import { html, type Html, NOTHING } from '../html.ts'
import { briefLine, pieces } from '../text/pieces.ts'
import type { Field, Shown } from './form.ts'
import { renderField, renderNotes, renderPiece, renderText } from './render-value.ts'

/** No row takes more, so that any number of parts can be made of them. */
const ROW_BYTES = 3_000
const PIECE_BYTES = 2_000
const LABEL_CHARACTERS = 80

type Labelled = Pick<Field, 'label' | 'shown'>

/** All of the fields, in rows of a `dl`. Nothing is left out: a long text is several rows, and so is a long list. */
export function fieldRows(fields: readonly Labelled[], timeZone: string): readonly Html[] {
  return fields.flatMap((field) => rowsOf(field, timeZone))
}

function rowsOf(field: Labelled, timeZone: string): readonly Html[] {
  if (charactersOf(field.shown) + field.label.length <= ROW_BYTES) {
    const whole = renderField(field, timeZone)
    if (Buffer.byteLength(whole.toString()) <= ROW_BYTES) return [whole]
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

function split({ label, shown }: Labelled, timeZone: string): readonly Html[] {
  switch (shown.as) {
    case 'text':
    case 'party':
    case 'note':
      return textRows(label, shown.text)
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
      return [renderField({ label, shown }, timeZone)]
  }
}

function textRows(label: string, text: string): readonly Html[] {
  const all = pieces(text, PIECE_BYTES, { lines: true })
  if (all.length === 0) return [renderField({ label, shown: { as: 'text', text } }, '')]
  return all.map((piece, index) => {
    const part = all.length === 1 ? '' : ` (${index + 1} of ${all.length})`
    const notes = index === 0 ? renderNotes(text) : NOTHING
    return html`<div><dt>${renderText(label)}${part}</dt><dd>${renderPiece(piece)}${notes}</dd></div>`
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
