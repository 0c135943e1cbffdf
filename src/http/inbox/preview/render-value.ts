// Values as HTML: every one isolated from its neighbours, every hidden character seen, every suspicion said in words.
import { type Content, html, type Html, NOTHING } from '../html.ts'
import { shownDate, shownInstant, shownMoney } from '../text/amounts-and-times.ts'
import { changedGroups, shownIdentifier } from '../text/identifier.ts'
import { firstPiece } from '../text/pieces.ts'
import { type Suspicion, suspicions } from '../text/scripts.ts'
import { type TextPart, visibleParts } from '../text/visible-text.ts'
import type { Field, Shown } from './form.ts'

/** Of a longer list the rest is behind a click, and all of it is in the page. */
const OPEN_ITEMS = 20

/** There are not many more characters that nobody sees; and no text may fill the memory. */
const MARKS_KEPT = 1_000

/** So much is said of one text; its characters are marked in their place in any case. */
const NOTES_MAX = 6

/** What that takes as HTML at the most. */
export const NOTES_BYTES_MAX = 3_000

/** A text of somebody else's, in one line or several. */
export function renderText(text: string, options: { readonly lines?: boolean } = {}): Html {
  if (text === '') return html`<span class="quiet">(empty)</span>`
  return html`<bdi class="text">${visibleParts(text, options).map(renderPart)}</bdi>`
}

/** So many bytes of HTML say what a text is about. */
const BRIEF_BYTES = 240

/** The beginning of a text in one line, where the whole of it is elsewhere; a short one is shown whole. */
export function renderBrief(text: string, rest = '… (the rest is on its page)'): Html {
  const { parts, isAll } = firstPiece(text, BRIEF_BYTES)
  if (isAll) return renderText(text)
  return html`${renderPiece(parts)}<span class="quiet">${rest}</span>`
}

/** Whether {@link renderBrief} shows all of it. */
export function isBrief(text: string): boolean {
  return firstPiece(text, BRIEF_BYTES).isAll
}

/** What a reader must be told about a text, in words. */
export function renderNotes(text: string, options: { readonly lines?: boolean } = {}): Html {
  const marks = visibleParts(text, options).flatMap((part) => (part.kind === 'mark' ? [part] : []))
  const named = new Map(marks.map(({ code, name }) => [code, `${code}, ${name}`]))
  const sentences = [
    ...(named.size === 0 ? [] : [`Contains what cannot be seen: ${[...named.values()].join('; ')}.`]),
    ...new Set(suspicions(text).map(suspicionWords)),
  ]
  const more = sentences.length - NOTES_MAX
  return sentences.length === 0
    ? NOTHING
    : html`<ul class="notes">${sentences.slice(0, NOTES_MAX).map((sentence) => html`<li>${renderBrief(sentence, '…')}</li>`)}${
        more > 0 ? html`<li>And ${more} more words of which the like must be said.</li>` : NOTHING
      }</ul>`
}

/** A list of labels and values. */
export function renderFields(fields: readonly Field[], timeZone: string): Html {
  return html`<dl class="fields">${fields.map((field) => renderField(field, timeZone))}</dl>`
}

/** A label with its value. */
export function renderField({ label, shown }: Pick<Field, 'label' | 'shown'>, timeZone: string): Html {
  return html`<div><dt>${renderText(label)}</dt><dd>${renderShown(shown, timeZone)}</dd></div>`
}

/** A piece of a text. */
export function renderPiece(parts: readonly TextPart[]): Html {
  return html`<bdi class="text">${parts.map(renderPart)}</bdi>`
}

/** One value. */
export function renderShown(shown: Shown, timeZone: string): Html {
  switch (shown.as) {
    case 'nothing':
      return html`<span class="quiet">(none)</span>`
    case 'text':
    case 'party':
      return html`${renderText(shown.text)}${renderNotes(shown.text)}`
    case 'note':
      return html`<div class="note">${renderText(shown.text, { lines: true })}</div>${renderNotes(shown.text, { lines: true })}`
    case 'money':
      return html`<bdi class="money">${shownMoney(shown.money)}</bdi>`
    case 'day':
      return html`<time datetime="${shown.text}">${shownDate(shown.text)}</time> <span class="quiet">${shown.text}</span>`
    case 'instant':
      return html`<time>${shownInstant(shown.at, shown.timeZone ?? timeZone)}</time> <span class="quiet">${shown.text}</span>`
    case 'identifier':
      return renderIdentifier(shown.text, shown.before)
    case 'list':
      return renderList(shown.items, timeZone)
    case 'fields':
      return renderFields(shown.fields, timeZone)
  }
}

