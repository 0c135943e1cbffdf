// What each door of the package exports, read from the sources: values and types apart, with or without a doc comment.
import { importedPath, type ParsedFile, parseFile } from './parsed-file.ts'
import { readRepositoryFile } from './repository.ts'

/** The names of one door, sorted. */
export interface Surface {
  readonly values: readonly string[]
  readonly types: readonly string[]
}

/** A door: its subpath and the source behind it, as package.json says. */
export interface Door {
  /** `.` or `./sqlite`. */
  readonly subpath: string
  readonly source: string
  readonly conditions: Readonly<Record<string, string>>
}

/** The doors that package.json opens; plain files such as package.json itself are none. */
export function doorsOf(packageJson: string): Door[] {
  const { exports } = JSON.parse(packageJson) as { exports: Record<string, string | Record<string, string>> }
  return Object.entries(exports).flatMap(([subpath, conditions]) => {
    if (typeof conditions === 'string') return []
    const source = conditions['countersign-source']
    if (source === undefined) throw new Error(`the door ${subpath} has no source`)
    return [{ subpath, source: source.replace(/^\.\//, ''), conditions }]
  })
}

/** Reads files of the repository, each once. */
export function sourceReader(read: (path: string) => string = readRepositoryFile): (path: string) => ParsedFile {
  const known = new Map<string, ParsedFile>()
  return (path) => {
    const file = known.get(path) ?? parseFile(path, read(path))
    known.set(path, file)
    return file
  }
}

/** The names that a source exports. */
export function surfaceOf(file: ParsedFile, source: (path: string) => ParsedFile): Surface {
  const names = (kind: 'value' | 'type'): string[] => {
    const found = file.exports.filter(({ name }) => kindOf(file, name, source) === kind).map(({ name }) => name)
    return [...new Set(found)].sort()
  }
  return { values: names('value'), types: names('type') }
}

/** The exported names that have no doc comment where they are declared. */
export function undocumentedOf(file: ParsedFile, source: (path: string) => ParsedFile): string[] {
  return file.exports
    .map(({ name }) => name)
    .filter((name) => !declarationsOf(file, name, source).some(({ isDocumented }) => isDocumented))
}

/** A name is a value as soon as one of its declarations is; an interface beside a function of its name is no type of its own. */
function kindOf(file: ParsedFile, name: string, source: (path: string) => ParsedFile): 'value' | 'type' {
  return declarationsOf(file, name, source).some(({ kind }) => kind === 'value') ? 'value' : 'type'
}

function declarationsOf(
  file: ParsedFile,
  name: string,
  source: (path: string) => ParsedFile,
): { readonly kind: 'value' | 'type'; readonly isDocumented: boolean }[] {
  const found = file.exports.filter((one) => one.name === name)
  if (found.length === 0) throw new Error(`${file.path} does not export ${name}`)
  return found.flatMap((one) => {
    if (one.from === null) return [one]
    if (!one.from.specifier.startsWith('.')) return [one]
    const target = source(importedPath(file.path, one.from.specifier))
    const declared = declarationsOf(target, one.from.name, source)
    return one.kind === 'type' ? declared.map(({ isDocumented }) => ({ kind: 'type', isDocumented })) : declared
  })
}
