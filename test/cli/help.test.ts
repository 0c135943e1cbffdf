// Help: every command has it, and none loads what it only needs when it works.
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { repositoryRoot } from '../../tools/repository.ts'
import { countersign } from './run-countersign.ts'

const rows = pathsOf(program()).map((path) => ({ path, words: ['countersign', ...path].join(' ') }))

describe('help', () => {
  it.each(rows)('$words --help describes it, and what it takes', async ({ path, words }) => {
    const run = await countersign([...path, '--help'])

    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.stdout).toContain(`Usage: ${words}`)
  })

  it.each(rows)('$words --help loads the parser of arguments and nothing heavy', async ({ path }) => {
    const preload = join(repositoryRoot, 'test/cli/loaded-modules.ts')

    const { stderr } = await countersign([...path, '--help'], { node: ['--import', preload] })

    // Of the lower rooms tables and words: the version, the statuses. No schemas, no store, no server, no harness.
    const loaded = stderr.trim().split(' ').slice(1)
    const allowed = new Set(['commander', 'src/cli', 'src/runtime', 'src/proposal', 'src/effect'])
    expect(loaded).toContain('commander')
    expect(loaded.filter((one) => !allowed.has(one))).toEqual([])
  })

  it('the whole program says which exit codes and which environment there is', async () => {
    const { stdout } = await countersign(['--help'])

    expect(stdout).toContain('Exit codes: 0 good; 1 ')
    expect(stdout).toContain('COUNTERSIGN_TOKEN')
  })

  it.each(leavesOf(program()))('the command $name takes --json and --verbose, and no token', ({ command }) => {
    const flags = command.options.map(({ long }) => long)

    expect(flags).toEqual(expect.arrayContaining(['--json', '--verbose']))
    expect(flags.filter((flag) => /token|secret|password/.test(flag ?? ''))).toEqual([])
  })

  it('--version prints the version', async () => {
    expect(await countersign(['--version'])).toEqual({ exitCode: 0, stdout: '0.1.0\n', stderr: '' })
  })
})

/** Every command and group, the program itself first, as the words that name it. */
function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((sub) => pathsOf(sub, [...path, sub.name()]))]
}

function leavesOf(command: Command): { readonly name: string; readonly command: Command }[] {
  if (command.commands.length === 0) return [{ name: command.name(), command }]
  return command.commands.flatMap(leavesOf)
}
