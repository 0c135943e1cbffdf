// The map of the sources names every file once, with its sentence, rooms in the order in which they build on one another.
import { describe, expect, it } from 'vitest'
import { readRepositoryFile, repositoryFiles } from '../../tools/repository.ts'
import { openingLine, sourceTree } from '../../tools/source-tree.ts'

const sources = repositoryFiles().filter((path) => /^src\/.*\.ts$/.test(path))

describe('the map', () => {
  const lines = sourceTree({ lengths: false }).split('\n')

  it('has one line for each file, which ends with the sentence that opens it', () => {
    const sentences = sources.map((path) => openingLine(readRepositoryFile(path)).slice('// '.length))
    const drawn = lines.filter((line) => !line.endsWith('/'))

    expect(drawn).toHaveLength(sources.length)
    for (const sentence of sentences) expect(drawn.some((line) => line.endsWith(`  ${sentence}`))).toBe(true)
  })

  it('begins with the doors and lists effect before proposal before runtime', () => {
    const rooms = lines.filter((line) => /^ {2}\S+\/$/.test(line)).map((line) => line.trim())

    expect(lines[0]).toBe('src/')
    expect(lines[1]).toMatch(/^ {2}index\.ts {2,}\S/)
    expect(rooms.filter((room) => ['effect/', 'proposal/', 'runtime/'].includes(room))).toEqual([
      'effect/',
      'proposal/',
      'runtime/',
    ])
  })

  it('says how long each file is when asked', () => {
    const limits = readRepositoryFile('src/effect/limits.ts').trimEnd().split('\n').length
    const line = sourceTree({ lengths: true })
      .split('\n')
      .find((drawn) => drawn.includes(' limits.ts '))

    expect(line).toMatch(new RegExp(`limits\\.ts +${limits} {2}\\S`))
  })
})
