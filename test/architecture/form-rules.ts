// Rules about the form of a file: its first line, its length, how it exports and what it is called.
import type { ParsedFile } from '../../tools/parsed-file.ts'
import { openingLine } from '../../tools/source-tree.ts'
import { matchesIn, type Rule, roomOf } from './rule.ts'

/** Past this a source holds two ideas. */
const sourceLinesMax = 350

const isConfiguration = (path: string): boolean => !path.includes('/')

const firstSentence: Rule = {
  title: 'every file opens with one sentence that says what it is',
  findings({ text }) {
    const line = openingLine(text)
    return /^\/\/ \S.*\.$/.test(line) ? [] : [`opens with "${line.slice(0, 60)}"`]
  },
  examples: {
    broken: [
      { path: 'src/effect/a.ts', text: "import { z } from './z.ts'" },
      { path: 'src/effect/a.ts', text: '// No full stop\nexport const a = 1' },
      { path: 'test/effect/a.test.ts', text: '\n// Late.' },
      { path: 'tools/a.ts', text: '/** A block. */' },
      { path: 'examples/docs/a.ts', text: '' },
    ],
    kept: [
      { path: 'src/effect/a.ts', text: '// What it is.\nexport const a = 1' },
      { path: 'src/cli/main.ts', text: '#!/usr/bin/env node\n// What it is.\n' },
    ],
  },
}

const shortFiles: Rule = {
  title: `a source has fewer than ${sourceLinesMax} lines`,
  findings({ path, text }) {
    const lines = text.trimEnd().split('\n').length
    return roomOf(path) !== null && lines >= sourceLinesMax ? [`has ${lines} lines`] : []
  },
  examples: {
    broken: [{ path: 'src/effect/a.ts', text: '// A line.\n'.repeat(sourceLinesMax) }],
    kept: [
      { path: 'src/effect/a.ts', text: '// A line.\n'.repeat(sourceLinesMax - 1) },
      { path: 'test/effect/table.test.ts', text: '// A line.\n'.repeat(sourceLinesMax) },
    ],
  },
}

const namedExports: Rule = {
  title: 'everything is exported by name, one by one',
  findings(file: ParsedFile) {
    return file.exports.flatMap(({ name }) => {
      if (name === '*') return ['exports with a star']
      return name === 'default' && !isConfiguration(file.path) ? ['has a default export'] : []
    })
  },
  examples: {
    broken: [
      { path: 'src/index.ts', text: "export * from './effect/limits.ts'" },
      { path: 'src/index.ts', text: "export type * from './effect/limits.ts'" },
      { path: 'src/effect/a.ts', text: 'export default 1' },
      { path: 'src/effect/a.ts', text: 'const a = 1\nexport { a as default }' },
      { path: 'test/helper.ts', text: 'export default class {}' },
    ],
    kept: [
      { path: 'src/index.ts', text: "export { limits } from './effect/limits.ts'" },
      { path: 'vitest.config.ts', text: 'export default {}' },
    ],
  },
}

const noBarrels: Rule = {
  title: 'a room has no index.ts, and a file name is lower case with hyphens',
  findings({ path }) {
    if (roomOf(path) === null) return []
    if (/^src\/.+\/index\.ts$/.test(path)) return ['is an index inside a room']
    return /\/[a-z0-9]+(?:-[a-z0-9]+)*\.tsx?$/.test(path) ? [] : ['is not in lower case with hyphens']
  },
  examples: {
    broken: [
      { path: 'src/effect/index.ts', text: '' },
      { path: 'src/effect/deeper/index.ts', text: '' },
      { path: 'src/effect/idempotencyKey.ts', text: '' },
    ],
    kept: [
      { path: 'src/index.ts', text: '' },
      { path: 'src/effect/idempotency-key.ts', text: '' },
    ],
  },
}

const noTypeEscapes: Rule = {
  title:
    'no file steps around the compiler; a test may say what must not compile; a silenced lint rule gives its reason',
  findings({ path, code, syntax }) {
    const comments = syntax.comments.map(({ value }) => value.trim())
    const directives = comments.filter((one) => one.startsWith('@ts-'))
    const allowed = path.startsWith('test/') ? /^@ts-expect-error \S/ : /^$/
    const silent = comments.filter((one) => /^(?:oxlint|eslint)-disable/.test(one) && !/ -- \S/.test(one))
    const forms = matchesIn(code, /\bas unknown as\b|\bas any\b|\bas never\b/g)
    return [...forms, ...directives.filter((one) => !allowed.test(one)), ...silent]
  },
  examples: {
    broken: [
      { path: 'src/effect/a.ts', text: 'export const a = b as unknown as string' },
      { path: 'src/effect/a.ts', text: 'export const a = b as any' },
      { path: 'src/effect/a.ts', text: '// @ts-expect-error it is fine\nexport const a: string = 1' },
      { path: 'test/effect/a.test.ts', text: '// @ts-expect-error\nexport const a: string = 1' },
      { path: 'test/effect/a.test.ts', text: '// @ts-ignore a reason\nexport const a: string = 1' },
      { path: 'src/effect/a.ts', text: '// oxlint-disable-next-line no-console\nexport const a = 1' },
    ],
    kept: [
      { path: 'src/effect/a.ts', text: 'export const a = b as Reference' },
      { path: 'test/effect/a.test.ts', text: '// @ts-expect-error a schema is missing\nexport const a: string = 1' },
      {
        path: 'src/effect/a.ts',
        text: '// oxlint-disable-next-line no-bitwise -- the format packs bits\nexport const a = 1',
      },
    ],
  },
}

/** The rules of this file. */
export const formRules: readonly Rule[] = [firstSentence, shortFiles, namedExports, noBarrels, noTypeEscapes]
