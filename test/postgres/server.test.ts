// A process that has used a server ends with the exit code that is its own: failed tests must fail the run.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, it } from 'vitest'

it.each([0, 3])('a process that has used a server ends with its own exit code %i', (exitCode) => {
  const program = `import { newServer } from ${JSON.stringify(new URL('./server.ts', import.meta.url).href)}
await (await newServer('18')).remove()
process.exitCode = ${exitCode}`

  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })

  expect({ status, stderr }).toEqual({ status: exitCode, stderr: '' })
})
