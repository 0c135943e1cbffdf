// Every example runs to its end, and what the pages show as output is what comes out.
import { describe, expect, it } from 'vitest'
import { comparable, runOnce } from '../tools/documented-command.ts'
import { outputsOn, pagePaths } from '../tools/pages.ts'
import { repositoryFiles } from '../tools/repository.ts'

const examples = repositoryFiles().filter((path) => /^examples\/.*\.ts$/.test(path))
const outputs = pagePaths().flatMap(outputsOn)

/** Long enough for the slowest example on a busy machine; nothing is judged by time. */
const exampleTimeoutMs = 300_000

describe('the examples', () => {
  it('are there', () => {
    expect(examples).toEqual(
      expect.arrayContaining(['examples/docs/lifecycle-scenarios.ts', 'examples/docs/quickstart.ts']),
    )
  })

  it.each(examples)(
    '%s runs to its end',
    async (path) => {
      const { exitCode, stderr } = await runOnce(`node --conditions=countersign-source ${path}`)

      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    },
    exampleTimeoutMs,
  )
})

describe('the pages', () => {
  it('show what the scenarios print', () => {
    expect(outputs.map(({ command }) => command)).toContain('npm run demo')
  })

  // Renewed with `npm run docs`.
  it.each(outputs)(
    '$page:$line shows what "$command" prints',
    async ({ text, command }) => {
      const { exitCode, stdout } = await runOnce(command)

      expect(exitCode).toBe(0)
      expect(comparable(text)).toBe(comparable(stdout))
    },
    exampleTimeoutMs,
  )
})
