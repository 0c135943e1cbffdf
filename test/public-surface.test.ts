// The promise of the package: the exact names behind every door, each with a doc comment, and nothing besides.
import { describe, expect, it } from 'vitest'
import { runNode } from '../tools/documented-command.ts'
import { doorsOf, sourceReader, surfaceOf, undocumentedOf } from '../tools/public-surface.ts'
import { readRepositoryFile, repositoryFiles, writeRepositoryFile } from '../tools/repository.ts'

const listPath = 'test/public-surface.json'
const source = sourceReader()
const doors = doorsOf(readRepositoryFile('package.json'))
const surfaces = Object.fromEntries(doors.map((door) => [door.subpath, surfaceOf(source(door.source), source)]))

// The list is a promise, so it is written only on request: UPDATE_SURFACE=1 npx vitest run test/public-surface.test.ts
if (process.env['UPDATE_SURFACE'] === '1') writeRepositoryFile(listPath, `${JSON.stringify(surfaces, null, 2)}\n`)

describe('the doors', () => {
  it('export exactly the names on the committed list', () => {
    expect(surfaces).toEqual(JSON.parse(readRepositoryFile(listPath)))
  })

  it('are the files that lie in src itself, one door each', () => {
    const files = repositoryFiles().filter((path) => /^src\/[^/]+\.ts$/.test(path))

    expect(doors.map((door) => door.source).sort()).toEqual(files)
  })

  it.each(doors)('$subpath has source, types and code under one name', ({ subpath, conditions }) => {
    const name = subpath === '.' ? 'index' : subpath.slice('./'.length)

    expect(Object.entries(conditions)).toEqual([
      ['countersign-source', `./src/${name}.ts`],
      ['types', `./dist/${name}.d.ts`],
      ['default', `./dist/${name}.js`],
    ])
  })

  it.each(doors)('$subpath exports no name without a doc comment', (door) => {
    expect(undocumentedOf(source(door.source), source)).toEqual([])
  })

  it.each(doors)('$subpath, when loaded, holds the values on the list', async ({ subpath }) => {
    const names = await namesIn(`countersign${subpath.slice(1)}`)

    expect(names).toEqual(surfaces[subpath]?.values)
  })
})

async function namesIn(door: string): Promise<string[]> {
  const module: unknown = await import(door)
  return typeof module === 'object' && module !== null ? Object.keys(module).sort() : []
}

describe('the front door', () => {
  it('loads no database', async () => {
    const loaded = await modulesLoadedBy("import('countersign')")

    expect(loaded).toContain('countersign')
    expect(loaded.filter(isDatabase)).toEqual([])
  })

  it('is watched closely enough to see one', async () => {
    const loaded = await modulesLoadedBy("import('countersign').then(() => require('better-sqlite3'))")

    expect(loaded.filter(isDatabase)).toEqual(['better-sqlite3'])
  })
})

const isDatabase = (name: string): boolean => /^(?:kysely|better-sqlite3|pg)(?:\/|$)/.test(name)

/** Every specifier that Node resolves while the script runs, in a process of its own. */
async function modulesLoadedBy(script: string): Promise<string[]> {
  const watched = `
    const seen = []
    require('node:module').registerHooks({
      resolve(specifier, context, next) {
        seen.push(specifier)
        return next(specifier, context)
      },
    })
    ${script}.then(() => console.log(JSON.stringify(seen)))`
  const { stdout, stderr } = await runNode(['--conditions=countersign-source', '--eval', watched])
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as string[]
}

describe('reading a surface', () => {
  const texts: Readonly<Record<string, string>> = {
    'src/index.ts': `
      export { documented, bare, type Shape } from './room/a.ts'
      export type { Both } from './room/a.ts'
      /** Said here. */
      export function here(): void {}`,
    'src/room/a.ts': `
      /** Said. */
      export const documented = 1
      // Not a doc comment.
      export const bare = 2
      /** A shape. */
      export interface Shape {}
      export { Both } from './b.ts'`,
    'src/room/b.ts': `
      /** A class. */
      export class Both {}`,
  }
  const read = sourceReader((path) => texts[path] ?? '')

  it('tells values from types, also through a file in between', () => {
    expect(surfaceOf(read('src/index.ts'), read)).toEqual({
      values: ['bare', 'documented', 'here'],
      types: ['Both', 'Shape'],
    })
  })

  it('finds the name without a doc comment', () => {
    expect(undocumentedOf(read('src/index.ts'), read)).toEqual(['bare'])
  })

  it('refuses a name that the file behind it does not have', () => {
    const broken = sourceReader((path) => (path === 'src/index.ts' ? "export { gone } from './room/a.ts'" : ''))

    expect(() => surfaceOf(broken('src/index.ts'), broken)).toThrow('src/room/a.ts does not export gone')
  })
})
