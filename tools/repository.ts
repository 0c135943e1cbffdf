// Where the repository is, which files it holds and what they say.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json, with a slash at its end. */
export const repositoryRoot: string = fileURLToPath(new URL('../', import.meta.url))

/** Every file that is committed or about to be, by its path from the root; what git ignores is not listed. */
export function repositoryFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  })
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(repositoryRoot + path))
  return [...new Set(paths)].sort()
}

/** The text of a file, by its path from the root. */
export function readRepositoryFile(path: string): string {
  return readFileSync(repositoryRoot + path, 'utf8')
}

/** Replaces the text of a file, by its path from the root. */
export function writeRepositoryFile(path: string, text: string): void {
  writeFileSync(repositoryRoot + path, text)
}
