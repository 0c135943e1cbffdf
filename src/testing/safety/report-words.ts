// The words of a safety report: whatever is printed of it is one line each, so that no text can draw a verdict of its own.

/** Line ends, and what steers a terminal or reorders what it shows. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** @throws TypeError unless it is one printable line that is neither empty nor has blanks around it. */
export function demandText(name: string, text: unknown): string {
  if (typeof text !== 'string' || text === '' || text !== text.trim() || unprintable.test(text)) {
    throw new TypeError(`${name} is one printable line that is not empty, without blanks around it`)
  }
  return text
}

/** A copy of a list of such texts. @throws TypeError */
export function demandTexts(name: string, texts: readonly string[]): readonly string[] {
  if (!Array.isArray(texts)) throw new TypeError(`${name} is a list of texts`)
  // What a list says of itself, as by a map of its own, is not asked.
  const copied: string[] = []
  for (let index = 0; index < texts.length; index += 1) copied.push(demandText(name, texts[index]))
  return Object.freeze(copied)
}

/** A name or a code of somebody else's error as far as it may be quoted; null if it may not. */
export function quotable(word: unknown): string | null {
  return typeof word === 'string' && /^[\w.$-]{1,64}$/.test(word) ? word : null
}
