// The list of cases and traces is honest: every one is there once, and every test that it names is there, by its number.
import { expect, it } from 'vitest'
import { readRepositoryFile, repositoryFiles } from '../tools/repository.ts'

/** A row of the list. */
interface Row {
  readonly id: string
  readonly tests: readonly string[]
  readonly waits: string
}

const rows = readRepositoryFile('test/cases.md')
  .split('\n')
  .filter((line) => /^\| [CSZ]\d/.test(line))
  .map(rowOf)

const testFiles = new Set(repositoryFiles().filter((path) => /^test\/.*\.test\.ts$/.test(path)))

function rowOf(line: string): Row {
  const [id = '', , tests = '', waits = ''] = line
    .split('|')
    .slice(1)
    .map((cell) => cell.trim())
  return { id, tests: [...tests.matchAll(/`([^`]+)`/g)].map((match) => `test/${match[1] ?? ''}`), waits }
}

/** Whether a file has a test whose title begins with the number; a rule may stand before it. */
function hasTitle(path: string, id: string): boolean {
  const kind = id.startsWith('S') ? 'trace' : 'case'
  return new RegExp(`['"\`](?:rule R\\d+, )?${kind} ${id}[ ,:]`).test(readRepositoryFile(path))
}

it('every case and every trace is listed once', () => {
  const traces = Array.from({ length: 56 }, (_, index) => `S${index + 1}`)
  const falsifying = Array.from({ length: 15 }, (_, index) => `Z${index + 1}`)
  const listed = rows.map(({ id }) => id)

  expect(listed.filter((id) => id.startsWith('C'))).toHaveLength(62)
  expect(listed.filter((id) => id.startsWith('S'))).toEqual(traces)
  expect(listed.filter((id) => id.startsWith('Z'))).toEqual(falsifying)
  expect(new Set(listed).size).toBe(listed.length)
})

it('what no test shows waits for something that is named', () => {
  const unexplained = rows.filter(({ tests, waits }) => tests.length === 0 && waits === '')

  expect(unexplained.map(({ id }) => id)).toEqual([])
})

it('every test that is named is there, with a title that begins with the number', () => {
  const missing = rows.flatMap(({ id, tests }) =>
    tests.filter((path) => !testFiles.has(path) || !hasTitle(path, id)).map((path) => `${id} in ${path}`),
  )

  expect(missing).toEqual([])
})
