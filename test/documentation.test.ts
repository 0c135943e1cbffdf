// What the pages show is true: quoted code is the code, the map is the tree, commands exist, links lead somewhere.
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { npmScripts } from '../tools/documented-command.ts'
import { blocksOf } from '../tools/markdown-blocks.ts'
import { pagePaths, quotedBy } from '../tools/pages.ts'
import { readRepositoryFile, repositoryFiles } from '../tools/repository.ts'
import { commandsOf, problemWith } from '../tools/shell-commands.ts'

const files = repositoryFiles()
const pages = pagePaths()
const scripts = npmScripts()
const binaries = ['vitest', 'tsc', 'biome', 'oxlint', 'knip', 'countersign']

it('the pages are there', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'llms.txt']),
  )
})

describe.each(pages)('%s', (page) => {
  const text = readRepositoryFile(page)
  const blocks = blocksOf(text)

  it('says of every block where its text comes from', () => {
    const unmarked = blocks.filter(({ mark, language }) => mark === null && language !== 'sh')

    expect(unmarked.map(({ line, language }) => `line ${line}: ${language}`)).toEqual([])
  })

  it('quotes code only from files that are checked and run', () => {
    const code = blocks.filter(({ language }) => ['ts', 'tsx', 'js'].includes(language))

    expect(code.filter(({ mark }) => mark?.kind !== 'from').map(({ line }) => line)).toEqual([])
  })

  // Renewed with `npm run docs`.
  it('quotes files and the map as they are', () => {
    const quotes = blocks.map((block) => ({ line: block.line, shown: block.text, quoted: quotedBy(block) }))
    const compared = quotes.filter(({ quoted }) => quoted !== null)

    expect(compared.map(({ line, shown }) => ({ line, text: shown }))).toEqual(
      compared.map(({ line, quoted }) => ({ line, text: quoted })),
    )
  })

  it('shows only commands that exist', () => {
    const commands = blocks.filter(({ language }) => language === 'sh').flatMap((block) => commandsOf(block.text))

    expect(commands.map((command) => problemWith(command, { scripts, binaries, files })).filter(Boolean)).toEqual([])
  })

  it('links only to files that are there', () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    const targets = links.map((link) => posix.normalize(posix.join(posix.dirname(page), link)).replace(/\/$/, ''))

    expect(targets.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))).toEqual([])
  })
})

describe('the changelog', () => {
  const versions = readRepositoryFile('CHANGELOG.md').split(/^## /m).slice(1)

  it('has an entry for the version of package.json', () => {
    const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string }

    expect(versions.filter((entry) => entry.startsWith(version))).toHaveLength(1)
  })

  it('tells operators of every version whether it migrates and what it can run beside', () => {
    const silent = versions.filter((entry) => !/\*\*Migration:\*\* \S[\s\S]*\*\*Beside [^*]+:\*\* \S/.test(entry))

    expect(silent).toEqual([])
  })
})

describe('continuous integration', () => {
  const lines = readRepositoryFile('.ci/run').split('\n')

  it('runs every npm command that the README shows', () => {
    const shown = blocksOf(readRepositoryFile('README.md'))
      .filter(({ language }) => language === 'sh')
      .flatMap((block) => commandsOf(block.text))
      .filter((command) => /^npm (?:ci|test|run \S+)$/.test(command))

    expect(shown).toEqual(expect.arrayContaining(['npm ci', 'npm run demo', 'npm test']))
    expect(shown.filter((command) => !lines.includes(command))).toEqual([])
  })

  it('runs every part of the check that contributors run', () => {
    const parts = (scripts['check'] ?? '').split(' && ')

    expect(parts).toContain('npm test')
    expect(parts.filter((part) => !lines.includes(part))).toEqual([])
  })
})
