// Renews every marked block of the pages: quoted code, the map of the sources, the output of commands.
import { comparable, runOnce } from './documented-command.ts'
import { type Block, blocksOf, withBlocks } from './markdown-blocks.ts'
import { pagePaths, quotedBy } from './pages.ts'
import { readRepositoryFile, writeRepositoryFile } from './repository.ts'

/** Output that differs only in its volatile parts is left alone, so that a renewal changes nothing by itself. */
async function renewed(block: Block): Promise<string> {
  if (block.mark?.kind !== 'output') return quotedBy(block) ?? block.text
  const { stdout, stderr, exitCode } = await runOnce(block.mark.command)
  if (exitCode !== 0) throw new Error(`"${block.mark.command}" ended with ${exitCode}: ${stderr}`)
  return comparable(stdout) === comparable(block.text) ? block.text : stdout.trim()
}

for (const path of pagePaths()) {
  const page = readRepositoryFile(path)
  const texts = new Map<number, string>()
  for (const block of blocksOf(page)) texts.set(block.line, await renewed(block))
  const next = withBlocks(page, ({ line, text }) => texts.get(line) ?? text)
  if (next === page) continue
  writeRepositoryFile(path, next)
  console.log(`renewed ${path}`)
}
