// Visible text: every character that hides, turns or stacks is told apart from those that a reader sees.

/** A run of a text: as it is, a line break, or one character that is shown by its code point. */
export type TextPart =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'mark'; readonly code: string; readonly name: string }

/** Those that are met most often; any other one is told by its code point. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x09, 'tab'],
  [0x0a, 'line feed'],
  [0x0d, 'carriage return'],
  [0x20, 'space at the edge'],
  [0xa0, 'no-break space'],
  [0xad, 'soft hyphen'],
  [0x34f, 'combining grapheme joiner'],
  [0x61c, 'Arabic letter mark'],
  [0x180e, 'Mongolian vowel separator'],
  [0x200b, 'zero-width space'],
  [0x200c, 'zero-width non-joiner'],
  [0x200d, 'zero-width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x2028, 'line separator'],
  [0x2029, 'paragraph separator'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'pop directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x202f, 'narrow no-break space'],
  [0x2060, 'word joiner'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'pop directional isolate'],
  [0x2800, 'braille blank'],
  [0x3000, 'ideographic space'],
  [0x3164, 'Hangul filler'],
  [0xfeff, 'zero-width no-break space'],
])

/** By name of its group, where there are many of a kind. */
const RANGES: readonly (readonly [first: number, last: number, name: string])[] = [
  [0x00, 0x1f, 'control character'],
  [0x7f, 0x9f, 'control character'],
  [0x300, 0x36f, 'one accent too many'],
  [0xd800, 0xdfff, 'half a character'],
  [0xe000, 0xf8ff, 'private character'],
  [0xfe00, 0xfe0f, 'variation selector'],
  [0xe0000, 0xe007f, 'tag character'],
  [0xe0100, 0xe01ef, 'variation selector'],
]

// An emoji that Unicode lists keeps its joiners and selectors: they are seen as the one picture that they make.
// Of accents in a row three are ordinary in some language; what comes after them, or has no letter, only covers others.
const PIECES =
  /(?<emoji>\p{RGI_Emoji})|(?<hidden>[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|^ | (?=$)|(?<=(?:^|[\s\p{Zs}]))\p{M}|(?<=\p{M}{3})\p{M})/gv

/**
 * The text in parts. Nothing is left out and nothing is rewritten: plain parts and marks together are the text. In a text
 * of several lines a line feed breaks the line; anywhere else it is a mark. Spec: reliability T17, case C106.
 */
export function visibleParts(text: string, options: { readonly lines?: boolean } = {}): readonly TextPart[] {
  return [...eachVisiblePart(text, options)]
}

/** The same, one after the other, for whoever needs only the beginning of a long text. */
export function* eachVisiblePart(
  text: string,
  { lines = false }: { readonly lines?: boolean } = {},
): Generator<TextPart, void> {
  let plain = ''
  let from = 0
  for (const match of text.matchAll(PIECES)) {
    plain += text.slice(from, match.index)
    from = match.index + match[0].length
    const hidden = match.groups?.['hidden']
    if (hidden === undefined) plain += match[0]
    else {
      if (plain !== '') yield { kind: 'plain', text: plain }
      plain = ''
      yield lines && hidden === '\n' ? { kind: 'break' } : markOf(hidden)
    }
  }
  plain += text.slice(from)
  if (plain !== '') yield { kind: 'plain', text: plain }
}

function markOf(character: string): TextPart {
  const point = character.codePointAt(0) ?? 0
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  const group = RANGES.find(([first, last]) => point >= first && point <= last)
  return { kind: 'mark', code, name: NAMES.get(point) ?? group?.[2] ?? 'invisible character' }
}
