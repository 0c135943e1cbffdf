// The revision of a file's repository, if git knows one.
import { execFile } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'

/** The commit, with `-dirty` behind it if files differ from it; null without git or without a repository. */
export async function revisionOf(file: string): Promise<string | null> {
  try {
    const described = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
    const { stdout } = await promisify(execFile)('git', described, { cwd: dirname(resolve(file)) })
    return stdout.trim()
  } catch {
    return null
  }
}
