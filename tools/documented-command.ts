// Runs a command that a page shows, on the Node that runs the tests, and makes what it prints comparable.
import { spawn } from 'node:child_process'
import { readRepositoryFile, repositoryRoot } from './repository.ts'

/** How a run ended. */
export interface CommandRun {
  readonly stdout: string
  readonly stderr: string
  /** The exit code; null when a signal ended it. */
  readonly exitCode: number | null
}

/** The scripts of package.json. */
export function npmScripts(): Readonly<Record<string, string>> {
  const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }
  return scripts
}

/**
 * What `node` is given when a page shows `npm run NAME` or `node FILE`. The script behind an npm command is run
 * directly: npm would print a header of its own and choose another Node. Throws when the command is not one of these.
 */
export function nodeArguments(command: string): readonly string[] {
  const name = /^npm run (\S+)$/.exec(command)?.[1]
  const script = name === undefined ? command : npmScripts()[name]
  const [program, ...args] = (script ?? '').split(' ')
  if (program !== 'node') throw new Error(`"${command}" does not come down to one node command`)
  return args
}

/** Runs the Node of this process from the root of the repository, without input and without colour. */
export async function runNode(args: readonly string[]): Promise<CommandRun> {
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, FORCE_COLOR: _colour, ...inherited } = process.env
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    env: { ...inherited, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ ...output, exitCode }))
  })
}

const runs = new Map<string, Promise<CommandRun>>()

/** The run of a documented command; however often and under whatever name it is shown, it runs once. */
export async function runOnce(command: string): Promise<CommandRun> {
  const args = nodeArguments(command)
  const run = runs.get(args.join(' ')) ?? runNode(args)
  runs.set(args.join(' '), run)
  return run
}

/** What may differ from run to run, rule by rule; everything else is compared as it is. */
const volatile: readonly { readonly name: string; readonly pattern: RegExp; readonly as: string }[] = [
  { name: 'instant', pattern: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, as: '<instant>' },
  { name: 'identifier', pattern: /\b[0-9A-HJKMNP-TV-Z]{26}\b/g, as: '<identifier>' },
  { name: 'commitment', pattern: /\bc1_[\w-]{43}/g, as: '<commitment>' },
  { name: 'idempotency key', pattern: /\bik_[a-z2-7]{52}\b/gi, as: '<idempotency key>' },
  { name: 'port', pattern: /\b(127\.0\.0\.1|localhost):\d+/g, as: '$1:<port>' },
  { name: 'duration', pattern: /\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, as: '<duration>' },
  { name: 'space at the end of a line', pattern: /[ \t]+$/gm, as: '' },
]

/** The output with what may differ replaced by its name. */
export function comparable(output: string): string {
  return volatile.reduce((text, { pattern, as }) => text.replaceAll(pattern, as), output).trim()
}
