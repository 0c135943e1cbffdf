// Seeded bugs: how each one changes the sources. The list is `seeded-bugs.json`.
import { readFileSync } from 'node:fs'

/** One bug. */
export interface SeededBug {
  readonly bug: string
  /** The bugs that are there for the simulation: it takes several machines, or a restart, to meet them. */
  readonly for?: 'simulation'
  /** `find` occurs exactly once in the file. */
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[]
}

/** The list. */
export function seededBugs(): readonly SeededBug[] {
  return JSON.parse(readFileSync(new URL('seeded-bugs.json', import.meta.url), 'utf8')) as readonly SeededBug[]
}

/**
 * The files that a bug changes, as they are with it.
 * @throws Error where the sources have moved on and the bug does not fit any more.
 */
export function withBug(
  { bug, edits }: SeededBug,
  read: (file: string) => string,
): readonly { readonly file: string; readonly text: string }[] {
  const changed = new Map<string, string>()
  for (const { file, find, replace } of edits) {
    const before = changed.get(file) ?? read(file)
    if (before.split(find).length !== 2) throw new Error(`"${bug}" does not fit ${file} any more: ${find}`)
    changed.set(
      file,
      before.replace(find, () => replace),
    )
  }
  return [...changed].map(([file, text]) => ({ file, text }))
}
