// The map of the sources: every file of src with the sentence that opens it.
import { readRepositoryFile, repositoryFiles } from './repository.ts'

/** The rooms in the order in which they build on one another. */
const roomOrder = ['effect', 'proposal', 'runtime', 'store', 'http', 'testing', 'cli']

interface Entry {
  readonly room: string
  readonly name: string
  readonly sentence: string
  readonly lines: number
}

/** Draws the tree as lines of text; with `lengths`, each file also says how many lines it has. */
export function sourceTree(options: { readonly lengths: boolean }): string {
  const entries = repositoryFiles()
    .filter((path) => /^src\/.*\.tsx?$/.test(path))
    .map(entryOf)
    // The front door comes before the side doors.
    .sort((a, b) => Number(b.name === 'index.ts') - Number(a.name === 'index.ts'))
  const width = Math.max(...entries.map(({ room, name }) => indent(room).length + name.length)) + 2
  const draw = ({ room, name, sentence, lines }: Entry): string => {
    const length = options.lengths ? `${String(lines).padStart(4)}  ` : ''
    return `${(indent(room) + name).padEnd(width)}${length}${sentence}`
  }
  const rooms = [...new Set(entries.map(({ room }) => room))].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return rooms
    .flatMap((room) => [
      room === '' ? 'src/' : `  ${room}/`,
      ...entries.filter((entry) => entry.room === room).map(draw),
    ])
    .join('\n')
}

function entryOf(path: string): Entry {
  const text = readRepositoryFile(path)
  const parts = path.split('/').slice(1)
  const sentence = /^\/\/ (.*)/.exec(openingLine(text))?.[1] ?? ''
  return {
    room: parts.length === 1 ? '' : (parts[0] ?? ''),
    name: parts.length === 1 ? (parts[0] ?? '') : parts.slice(1).join('/'),
    sentence,
    lines: text.trimEnd().split('\n').length,
  }
}

/** The first line of a file; of a program that a shell can start, the line behind the one that names its interpreter. */
export function openingLine(text: string): string {
  return text.replace(/^#!.*\n/, '').split('\n', 1)[0] ?? ''
}

function indent(room: string): string {
  return room === '' ? '  ' : '    '
}

/** The doors come first, then the rooms in order; a room that is not on the list comes last. */
function rank(room: string): number {
  if (room === '') return -1
  const place = roomOrder.indexOf(room)
  return place === -1 ? roomOrder.length : place
}
