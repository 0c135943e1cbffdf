// What loading one module loads: the value imports, followed through the sources.
import { posix } from 'node:path'
import type { ParsedFile } from './parsed-file.ts'

/** What is in memory once a module has been imported. */
export interface Loaded {
  /** Files of the repository, by path from its root. */
  readonly files: ReadonlySet<string>
  /** Packages and modules of Node, as they are named in the sources. */
  readonly packages: ReadonlySet<string>
}

/** The file that a relative specifier means, from the root of the repository. */
export function importedPath(from: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(from), specifier))
}

/**
 * Follows the imports that leave a trace in the running code. Types are erased and a dynamic import loads nothing
 * before it is reached, so neither counts. Throws when a relative import names no known file.
 */
export function loadedBy(entry: string, sources: ReadonlyMap<string, ParsedFile>): Loaded {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue
    files.add(path)
    const file = sources.get(path)
    if (file === undefined) throw new Error(`${path} is imported but does not exist`)
    for (const { specifier, kind } of file.imports) {
      if (kind !== 'value') continue
      if (specifier.startsWith('.')) waiting.push(importedPath(path, specifier))
      else packages.add(specifier)
    }
  }
  return { files, packages }
}
