// Texts of others as they are shown: every character that hides or turns is seen, honest writing comes through as it is.
import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  instantOf,
  shownDate,
  shownDuration,
  shownInstant,
  shownMoney,
} from '../../../src/http/inbox/text/amounts-and-times.ts'
import { changedGroups, shownIdentifier } from '../../../src/http/inbox/text/identifier.ts'
import { scriptsOf, suspicions } from '../../../src/http/inbox/text/scripts.ts'
import { briefLine } from '../../../src/http/inbox/text/pieces.ts'
import { visibleParts } from '../../../src/http/inbox/text/visible-text.ts'

/** By code point, so that this file hides nothing either. */
const HIDDEN: readonly (readonly [group: string, points: readonly number[]])[] = [
  [
    'the twelve characters that turn',
    [0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
  ],
  ['the characters without width', [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x180e, 0xad]],
  ['controls and line ends', [0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029]],
  ['variation selectors', [0xfe00, 0xfe0f, 0xe0100, 0xe01ef]],
  ['tags', [0xe0001, 0xe0041, 0xe007f]],
  [
    'blanks that are no space',
    [0xa0, 0x1680, 0x2002, 0x2009, 0x202f, 0x205f, 0x3000, 0x2800, 0x3164, 0x115f, 0xffa0, 0x34f],
  ],
  ['private, unassigned and half characters', [0xe000, 0xf8ff, 0x10ffff, 0x378, 0xd800, 0xdfff]],
]
const rows = HIDDEN.flatMap(([group, points]) => points.map((point) => ({ group, point, code: codeOf(point) })))

function codeOf(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

describe('a hidden character', () => {
  it.each(rows)('threat T17 $code is shown by its code point ($group)', ({ point, code }) => {
    const text = `a${String.fromCodePoint(point)}b`

    expect(visibleParts(text)).toEqual([
      { kind: 'plain', text: 'a' },
      { kind: 'mark', code, name: expect.stringMatching(/./) as unknown },
      { kind: 'plain', text: 'b' },
    ])
    expect(briefLine(text)).toBe(`a[${code}]b`)
  })

  it('case C106 is named where it is one of those that are met', () => {
    const names = visibleParts('\u202E\u200B\uFEFF\u2028').map((part) => (part.kind === 'mark' ? part.name : ''))

    expect(names).toEqual(['right-to-left override', 'zero-width space', 'zero-width no-break space', 'line separator'])
  })

  it('is a space at an edge too, and an accent without a letter or one too many', () => {
    const codes = (text: string): readonly string[] =>
      visibleParts(text).flatMap((part) => (part.kind === 'mark' ? [part.code] : []))

    expect(codes(' x ')).toEqual(['U+0020', 'U+0020'])
    expect(codes('a b  c')).toEqual([])
    expect(codes('\u0301x')).toEqual(['U+0301'])
    expect(codes('Z\u0300\u0301\u0302\u0303\u0304')).toEqual(['U+0303', 'U+0304'])
  })

  it('breaks the line of a note, and of nothing else', () => {
    expect(visibleParts('a\nb', { lines: true })[1]).toEqual({ kind: 'break' })
    expect(visibleParts('a\r\nb', { lines: true })).toMatchObject([{}, { code: 'U+000D' }, { kind: 'break' }, {}])
    expect(visibleParts('a\nb')[1]).toMatchObject({ code: 'U+000A', name: 'line feed' })
  })
})

describe('honest writing', () => {
  it.each([
    ['German', 'Jürgen Müller & Söhne'],
    ['accents stored apart', 'Ame\u0301lie'],
    ['Hebrew', 'שלום עולם'],
    ['Hebrew with points', 'שָׁלוֹם'],
    ['Arabic', 'السلام عليكم'],
    ['Thai', 'สวัสดี'],
    ['Devanagari', 'नमस्ते'],
    ['Vietnamese', 'Nguyễn Thị'],
    ['Japanese', '株式会社テスト'],
    ['an emoji of four bytes', '👍 ok'],
    ['an emoji that is joined', '👨\u200D👩\u200D👧'],
    ['an emoji with its selector', '❤\uFE0F'],
    ['a flag made of tags', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'],
    ['an empty text', ''],
  ])('case C106 comes through as it is: %s', (_, text) => {
    expect(visibleParts(text)).toEqual(text === '' ? [] : [{ kind: 'plain', text }])
  })

  property.prop([fc.string({ unit: 'binary', maxLength: 40 })], { seed: 7, numRuns: 2_000 })(
    'nothing is left out and nothing is rewritten, whatever a text is',
    (text) => {
      const back = visibleParts(text).map((part) => {
        if (part.kind === 'break') return '\n'
        return part.kind === 'plain' ? part.text : String.fromCodePoint(Number.parseInt(part.code.slice(2), 16))
      })

      expect(back.join('')).toBe(text)
      expect(
        visibleParts(text).filter((part) => part.kind === 'plain' && /\u202E|\u200B|\p{Cc}/u.test(part.text)),
      ).toEqual([])
    },
  )
})

describe('letters', () => {
  it.each([
    ['a Cyrillic a in a host name', 'billing@ex\u0430mple.com', ['mixed_word']],
    ['a word of Cyrillic letters that all look Latin', '\u0430\u0440\u0440\u04CF\u0435', ['looks_latin']],
    ['a Greek omicron', 'G\u03BFogle', ['mixed_word']],
    ['Latin beside Cyrillic', 'Hello \u043C\u0438\u0440', ['several_scripts']],
    ['full-width digits', '\uFF12\uFF10 EUR', ['unusual_letters', 'other_digits']],
    ['mathematical letters', '\u{1D40F}ay', ['unusual_letters']],
    ['Arabic digits', '\u0663', ['other_digits']],
    ['an accent stored apart', 'Ame\u0301lie', ['decomposed']],
  ])('threat T17 %s is told', (_, text, kinds) => {
    expect(suspicions(text).map(({ kind }) => kind)).toEqual(kinds)
  })

  it.each([
    'Müller GmbH',
    'Привет мир',
    'שלום',
    '株式会社ABC',
    '서울 ABC',
    'ΑΘΗΝΑ Ωμέγα',
    'naïve café',
    'ORD-1001',
    '',
  ])('nothing is told of %j', (text) => {
    expect(suspicions(text)).toEqual([])
  })

  it('two texts that look the same differ in what is told', () => {
    expect(suspicions('Am\u00E9lie')).not.toEqual(suspicions('Ame\u0301lie'))
    expect(scriptsOf('a\u0430\u03B1')).toEqual(['Latin', 'Greek', 'Cyrillic'])
  })
})

describe('an identifier', () => {
  it.each([
    ['DE89370400440532013000', ['DE89', '3704', '0044', '0532', '0130', '00'], 'iban', true],
    ['DE89370400440532013001', ['DE89', '3704', '0044', '0532', '0130', '01'], 'iban', false],
    ['DE8937040044053201300', ['DE89', '3704', '0044', '0532', '0130', '0'], 'iban', false],
    ['DE89 3704 0044 0532 0130 00', ['DE89 3704 0044 0532 0130 00'], 'iban', true],
    ['4111111111111111', ['4111', '1111', '1111', '1111'], 'card_number', true],
    ['4111111111111112', ['4111', '1111', '1111', '1112'], 'other', null],
    ['AB12CDEFGHIJKLMN', ['AB12', 'CDEF', 'GHIJ', 'KLMN'], 'other', null],
    ['INV-2001', ['INV-2001'], 'other', null],
    ['12345678', ['12345678'], 'other', null],
    ['', [''], 'other', null],
  ])('threat T17 %s is grouped and checked', (text, groups, kind, checked) => {
    expect(shownIdentifier(text)).toEqual({ groups, kind, checked, foreign: [] })
    expect(shownIdentifier(text).groups.join('')).toBe(text)
  })

  it('names letters that only look like its own', () => {
    expect(shownIdentifier('D\u041589370400440532013000')).toMatchObject({ kind: 'other', foreign: ['\u0415'] })
  })

  it('shows in which groups it differs from the one before', () => {
    const [before, after] = [shownIdentifier('DE89370400440532013000'), shownIdentifier('DE02120300000000202051')]

    expect(changedGroups(before, after)).toEqual([true, true, true, true, true, true])
    expect(changedGroups(before, shownIdentifier('DE89370400440532013099'))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ])
  })
})

describe('amounts and times', () => {
  it.each([
    ['1250.00', 'EUR', '1,250.00 EUR'],
    ['999.99', 'EUR', '999.99 EUR'],
    ['-1234567.50', 'EUR', '-1,234,567.50 EUR'],
    ['100', 'JPY', '100 JPY'],
    ['1000000', 'JPY', '1,000,000 JPY'],
    ['0.001', 'KWD', '0.001 KWD'],
    ['12345678901234567890.12', 'EUR', '12,345,678,901,234,567,890.12 EUR'],
  ])('%s %s is shown as %s', (amount, currency, shown) => {
    expect(shownMoney({ amount, currency })).toBe(shown)
  })

  it('a time has its zone, and a day has none', () => {
    expect(shownInstant(Date.UTC(2026, 5, 1, 12), 'UTC')).toBe('1 Jun 2026, 12:00:00 UTC')
    expect(shownInstant(Date.UTC(2026, 5, 1, 12), 'Europe/Berlin')).toBe('1 Jun 2026, 14:00:00 CEST')
    expect(shownDate('2026-12-01')).toBe('Tuesday, 1 December 2026')
    expect(['2026-02-30', '2026-1-1', 'tomorrow', ''].map(shownDate)).toEqual([null, null, null, null])
    expect(instantOf('2026-06-01T14:00:00+02:00')).toBe(Date.UTC(2026, 5, 1, 12))
    expect(['2026-06-01T14:00:00', '2026-06-01', 'now'].map(instantOf)).toEqual([null, null, null])
  })

  it.each([
    [0, 'less than a minute'],
    [59_999, 'less than a minute'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('%i ms are %s', (ms, words) => {
    expect(shownDuration(ms)).toBe(words)
  })
})
