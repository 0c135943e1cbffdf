// What no committed text may hold: folders of one machine, addresses of one registry, notes about how it came to be.

/** One kind of leak. The patterns are written so that they do not match their own source. */
interface Leak {
  readonly name: string
  readonly pattern: RegExp
}

const leaks: readonly Leak[] = [
  { name: 'a folder of one machine', pattern: /\/(?:work|root|home|Users)\/[\w.-]/ },
  { name: 'a folder outside the repository', pattern: /\bshared\/(?:spec|data|seeds|reference|DESIGN|style)\b/ },
  { name: 'a registry host', pattern: /\bhttps?:\/\/[\w.-]*(?:registry|mirror|artifactory)[\w.-]*/ },
  {
    name: 'a note about who wrote it',
    pattern:
      /\bsession of (?:\d|[A-Z][a-z]+ber\b|January|February|March|April|May|June|July|August)|\b(?:coding|working|helper) session\b/,
  },
  { name: 'something left for later', pattern: /\b(?:TO[D]O|FIX[M]E)\b/ },
]

/** The leaks in a text, as `line: kind`. */
export function leaksIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = leaks.filter(({ pattern }) => pattern.test(line))
    return found.map(({ name }) => `line ${index + 1}: ${name}`)
  })
}