function renderPart(part: TextPart): Content {
  switch (part.kind) {
    case 'plain':
      return part.text
    case 'break':
      return html`<br>`
    case 'mark':
      return markOf(part)
  }
}

// A hostile text has one and the same mark ten thousand times.
const MARKS = new Map<string, Html>()

function markOf({ code, name }: Extract<TextPart, { kind: 'mark' }>): Html {
  const known = MARKS.get(code)
  if (known !== undefined) return known
  const mark = html`<span class="mark" title="${name}">${code}</span>`
  if (MARKS.size < MARKS_KEPT) MARKS.set(code, mark)
  return mark
}

function renderIdentifier(text: string | null, before: string | null | undefined): Html {
  if (before === undefined) return text === null ? renderShown({ as: 'nothing' }, '') : oneIdentifier(text, null)
  const old = before === null ? html`<span class="quiet">(none)</span>` : oneIdentifier(before, text)
  const now = text === null ? html`<span class="quiet">(none)</span>` : oneIdentifier(text, before)
  return html`<dl class="change"><div><dt>Before</dt><dd>${old}</dd></div><div><dt>New</dt><dd>${now}</dd></div></dl>${
    before === text ? html`<p class="quiet">Both are the same.</p>` : NOTHING
  }`
}

function oneIdentifier(text: string, other: string | null): Html {
  const shown = shownIdentifier(text)
  const differs = other === null ? [] : changedGroups(shownIdentifier(other), shown)
  const groups = shown.groups.map((group, index) => {
    const content = group === '' ? '' : visibleParts(group).map(renderPart)
    return differs[index] === true
      ? html`<b class="group differs">${content}</b>`
      : html`<span class="group">${content}</span>`
  })
  const words = checkWords(shown.kind, shown.checked)
  return html`<bdi class="identifier">${groups}</bdi>${
    words === null ? NOTHING : html` <span class="${shown.checked === true ? 'quiet' : 'wrong'}">${words}</span>`
  }${
    shown.foreign.length === 0
      ? NOTHING
      : html`<ul class="notes"><li>Has letters or digits that are not plain ASCII: ${shown.foreign.map(pointOf).join(', ')}.</li></ul>`
  }${renderNotes(text)}`
}

function checkWords(kind: ReturnType<typeof shownIdentifier>['kind'], checked: boolean | null): string | null {
  switch (kind) {
    case 'iban':
      return checked === true
        ? 'IBAN, check digits right'
        : 'Looks like an IBAN, and its check digits or length are wrong'
    case 'card_number':
      return 'card number, check digit right'
    case 'other':
      return null
  }
}

function renderList(items: readonly Shown[], timeZone: string): Html {
  if (items.length === 0) return html`<span class="quiet">(no entries)</span>`
  const rows = items.map((item) => html`<li>${renderShown(item, timeZone)}</li>`)
  if (rows.length <= OPEN_ITEMS) return html`<ol>${rows}</ol>`
  const rest = html`<ol start="${OPEN_ITEMS + 1}">${rows.slice(OPEN_ITEMS)}</ol>`
  return html`<ol>${rows.slice(0, OPEN_ITEMS)}</ol><details><summary>Show all ${rows.length} entries</summary>${rest}</details>`
}

function suspicionWords(suspicion: Suspicion): string {
  switch (suspicion.kind) {
    case 'mixed_word':
      return `“${suspicion.word}” mixes letters of ${suspicion.scripts.join(' and ')}.`
    case 'looks_latin':
      return `“${suspicion.word}” is written in ${suspicion.scripts.join(' and ')} letters that look like Latin ones.`
    case 'several_scripts':
      return `Letters of ${suspicion.scripts.join(' and ')}.`
    case 'unusual_letters':
      return `“${suspicion.word}” has letters or digits that stand for others.`
    case 'other_digits':
      return `“${suspicion.word}” has digits that are not 0 to 9.`
    case 'decomposed':
      return 'Letters and their accents are stored apart: another text can look the same.'
  }
}

function pointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
