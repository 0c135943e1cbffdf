// Plain data as one text, its keys in order: equal data are equal texts.

export function sortedText(value: unknown, indent = 0): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) => {
      const isRecord = typeof part === 'object' && part !== null && !Array.isArray(part)
      return isRecord ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
    },
    indent,
  )
}
