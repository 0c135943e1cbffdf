// Prints the map of the sources with their lengths; with `--write`, renews the map in README.md.
import { withBlocks } from './markdown-blocks.ts'
import { readRepositoryFile, writeRepositoryFile } from './repository.ts'
import { sourceTree } from './source-tree.ts'

if (process.argv.includes('--write')) {
  const page = readRepositoryFile('README.md')
  const tree = sourceTree({ lengths: false })
  writeRepositoryFile(
    'README.md',
    withBlocks(page, (block) => (block.mark?.kind === 'map' ? tree : block.text)),
  )
} else {
  console.log(sourceTree({ lengths: true }))
}
