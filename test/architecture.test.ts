// The architecture as a test: every rule about rooms, words, calls and form, on the whole repository and on texts that break it.
import { describe, expect, it } from 'vitest'
import { parseFile } from '../tools/parsed-file.ts'
import { readRepositoryFile, repositoryFiles } from '../tools/repository.ts'
import {
  callRules,
  executorCaller,
  executorMentions,
  operationCaller,
  operationCalls,
} from './architecture/call-rules.ts'
import { formRules } from './architecture/form-rules.ts'
import { importRules } from './architecture/import-rules.ts'
import { leaksIn } from './architecture/leaks.ts'
import type { Example } from './architecture/rule.ts'
import { wordRules } from './architecture/word-rules.ts'

const paths = repositoryFiles()
const files = paths.filter((path) => /\.tsx?$/.test(path)).map((path) => parseFile(path, readRepositoryFile(path)))
const rules = [...importRules, ...wordRules, ...callRules, ...formRules]

describe('the repository', () => {
  it('is read: sources, tests and tools are there', () => {
    const folders = new Set(files.map(({ path }) => path.split('/', 1)[0]))

    expect([...folders]).toEqual(expect.arrayContaining(['src', 'test', 'tools']))
  })

  it.each(rules)('$title', ({ findings }) => {
    const broken = files.flatMap((file) => findings(file).map((finding) => `${file.path}: ${finding}`))

    expect(broken).toEqual([])
  })

  it('calls the executor of an action in exactly one place', () => {
    const caller = files.filter(({ path }) => path === executorCaller)

    expect(caller.flatMap(executorMentions)).toHaveLength(1)
  })

  it('calls a guarded operation in exactly one place', () => {
    const caller = files.filter(({ path }) => path === operationCaller)

    expect(caller.flatMap(operationCalls)).toHaveLength(1)
  })

  it('holds no trace of the machine or the hour in which it was written', () => {
    const texts = paths.filter((path) => !/\.(?:bin|sqlite|png)$|^package-lock\.json$/.test(path))

    const leaks = texts.flatMap((path) => leaksIn(readRepositoryFile(path)).map((leak) => `${path}: ${leak}`))

    expect(leaks).toEqual([])
  })

  it('has a lock file that names no registry', () => {
    expect(readRepositoryFile('package-lock.json')).not.toMatch(/"resolved":/)
  })
})

describe.each(rules)('the rule "$title"', ({ findings, examples }) => {
  it.each(titled(examples.broken))('finds fault with $title', ({ path, text }) => {
    expect(findings(parseFile(path, text))).not.toEqual([])
  })

  it.each(titled(examples.kept))('lets pass $title', ({ path, text }) => {
    expect(findings(parseFile(path, text))).toEqual([])
  })
})

function titled(examples: readonly Example[]): (Example & { title: string })[] {
  return examples.map(({ path, text }) => ({ path, text, title: `${path}: ${JSON.stringify(text).slice(0, 80)}` }))
}

describe('the search for leaks', () => {
  it.each([
    ['', 'work', 'main', 'src'].join('/'),
    ['see ', 'root', '.npmrc'].join('/'),
    ['https:/', 'registry.example.test', 'zod'].join('/'),
    ['vectors in ..', 'shared', 'data', 'jcs'].join('/'),
    ['written in a session', 'of November'].join(' '),
    ['// TO', 'DO: later'].join(''),
  ])('finds %s', (text) => {
    expect(leaksIn(`first line\n${text}`)).toHaveLength(1)
  })

  it.each(['the roles of the session', 'https://example.test/work', 'a framework/tool', 'src/effect/hash.ts'])(
    'lets "%s" pass',
    (text) => {
      expect(leaksIn(text)).toEqual([])
    },
  )
})
