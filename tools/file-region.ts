// A region of a source: what stands between `// #region name` and its `// #endregion`, moved to the left margin.

/** The text of a region, without the marker lines of regions inside it. Throws when it is not there exactly once. */
export function regionOf(text: string, name: string): string {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (line.trim() === `// #region ${name}` ? [index] : []))
  const [start, ...others] = starts
  if (start === undefined || others.length > 0) throw new Error(`the region ${name} is there ${starts.length} times`)

  const body: string[] = []
  let depth = 1
  for (const line of lines.slice(start + 1)) {
    const word = /^\s*\/\/ #(region|endregion)\b/.exec(line)?.[1]
    if (word === 'region') depth += 1
    if (word === 'endregion') depth -= 1
    if (depth === 0) return withoutMargin(body)
    if (word === undefined) body.push(line)
  }
  throw new Error(`the region ${name} has no end`)
}

/** The file as it is quoted whole: without the sentence that opens it and without markers. */
export function wholeFile(text: string): string {
  const lines = text.split('\n').slice(1)
  return withoutMargin(lines.filter((line) => !/^\s*\/\/ #(?:region|endregion)\b/.test(line)))
}

function withoutMargin(lines: readonly string[]): string {
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const margin = Math.min(...margins)
  return lines
    .map((line) => line.slice(margin))
    .join('\n')
    .trim()
}
