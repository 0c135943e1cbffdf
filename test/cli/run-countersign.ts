// Runs the command "countersign" as a process of its own, from the sources, in a folder of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { onTestFinished } from 'vitest'
import { repositoryRoot } from '../../tools/repository.ts'

/** How a run ended. */
export interface Run {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** What Node itself is given. */
  readonly node?: readonly string[]
}

const main = join(repositoryRoot, 'src/cli/main.ts')

/** Nothing of this process's environment but what a process needs. */
const { PATH = '' } = process.env

/** Runs it to its end. Nothing is a terminal. */
export async function countersign(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { cwd = repositoryRoot, env = {}, input = '', node = [] } = options
  const child = spawn(process.execPath, ['--conditions=countersign-source', ...node, main, ...args], {
    cwd,
    env: { PATH, ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk
    })
  }
  child.stdin.on('error', () => {}).end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ ...output, exitCode }))
  })
}

/** A folder that goes when the test is over. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'countersign-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}
