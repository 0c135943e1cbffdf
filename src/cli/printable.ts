// Printable text: what others wrote can neither move the cursor nor turn the direction of what stands beside it.

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The text in one line, with everything invisible spelled out. */
export function printable(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** A value as one line of JSON in which nothing is invisible; it parses to the same value. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(INVISIBLE, (character) => {
    return character.replaceAll(/[\s\S]/g, (unit) => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
  })
}
