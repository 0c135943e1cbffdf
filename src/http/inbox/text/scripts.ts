// Scripts: which alphabets a text is written in, and where one word is made of several, as look-alike names are.

/** Something about a text that a reader cannot see. */
export type Suspicion =
  | { readonly kind: 'mixed_word'; readonly word: string; readonly scripts: readonly string[] }
  | { readonly kind: 'looks_latin'; readonly word: string; readonly scripts: readonly string[] }
  | { readonly kind: 'several_scripts'; readonly scripts: readonly string[] }
  | { readonly kind: 'unusual_letters'; readonly word: string }
  | { readonly kind: 'other_digits'; readonly word: string }
  | { readonly kind: 'decomposed' }

const SCRIPTS: readonly (readonly [name: string, letter: RegExp])[] = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Telugu',
  'Thai',
  'Georgian',
  'Cherokee',
  'Ethiopic',
  'Hangul',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Han',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')])

/** Scripts that one word of a language is written in, as UTS 39 has them. */
const TOGETHER: readonly ReadonlySet<string>[] = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
]

/** Letters of Cyrillic, Greek and Armenian that nobody can tell from Latin ones. */
const LATIN_LIKE: ReadonlySet<string> = new Set(
  ['абвеікмнорстухѕјһԁԛԝԍӏАВЕКМНОРСТХУЅІЈԚԜӀҮһ', 'αοιρυνκτωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'օոսհցգՕՏՍԼ'].flatMap((letters) =>
    Array.from(letters),
  ),
)

/**
 * What a reader should be told about the letters of a text; nothing for a text in one script, whichever it is.
 * Spec: reliability T17.
 */
export function suspicions(text: string): readonly Suspicion[] {
  if (ASCII.test(text)) return []
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const found = [...new Set(words)].flatMap(suspicionsOfWord)
  const scripts = scriptsOf(text)
  return [
    ...found,
    ...(isMixed(scripts) && !found.some(({ kind }) => kind === 'mixed_word')
      ? [{ kind: 'several_scripts', scripts } as const]
      : []),
    ...(text.normalize('NFC') === text ? [] : [{ kind: 'decomposed' } as const]),
  ]
}

// Every letter of it is Latin, and stands for itself.
const ASCII = /^[ -~]*$/

function suspicionsOfWord(word: string): readonly Suspicion[] {
  const scripts = scriptsOf(word)
  const letters = lettersIn(word)
  const isDisguised = letters.length > 0 && letters.every((letter) => LATIN_LIKE.has(letter))
  return [
    ...(isMixed(scripts) ? [{ kind: 'mixed_word', word, scripts } as const] : []),
    ...(isDisguised ? [{ kind: 'looks_latin', word, scripts } as const] : []),
    ...([...new Set(word)].some(isUnusual) ? [{ kind: 'unusual_letters', word } as const] : []),
    ...(/(?![0-9])\p{Nd}/u.test(word) ? [{ kind: 'other_digits', word } as const] : []),
  ]
}

/** The scripts of the letters, in a fixed order. Letters that many scripts share say nothing. */
export function scriptsOf(text: string): readonly string[] {
  const letters = lettersIn(text)
  return SCRIPTS.filter(([, letter]) => letters.some((one) => letter.test(one))).map(([name]) => name)
}

// Each once, so that a long text costs what its alphabet costs.
function lettersIn(text: string): readonly string[] {
  return [...new Set(text)].filter((character) => /\p{L}/u.test(character))
}

function isMixed(scripts: readonly string[]): boolean {
  return scripts.length > 1 && !TOGETHER.some((group) => scripts.every((script) => group.has(script)))
}

// A letter or digit that stands for another one, such as a mathematical or a full-width one.
function isUnusual(character: string): boolean {
  return /[\p{L}\p{Nd}]/u.test(character) && character.normalize('NFKC') !== character.normalize('NFC')
}
