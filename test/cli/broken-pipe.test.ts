// A reader that stops reading, as "head" does: the command ends without a word.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../tools/repository.ts'

it('ends quietly when nobody reads its output any more', async () => {
  const main = join(repositoryRoot, 'src/cli/main.ts')
  const child = spawn(process.execPath, [main, 'migrate', '--dry-run', '--db', 'no.db'], { cwd: repositoryRoot })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  child.stdout.destroy()

  const exitCode = await new Promise((resolve) => {
    child.on('close', resolve)
  })

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})
