// The pages of the repository, and what the marked blocks in them must say.
import { regionOf, wholeFile } from './file-region.ts'
import { type Block, blocksOf } from './markdown-blocks.ts'
import { readRepositoryFile, repositoryFiles } from './repository.ts'
import { sourceTree } from './source-tree.ts'

/** The pages that people and programs read, by path. */
export function pagePaths(): readonly string[] {
  return repositoryFiles().filter((path) => /^(?:docs\/.*|[^/]*)\.md$|^llms\.txt$/.test(path))
}

/** What a block that quotes a file or the map must say; null for a block that quotes neither. */
export function quotedBy({ mark }: Block): string | null {
  if (mark?.kind === 'map') return sourceTree({ lengths: false })
  if (mark?.kind !== 'from') return null
  const text = readRepositoryFile(mark.path)
  return mark.region === null ? wholeFile(text) : regionOf(text, mark.region)
}

/** A block that shows what a command prints. */
export interface ShownOutput {
  readonly page: string
  readonly line: number
  readonly command: string
  readonly text: string
}

/** The blocks of a page that show what a command prints. */
export function outputsOn(page: string): ShownOutput[] {
  return blocksOf(readRepositoryFile(page)).flatMap(({ mark, text, line }) =>
    mark?.kind === 'output' ? [{ page, line, text, command: mark.command }] : [],
  )
}
