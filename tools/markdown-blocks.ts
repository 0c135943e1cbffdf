// The fenced blocks of a Markdown page, each with the mark above it that says where its text comes from.

/**
 * What a block shows. A mark is an HTML comment on a line of its own, right above the fence:
 * `<!-- from: examples/docs/quickstart.ts#action -->` a file or one of its regions; `<!-- output of: npm run demo -->`
 * what a command prints; `<!-- map -->` the map of the sources; `<!-- picture -->` a drawing that nothing can check.
 */
export type Mark =
  | { readonly kind: 'from'; readonly path: string; readonly region: string | null }
  | { readonly kind: 'output'; readonly command: string }
  | { readonly kind: 'map' }
  | { readonly kind: 'picture' }

/** One fenced block. */
export interface Block {
  /** The line of its opening fence, from 1. */
  readonly line: number
  /** What stands after the fence: `ts`, `sh`, `text`, …; empty where nothing does. */
  readonly language: string
  /** What stands between the fences, without a line end at its end. */
  readonly text: string
  readonly mark: Mark | null
}

const fencedBlock = /^(?<fence>`{3,})(?<language>[^\n`]*)\n(?<text>[\s\S]*?)(?:\n)?^\k<fence>$/gm

/** The fenced blocks of a page, from top to bottom. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fencedBlock)].map((match) => {
    const before = page.slice(0, match.index)
    return {
      line: before.split('\n').length,
      language: (match.groups?.['language'] ?? '').trim(),
      text: match.groups?.['text'] ?? '',
      mark: markAbove(before),
    }
  })
}

/** The page with another text in its blocks, the rest untouched. */
export function withBlocks(page: string, textOf: (block: Block) => string): string {
  const blocks = blocksOf(page)
  let index = 0
  return page.replaceAll(fencedBlock, (whole) => {
    const block = blocks[index]
    index += 1
    if (block === undefined) return whole
    const [fence = ''] = /^`+/.exec(whole) ?? []
    return `${fence}${block.language}\n${textOf(block)}\n${fence}`
  })
}

function markAbove(before: string): Mark | null {
  const comment = /<!-- (?<words>[^\n]*?) -->\n+$/.exec(before)?.groups?.['words']
  if (comment === undefined) return null
  if (comment === 'map' || comment === 'picture') return { kind: comment }
  const from = /^from: (?<path>[^#\s]+)(?:#(?<region>\S+))?$/.exec(comment)?.groups
  if (from !== undefined) return { kind: 'from', path: from['path'] ?? '', region: from['region'] ?? null }
  const command = /^output of: (?<command>\S.*)$/.exec(comment)?.groups?.['command']
  return command === undefined ? null : { kind: 'output', command }
}
