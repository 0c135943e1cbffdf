// countersign test: what it makes of every kind of file, by its exit code and by what it says.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parseSafetyReport } from '../../src/testing/safety/report-json.ts'
import { type CommandRun, runNode } from '../../tools/documented-command.ts'
import { repositoryRoot } from '../../tools/repository.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-suite-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const door = pathToFileURL(join(repositoryRoot, 'src/testing.ts')).href
const preamble = `import { SafetyCheck, SafetyReport, suiteSeed } from ${JSON.stringify(door)}
const check = (id, passed) => new SafetyCheck({ id, title: 'Check ' + id, passed, failures: passed ? [] : ['no'] })
const report = (...checks) => new SafetyReport({ action: 'charge', seed: suiteSeed(), checks })
`

describe('a file that keeps the contract', () => {
  it('is safe if every check passed: exit code 0, and the report on standard output', async () => {
    const run = await testFile('export const runSafetySuite = () => report(check("one", true))')

    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.stdout).toBe(
      'Action: charge\n\nCheck one  PASS\n\nFinal classification:\nSAFE UNDER TESTED CONDITIONS\n',
    )
  })

  it('is not safe if one check failed: exit code 1, and the seed that repeats it', async () => {
    const source = 'export async function runSafetySuite() { return report(check("one", true), check("two", false)) }'

    const run = await testFile(source, '--seed', '42')

    expect(run).toMatchObject({ exitCode: 1, stderr: '' })
    expect(run.stdout).toContain('UNSAFE UNDER TESTED CONDITIONS')
    expect(run.stdout).toContain('seed 42 repeats it')
  })

  it('is not safe if something was not run', async () => {
    const left = 'new SafetyCheck({ id: "late", title: "Late", passed: false, notRun: "no fence" })'

    const run = await testFile(`export const runSafetySuite = () => report(check("one", true), ${left})`)

    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('not run: no fence')
  })

  it('prints what it likes: only the report is on standard output', async () => {
    const run = await testFile(
      'console.log("hello"); export const runSafetySuite = () => report(check("one", true))',
      '--json',
    )

    expect(run).toMatchObject({ exitCode: 0, stderr: 'hello\n' })
    expect(parseSafetyReport(JSON.parse(run.stdout)).isSafe).toBe(true)
  })

  it('may be one that speaks to its parent where it has one', async () => {
    const run = await testFile('process.send?.("ready"); export const runSafetySuite = () => report(check("a", true))')

    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('may leave things running: they end with it', async () => {
    const run = await testFile(
      'setInterval(() => {}, 1000); export const runSafetySuite = () => report(check("a", true))',
    )

    expect(run.exitCode).toBe(0)
  })

  it('has its report written to a file, whatever the verdict', async () => {
    const path = join(folder, 'report.json')

    const run = await testFile('export const runSafetySuite = () => report(check("one", false))', '--json', path)

    const written = parseSafetyReport(JSON.parse(readFileSync(path, 'utf8')))
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('Final classification:')
    expect(written.checks.map(({ state }) => state)).toEqual(['failed'])
  })
})

it('the example of a lost answer is safe under the tested conditions', async () => {
  const run = await command('test', 'examples/docs/payment-timeout-after-commit.ts', '--seed', '9', '--json')

  const report = parseSafetyReport(JSON.parse(run.stdout))
  expect(run.exitCode).toBe(0)
  expect([report.seed, report.checks.length, report.classification]).toEqual([9, 12, 'SAFE UNDER TESTED CONDITIONS'])
})

describe('a file that breaks the contract ends with exit code 2 and one sentence:', () => {
  const forged = '{ kind: "report", document: {} }'
  const lookAlike = '({ isSafe: true, checks: [], classification: "SAFE UNDER TESTED CONDITIONS" })'

  it.each([
    ['it throws', 'throw new Error("no provider")', 'could not be loaded: Error: no provider'],
    ['it cannot be parsed', 'export const = 1', 'could not be loaded: SyntaxError'],
    ['it imports what is not there', 'import "./nowhere.ts"', 'could not be loaded: Error'],
    ['it exports nothing', 'const a = 1', 'exports no function runSafetySuite'],
    ['it exports no function', 'export const runSafetySuite = 1', 'exports no function runSafetySuite'],
    ['it takes arguments', 'export const runSafetySuite = (seed) => seed', 'takes no arguments, and this one takes 1'],
    [
      'its suite throws',
      'export const runSafetySuite = () => { throw new TypeError("a\\nb") }',
      'threw: TypeError: a.',
    ],
    ['its suite rejects', 'export const runSafetySuite = async () => { throw 1 }', 'threw: a number'],
    ['it returns nothing', 'export const runSafetySuite = () => {}', 'something else than a SafetyReport'],
    ['it returns true', 'export const runSafetySuite = () => true', 'something else than a SafetyReport'],
    [
      'it returns a look-alike',
      `export const runSafetySuite = () => ${lookAlike}`,
      'something else than a SafetyReport',
    ],
    ['it ends its process', 'export const runSafetySuite = () => process.exit(0)', 'ended (exit code 0) before'],
    [
      'nothing is left to wait for',
      'export const runSafetySuite = () => new Promise(() => {})',
      'cannot come any more',
    ],
    ['it sends a report of its own', `process.send(${forged}); await new Promise(() => {})`, 'could not be loaded'],
    // Past the door that was closed, as only who means harm would.
    [
      'it forges a report',
      `process._send(${forged}); await new Promise(() => {})`,
      'a document that is no safety report',
    ],
    ['it forges a message', 'process._send({ kind: "safe" }); await new Promise(() => {})', 'a message of its own'],
  ])('%s', async (_, source, sentence) => {
    const run = await testFile(source)

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain(sentence)
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each([
    [
      'a suite that waits for ever',
      'export const runSafetySuite = () => new Promise(() => setInterval(() => {}, 1000))',
    ],
    ['a suite that never pauses', 'export const runSafetySuite = () => { for (;;); }'],
    ['a file that waits for ever', 'setInterval(() => {}, 1000); await new Promise(() => {})'],
  ])('%s is stopped when its time is over', async (_, source) => {
    const run = await testFile(source, '--timeout', '1s')

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('did not end within 1000 ms and was stopped')
  })

  it('there is no such file', async () => {
    const run = await command('test', join(folder, 'nowhere.ts'))

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('There is no file')
  })

  it('the report cannot be written where it should be', async () => {
    const run = await testFile('export const runSafetySuite = () => report(check("a", true))', '--json', folder)

    expect(run).toMatchObject({ exitCode: 2, stdout: '' })
    expect(run.stderr).toContain('could not be written')
  })
})

describe('the command itself', () => {
  it.each([
    ['no file', []],
    ['two files', ['a.ts', 'b.ts']],
    ['an unknown option', ['a.ts', '--fast']],
    ['a seed that is none', ['a.ts', '--seed', '-1']],
    ['a time that is none', ['a.ts', '--timeout', '60']],
    ['more than a day', ['a.ts', '--timeout', '2d']],
  ])('ends with exit code 64 for %s', async (_, args) => {
    const run = await command('test', ...args)

    expect(run).toMatchObject({ exitCode: 64, stdout: '' })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })
})

let files = 0

/** Tests a file with this source, behind the imports that it needs to build reports. */
async function testFile(source: string, ...args: readonly string[]): Promise<CommandRun> {
  files += 1
  const file = join(folder, `suite-${files}.mjs`)
  writeFileSync(file, `${preamble}${source}\n`)
  return command('test', file, ...args)
}

async function command(...args: readonly string[]): Promise<CommandRun> {
  return runNode(['--conditions=countersign-source', 'src/cli/main.ts', ...args])
}
