// Every example runs to its end, and what the pages show as output is what comes out.
import { describe, expect, it } from 'vitest'
import { type CommandRun, comparable, nodeArguments, runNode } from '../tools/documented-command.ts'
import { blocksOf, withBlocks } from '../tools/markdown-blocks.ts'
import { readRepositoryFile, repositoryFiles, writeRepositoryFile } from '../tools/repository.ts'

const files = repositoryFiles()
const pages = files.filter((path) => /^(?:docs\/.*|[^/]*)\.md$/.test(path))
const examples = files.filter((path) => /^examples\/.*\.ts$/.test(path))
const shown = pages.flatMap((page) =>
  blocksOf(readRepositoryFile(page)).flatMap(({ mark, text, line }) =>
    mark?.kind === 'output' ? [{ page, line, text, command: mark.command }] : [],
  ),
)

/** Long enough for the slowest example on a busy machine; nothing is judged by time. */
const exampleTimeoutMs = 300_000

const runs = new Map<string, Promise<CommandRun>>()

/** The run of a command; however often and under whatever name it is shown, it runs once. */
async function runOnce(command: string): Promise<CommandRun> {
  const args = nodeArguments(command)
  const run = runs.get(args.join(' ')) ?? runNode(args)
  runs.set(args.join(' '), run)
  return run
}

// Output is renewed on request, and only where more than the volatile parts differ: UPDATE_DOCS=1 npx vitest run test/examples.test.ts
if (process.env['UPDATE_DOCS'] === '1') {
  for (const page of new Set(shown.map((block) => block.page))) await renew(page)
}

describe('the examples', () => {
  it('are there', () => {
    expect(examples).not.toEqual([])
  })

  it.each(examples)(
    '%s runs to its end',
    async (path) => {
      const { exitCode, stderr } = await runOnce(`node --conditions=countersign-source ${path}`)

      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    },
    exampleTimeoutMs,
  )
})

describe('the pages', () => {
  it('show what the scenarios print', () => {
    expect(shown.map(({ command }) => command)).toContain('npm run demo')
  })

  it.each(shown)(
    '$page:$line shows what "$command" prints',
    async ({ text, command }) => {
      const { exitCode, stdout } = await runOnce(command)

      expect(exitCode).toBe(0)
      expect(comparable(text)).toBe(comparable(stdout))
    },
    exampleTimeoutMs,
  )
})

async function renew(page: string): Promise<void> {
  const printed = new Map<string, string>()
  for (const { command } of shown) printed.set(command, (await runOnce(command)).stdout.trim())
  const renewed = withBlocks(readRepositoryFile(page), ({ mark, text }) => {
    const output = mark?.kind === 'output' ? (printed.get(mark.command) ?? text) : text
    return comparable(output) === comparable(text) ? text : output
  })
  writeRepositoryFile(page, renewed)
}
