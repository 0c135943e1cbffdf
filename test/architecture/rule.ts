// What a rule about the sources is: one question that one file answers with the places that break it.
import type { ParsedFile } from '../../tools/parsed-file.ts'

/** A rule about single files. */
export interface Rule {
  /** What holds in every file, as a sentence. */
  readonly title: string
  /** What breaks the rule in this file; empty where it holds or does not apply. */
  readonly findings: (file: ParsedFile) => readonly string[]
  /** Texts that break the rule, and texts close to them that do not: a rule that cannot fail is no rule. */
  readonly examples: { readonly broken: readonly Example[]; readonly kept: readonly Example[] }
}

/** A small file, made up. */
export interface Example {
  readonly path: string
  readonly text: string
}

/** The folder of `src` that holds the file; `door` for a file that lies in `src` itself; null outside. */
export function roomOf(path: string): string | null {
  const parts = path.split('/')
  if (parts[0] !== 'src') return null
  return parts.length === 2 ? 'door' : (parts[1] ?? null)
}

/** Whether the file belongs to a room that could be decided with pencil and paper. */
export function isPure(path: string): boolean {
  const room = roomOf(path)
  return room === 'effect' || room === 'proposal'
}

/** Every match of a pattern in the code, as `line: match`. */
export function matchesIn(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].map((match) => {
    const line = code.slice(0, match.index).split('\n').length
    return `line ${line}: ${match[0].trim()}`
  })
}
